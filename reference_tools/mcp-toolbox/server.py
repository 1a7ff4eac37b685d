"""A reference MCP server: both protocol revisions, over standard input and output or, with `--port`, over streamable HTTP.

python server.py
python server.py --port 8000
"""

import argparse
from pathlib import Path

from toolbox import stdio, streamable_http
from toolbox.notebooks import Notebooks
from toolbox.protocol import Protocol
from toolbox.tools import make_tools


def main() -> None:
    """Serve until the input ends, or until the process is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, help="serve http://127.0.0.1:PORT/mcp, not standard input")
    parser.add_argument("--notebooks", type=Path, default=Path("notebooks"), help="the folder of the notes")
    chosen = parser.parse_args()
    protocol = Protocol({"name": "toolbox", "version": "1.0.0"}, make_tools(Notebooks(chosen.notebooks)))
    if chosen.port is None:
        stdio.serve(protocol)
    else:
        streamable_http.serve(protocol, chosen.port)


if __name__ == "__main__":
    main()
