"""Compares the suite with other programs that examine MCP servers, on pairs of a faulty and a fixed server."""
