"""What the file and shell tools know about text: encodings, exact replacement, terminal output. Pure."""
