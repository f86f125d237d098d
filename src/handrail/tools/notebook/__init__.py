"""Jupyter notebooks: their cells, and where in the file's text each stands. Pure."""
