"""Pydantic AI: tools that are objects of `Tool`."""
