"""A server with 20 tools over stdio: two of the reference tools, ten times each under other names. Run beside their package."""

from dataclasses import replace
from pathlib import Path

from toolbox import stdio
from toolbox.notebooks import Notebooks
from toolbox.protocol import Protocol
from toolbox.tools import make_tools

CHOSEN = ("convert_length", "count_words")
TIMES = 10

tools = [
    replace(tool, definition={**tool.definition, "name": f"{tool.name}_{number}"})
    for tool in make_tools(Notebooks(Path("notebooks")))
    for number in range(TIMES)
    if tool.name in CHOSEN
]
stdio.serve(Protocol({"name": "whole", "version": "1.0.0"}, tools))
