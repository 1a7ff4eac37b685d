"""The rules on what is MCP's own."""
