"""The tools that middleware of langchain gives an agent: the search of files, and the list of things to do."""

from langchain.agents.middleware import FilesystemFileSearchMiddleware
from langchain.agents.middleware.todo import write_todos  # noqa: F401 - a tool of the module

search = FilesystemFileSearchMiddleware(root_path="docs", use_ripgrep=False).tools
