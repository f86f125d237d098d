"""Tools of a discovery command: one command prints what there is, one runs a tool (Gemini CLI's convention)."""
