"""A host for one tool, in plain Python: what docs/host-protocol.md asks for, and nothing else.

pytest --aptix-conformance --aptix-tools "host:python3 docs/examples/word_count_host.py"
"""

import asyncio
import json
import os
import socket
import sys
import traceback

from word_count import NAME, count_words, describe


class RequestError(Exception):
    """Why a request is not fulfilled: a code and a message."""


async def sentinel(kind, arguments, log):
    if kind == "returns":
        log({"method": "add_error", "tag": "[Sentinel]", "message": arguments})
    elif kind == "raises":
        raise ValueError(arguments)
    elif kind == "hangs":
        await asyncio.Event().wait()
    elif kind == "prints":
        print(arguments)
    return (None, arguments) if kind == "refuses" else (arguments, None)


async def call(kind, params, log):
    try:
        if kind == "tool":
            payload, message = await count_words(params["arguments"], params["context"])
        else:
            payload, message = await sentinel(kind, params["arguments"], log)
    except Exception as error:
        thrown = {"type_name": type(error).__name__, "message": str(error)}
        return {"outcome": "raised", "raised": thrown | {"traceback": traceback.format_exc()}}
    result = {"type_name": "InvokeResult", "is_invoke_result": True, "successful": message is None}
    result |= {"payload": payload, "payload_type": type(payload).__name__}
    return {"outcome": "returned", "result": result | {"errors": [{"message": message}] if message else []}}


class Host:
    def __init__(self, writer):
        self.writer, self.handles, self.served = writer, {}, 0

    def send(self, **message):
        self.writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n")

    def logger(self, number, place=0):
        where = {"call": number, "place": place}
        return lambda record: self.send(method="log", params={**where, "record": record})

    async def answer(self, number, method, params):
        if method == "initialize":
            if params.get("qualname", NAME) != NAME:
                raise RequestError(-32001, f"there is no tool {params['qualname']}: this host has {NAME}")
            self.handles = params.get("handles", {})
            return {"protocol": "1", "host": "word count", "capabilities": ["log", "together"]}
        if method == "tools/list":
            return {"tools": [NAME]}
        if method == "tools/describe":
            return describe("after_calls" if self.served else "start")
        if method == "tools/execute":
            self.served += 1
            kind = self.handles[str(params["handle"])] if "handle" in params else "tool"
            return await call(kind, params, self.logger(number))
        if method == "tools/execute_together":
            numbered = enumerate(params["calls"])
            calls = (call("tool", each, self.logger(number, place)) for place, each in numbered)
            return {"answers": await asyncio.gather(*calls)}
        if method == "shutdown":
            return {}
        raise RequestError(-32601, f"there is no method {method}")

    async def fulfil(self, request):
        try:
            answer = {"result": await self.answer(request["id"], request["method"], request["params"])}
        except RequestError as fault:
            answer = {"error": {"code": fault.args[0], "message": fault.args[1]}}
        sys.stdout.flush()
        self.send(id=request["id"], **answer)
        await self.writer.drain()
        if request["method"] == "shutdown":
            os._exit(0)


async def serve():
    channel = socket.socket(fileno=int(os.environ["APTIX_HOST_FD"]))
    reader, writer = await asyncio.open_connection(sock=channel, limit=1 << 26)
    host, running = Host(writer), set()  # who keeps no task loses it
    while line := await reader.readline():
        running.add(asyncio.ensure_future(host.fulfil(json.loads(line))))


asyncio.run(serve())
