"""The MCP servers that files configure: our own files, and those of other agents as they are."""
