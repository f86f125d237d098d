"""The file in which facts are remembered: Markdown that a person can read and edit."""
