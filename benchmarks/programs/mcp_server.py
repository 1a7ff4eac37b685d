"""A server with one tool over stdio, without an SDK: what it costs is the same for each client."""

import json
import sys
from typing import Any

TOOL = {
    "name": "add",
    "description": "Adds two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    },
}
KNOWN: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "add", "version": "1.0"},
    },
    "ping": {},
    "tools/list": {"tools": [TOOL]},
}


def respond(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "tools/call":
        found = params["arguments"]["a"] + params["arguments"]["b"]
        return {"result": {"content": [{"type": "text", "text": str(found)}]}}
    if method in KNOWN:
        return {"result": KNOWN[method]}
    return {"error": {"code": -32601, "message": "Method not found"}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = respond(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
