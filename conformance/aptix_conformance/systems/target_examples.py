"""Examples of what `aptix-conformance check` takes: data that `--help` shows without importing a system."""

from typing import Final

EXAMPLES: Final = """\
  aptix-conformance check "python server.py"          an MCP server, by the command that starts it
  aptix-conformance check ./dist/server.js            a file: an MCP server, or tools of ART, Aptix or Amplifier
  aptix-conformance check my_tools.py                 a file or a module of Python
  aptix-conformance check my_pkg.tools:WeatherTool    one tool of a module
  aptix-conformance check mcp.json --server notes     the servers that a client's file names
  aptix-conformance check mcp:http://127.0.0.1:8000/mcp
  aptix-conformance check                             the tools that pyproject.toml configures
  aptix-conformance check my_tools.py --standard --report report.json --report html=report.html
"""
INSTALL: Final = "aptix-conformance mcp install"
"""The command that installs servers."""
