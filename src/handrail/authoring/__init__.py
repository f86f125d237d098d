"""Tools as anyone writes them: decorated functions, and parameters from models, dataclasses and JSON Schema.

Nothing is imported here: a session that only mends schemas of servers needs no reader of signatures.
"""
