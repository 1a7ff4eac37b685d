"""The rules on LangChain's tools alone."""
