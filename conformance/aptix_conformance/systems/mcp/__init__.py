"""Tools of MCP servers, over stdio."""
