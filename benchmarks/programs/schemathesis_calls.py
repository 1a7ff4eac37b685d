"""Schemathesis in process, on an API of one operation with the measured tool's schema and behaviour.

`schemathesis_calls.py wsgi|asgi CALLS SEED` prints {"calls": …, "wall": seconds, "cpu": seconds}. The API is bare
WSGI or ASGI, without a framework, which shows the peer at its fastest. The answer is judged by all of
Schemathesis's checks that need no second request.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import measures
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

PATH = "/measure"
OPENAPI = {
    "openapi": "3.1.0",
    "info": {"title": "measure", "version": "1"},
    "paths": {
        PATH: {
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": measures.PARAMETERS}},
                },
                "responses": {
                    "200": {
                        "description": "The measure.",
                        "content": {"application/json": {"schema": measures.RESULT}},
                    },
                    "400": {
                        "description": "What is wrong with the request.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    },
                },
            }
        }
    },
}
WARM_UP = 50


def answer(path: str, body: bytes) -> tuple[int, bytes]:
    """Status and body."""
    if path != PATH:
        return 200, json.dumps(OPENAPI).encode()
    try:
        sent = json.loads(body)
    except ValueError:
        return 400, b"{}"
    fault = measures.fault(sent)
    return (
        (400, json.dumps({"message": fault}).encode())
        if fault
        else (200, json.dumps(measures.measure(sent)).encode())
    )


def wsgi(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    size = int(environ.get("CONTENT_LENGTH") or 0)
    status, body = answer(environ["PATH_INFO"], environ["wsgi.input"].read(size))
    start_response(
        f"{status} {'OK' if status == 200 else 'Bad Request'}",  # noqa: PLR2004
        [("Content-Type", "application/json"), ("Content-Length", str(len(body)))],
    )
    return [body]


async def asgi(scope: dict[str, Any], receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    if scope["type"] != "http":
        return
    sent = b""
    while True:
        message = await receive()
        sent += message.get("body", b"")
        if not message.get("more_body"):
            break
    status, body = answer(scope["path"], sent)
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))],
        }
    )
    await send({"type": "http.response.body", "body": body})


def main(kind: str, calls: int, number: int) -> dict[str, float]:
    load = schemathesis.openapi.from_wsgi if kind == "wsgi" else schemathesis.openapi.from_asgi
    schema = load("/openapi.json", wsgi if kind == "wsgi" else asgi)
    strategy = schema[PATH]["POST"].as_strategy()
    made = 0

    def run(examples: int, number: int) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def one(case: Any) -> None:
            nonlocal made
            made += 1
            case.call_and_validate()

        one()

    run(WARM_UP, number + 1_000_000)
    made = 0
    cpu, wall = time.process_time(), time.perf_counter()
    run(calls, number)
    return {"calls": made, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
