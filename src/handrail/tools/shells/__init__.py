"""What the shell tools are made of: which shell there is, one command from start to end, and what it printed."""
