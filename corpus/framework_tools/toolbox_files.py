"""The file toolset of pydantic-ai-toolbox, which may write."""

from pydantic_ai_toolbox.toolsets.filesystem import FilesystemToolset

toolset = FilesystemToolset("docs", read_only=False)
