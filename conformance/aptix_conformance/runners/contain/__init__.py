"""Restricts a process before a tool runs in it. Standard library only."""
