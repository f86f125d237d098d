"""Tools of MCP servers. Nothing here imports the SDK before a server is to be connected: see `sdk`."""
