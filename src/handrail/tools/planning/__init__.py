"""What the tools for planning share: lists of todos and tasks, kept with the session."""
