"""A server as source text, and a pool that runs it."""

import json

from aptix_conformance.core.model import Change, Kind, ProtocolStimulus, Stimulus
from aptix_conformance.targets import Target, ToolSettings

SERVER = """
import json, os, sys, time
LEGACY = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
MODERN = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
listed = {"tools": [TOOL]}
known = {"initialize": LEGACY, "ping": {}}

def write(message):
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")

def call(arguments):
    return {"content": [{"type": "text", "text": json.dumps(arguments)}]}

def answer(method, params):
    if method == "tools/list":
        return listed
    return call(params.get("arguments")) if method == "tools/call" else known.get(method)

def serve():
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if "id" in message:
            result = answer(message["method"], message.get("params", {}))
            said = {"error": {"code": -32601, "message": "no"}} if result is None else {"result": result}
            write({"id": message["id"], **said})
"""
COMMAND = "python server.py"
SETTINGS = ToolSettings()


def opened(pool):
    return pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), SETTINGS)


def wire(name):
    return Stimulus("wire", Change(Kind.DISTURBED, number=1), "{}", None, disturbance=ProtocolStimulus(name))


def note(text):
    return Stimulus("valid", Change(Kind.MINIMAL), json.dumps({"note": text}), None)
