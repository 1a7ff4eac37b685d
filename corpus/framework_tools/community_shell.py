"""The shell of langchain-community, and the two Python interpreters of langchain-experimental."""

from langchain_community.tools.shell.tool import ShellTool
from langchain_experimental.tools.python.tool import PythonAstREPLTool, PythonREPLTool

tools = [ShellTool(), PythonREPLTool(), PythonAstREPLTool()]
