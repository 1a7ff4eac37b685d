"""The runner of Python tools. Standard library only."""
