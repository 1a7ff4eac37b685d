"""The systems of tools: one folder each, with its rules and its hosts."""
