"""The rules on tools of the OpenAI Agents SDK alone."""
