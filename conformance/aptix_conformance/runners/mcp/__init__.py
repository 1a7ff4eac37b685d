"""The host of MCP servers over stdio: it speaks the host protocol with the suite, and MCP with a server, its child process.

It is started as the host of each tool. The server does not share its process, and nothing that it sends is believed.
"""
