"""The rules on tools of the AI SDK alone."""
