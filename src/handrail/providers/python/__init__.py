"""Tools that are written in Python, and loaded into this process: from files, and from installed packages."""
