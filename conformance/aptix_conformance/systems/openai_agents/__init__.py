"""The OpenAI Agents SDK: tools that are objects of `FunctionTool`."""
