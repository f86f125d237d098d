"""Kinds of agents: Markdown files, as Claude Code has them too. Found, read and put under trust like skills."""
