"""LangChain: tools that are objects of `BaseTool`."""
