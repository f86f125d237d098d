"""Subagents: models with a task of their own, whose calls run in the name of the call that gave it."""
