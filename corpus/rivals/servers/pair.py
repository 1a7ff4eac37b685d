"""What the pairs share: one tool on the plain server of the fixtures.

The first argument, `faulty` or `fixed`, selects the server of the pair. With a port as the second one it serves HTTP, and else stdio.
"""

import sys
from pathlib import Path

_FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "mcp"
sys.path += [str(_FIXTURES), str(_FIXTURES / "http")]
import serving_http
from serving import LEGACY, LINKS, Server, Tool, failure, structured

__all__ = ["FAULTY", "PairServer", "described", "failure", "serve", "structured", "text"]

FAULTY = sys.argv[1:2] == ["faulty"]


class PairServer(Server):
    """Speaks the two revisions that all compared programs speak."""

    revisions = (LINKS, LEGACY)


def text(said):
    """A successful result with this text."""
    return {"content": [{"type": "text", "text": said}]}


def described(name, description, properties, required=(), **others):
    """The entry of a tool in tools/list."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "inputSchema": schema} | others


def serve(definition, call, server=PairServer):
    """Serve one tool."""
    server.tools = (Tool(definition, call),)
    if sys.argv[2:]:
        serving_http.PORT = port = int(sys.argv[2])
        serving_http.ALLOWED = f"http://127.0.0.1:{port}", f"http://localhost:{port}"
        server = type("HttpServer", (serving_http.OverHttp, server), {})
    server().serve()
