"""Installs the servers that `uvx` and `npx` name, each in an environment of its own in a store, from a lock file, contained."""
