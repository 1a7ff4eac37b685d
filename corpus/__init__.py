"""Real MCP servers, examined by the suite: which ones, what it found, and whether that is true.

`servers.toml` pins the servers and names their known faults, `locks/` pins everything that they need, with hashes, and
`judgements.toml` says of each broken MUST rule whether a person finds it true. `docs/real-servers.md` is made of these and of
the reports. Nothing of a server is in the tree.
"""
