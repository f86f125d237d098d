"""The coding agent in a terminal, inline in the scrollback. It shows and asks; the rules are the runtime's."""
