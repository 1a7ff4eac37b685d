"""A reference MCP server. `protocol` decides what each message is answered with, and two transports carry the messages.

`tools` and `notebooks` are what this server is for; `arguments` holds calls to their schemas. Standard library only.
"""
