"""The SDK that a server is built on, and what it breaks by itself.

A server cannot keep a rule that its SDK breaks for every server. What stands here was measured with a bare server, one tool
and nothing else, on each SDK and each transport: `mcp` 1.30.0 and 2.3.0, `@modelcontextprotocol/sdk` 1.32.2, `@modelcontextprotocol/server` 2.4.0.
Over stdio `tests/acceptance/test_sdk_peers.py` measures it again, in each revision that the SDK serves.

A tool that `mcp` 1.30.0 runs as a task by `run_task` ends the server when its task is cancelled and its work then ends: the SDK
tries to complete the cancelled task, and catches nothing.

`@modelcontextprotocol/sdk` 1 validates with zod. With zod 3 its `McpServer` declares each object closed, and then drops the members
that are not declared instead of refusing them; with zod 4 it declares them open. With either it writes into each schema that it is of draft-07
(MCP113).

`mcp` 1.30.0 and 2.3.0 read the arguments of a decorated function by a model of pydantic: the text of a number, true for a number, 0, 1
or a word for a boolean, and the JSON text of a list or an object are taken (MCP110); such a JSON text is refused where a text or null is
allowed (ARG012). Both refuse a fraction for an integer, and a number or true for a text. That the model reads is seen in its refusals.
2.3.0 logs the exception of a tool by `rich` where that is installed, which loads code first: without a file descriptor to open, the
server never answers then (EXC002). After an earlier exception it answers.

`fastmcp` 2.14.7, 3.0.2 and 3.4.11 refuse each task that a tool is not declared for, by a result with isError: 3 without the capability
(MCP099), 2 with it (MCP101). 4.2.3 passes the task over. The rest of what stands here was not measured with `fastmcp` itself.

A bundler copies the SDK for Node.js into a file of the server or of one of its packages, where it has neither a folder nor a
version. Its name in a file proves nothing: what counts is the code of its `Protocol`, in a file that the server loads. The pieces that
are looked for stay as they are where a bundler makes the code small; they are in bundles by esbuild of 1.25.0, 1.32.2, 2.0.0 and 2.4.0. Of
a bundled SDK, only what each measured version of its package breaks is its own: 1.25.0, 1.25.3, 1.29.0 and 1.32.2 over stdio and HTTP,
2.0.0 over stdio, and 2.4.0.

Older versions speak older revisions. Bare servers over stdio on `mcp` 1.3.0, 1.9.4 and 1.12.4 and on `@modelcontextprotocol/sdk`
1.8.0, 1.11.4 and 1.18.2 were examined, and single requests were sent to `mcp` 1.2.1 to 1.30.0. No version of the two reads a batch
over stdio (MCP111). What `mcp` broke for some time only has the minor versions in which that was seen: requests of another form
than it knows ended its loop (MCP035), bytes that are not UTF-8 ended its process, and a text of digits for an id became a number (MCP021).
Over HTTP with SSE the servers on `mcp` 1.3.0, 1.9.4 and 1.12.4 did the same, and opened their stream for any Origin (MCP071).
"""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.files import read_bounded
from aptix_conformance.systems.mcp.imports import (
    node_imports,
    node_sources,
    node_specifiers,
    python_imports,
)

_LARGEST: Final = 1 << 20
_RECORD: Final = re.compile(r"(?P<name>mcp|fastmcp)-(?P<version>[^-]+)\.dist-info", re.IGNORECASE)
_MINOR: Final = re.compile(r"mcp 1\.(\d{1,4})(?:\..*)?")
_DISTRIBUTIONS: Final = frozenset({"mcp", "fastmcp"})
_CONVERTS: Final = "@modelcontextprotocol/sdk"
"""The SDK that makes the inputSchema of what a validator's schema says."""
_PACKAGES: Final = (_CONVERTS, "@modelcontextprotocol/server")
_PROTOCOL: Final = tuple(
    map(
        re.compile,
        (
            r"this\._requestHandlers\.get\([\w$]+\.method\)",
            r"this\._requestHandlerAbortControllers\.set\([\w$]+\.id,",
            r"this\.assertRequestHandlerCapability\(",
            r"this\.fallbackRequestHandler",
            r"Received a response for an unknown message ID: ",
            r"Uncaught error in notification handler: ",
            r"Unknown message type: ",
            r"Maximum total timeout exceeded",
        ),
    )
)
"""Pieces of the code of the `Protocol` of both packages for Node.js."""
_UNKNOWN: Final = "(bundled, version unknown)"
_BUNDLED_1: Final = f"@modelcontextprotocol/sdk 1 {_UNKNOWN}"
_BUNDLED_2: Final = f"@modelcontextprotocol/server 2 {_UNKNOWN}"
_OF_ONE: Final = {
    _BUNDLED_1: re.compile(r"this\.requestTaskStore\("),
    _BUNDLED_2: re.compile(r"""["'`]server/discover["'`]"""),
}
"""A text in the code of one of the packages that the code of the other one has not."""
_Broken = frozenset[tuple[str, str]]
_EVERY: Final[_Broken] = frozenset({("MCP039", "taken")})
_EVERY_OVER_STDIO: Final[_Broken] = _EVERY | {
    *(("MCP031", ""), ("MCP034", "params-array")),
    *(("MCP037", name) for name in ("batch", "bare-text", "bad-utf-8")),
}
_PYTHON: Final[_Broken] = frozenset(
    {
        ("MCP049", "result"),
        ("ARG012", "a text that was read as JSON"),
        ("MCP110", "the text of a number"),
        ("MCP110", "the text of a boolean"),
        ("MCP110", "a word for a boolean"),
        ("MCP110", "a number for a boolean"),
        ("MCP110", "a boolean for another type"),
        ("MCP110", "the JSON text of a value"),
    }
)
_PYTHON_OVER_STDIO: Final[_Broken] = (
    _EVERY_OVER_STDIO
    | _PYTHON
    | {("MCP033", "lone-surrogate"), ("MCP034", "deep"), ("MCP034", "long-integer")}
)
_PYTHON_1: Final[_Broken] = frozenset({("MCP029", ""), ("MCP035", "cancelled-task")})
_NO_BATCHES: Final[_Broken] = frozenset({("MCP111", "unanswered")})
_PYTHON_FOR_A_TIME: Final[Mapping[tuple[int, int], _Broken]] = {
    (2, 8): frozenset(
        ("MCP035", name)
        for name in ("unknown-method", "inherited-method", "nameless-call", "text-for-arguments")
    ),
    (3, 24): frozenset({("MCP035", "bad-utf-8")}),
    (9, 10): frozenset({("MCP021", "")}),
}
"""What `mcp` 1 broke over stdio from one minor version to another."""
_PYTHON_FOR_A_TIME_OVER_SSE: Final[Mapping[tuple[int, int], _Broken]] = {(3, 12): frozenset({("MCP071", "")})}
"""In addition to those; both by the minor versions of `mcp` 1."""
_NODE_OVER_STDIO: Final[_Broken] = _EVERY_OVER_STDIO | {("MCP036", "")}
_NODE_OVER_HTTP: Final[_Broken] = _EVERY | {("MCP037", "batch"), ("MCP037", "bad-utf-8")}
_NODE_1: Final[_Broken] = frozenset({("MCP049", "result"), ("MCP099", "error"), ("MCP113", "draft-07")})
_SINCE_1_25: Final[_Broken] = frozenset({("MCP036", "")})
"""The rules that later versions of `@modelcontextprotocol/sdk` 1 break, and 1.25 to 1.29 do not."""
_ZOD_3: Final[_Broken] = frozenset({("MCP055", "")})
_FASTMCP: Final[dict[str, _Broken]] = {
    "fastmcp 2": frozenset({("MCP101", "failure")}),
    "fastmcp 3": frozenset({("MCP099", "failure")}),
}
_OVER_STDIO: Final[dict[str, _Broken]] = {
    "mcp 1": _PYTHON_OVER_STDIO | _PYTHON_1 | _NO_BATCHES | {("MCP026", "notifications/message")},
    "mcp 2": _PYTHON_OVER_STDIO | {("EXC002", "no-descriptors")},
    **_FASTMCP,
    "@modelcontextprotocol/sdk 1": _NODE_OVER_STDIO | _NODE_1 | _NO_BATCHES,
    "@modelcontextprotocol/server 2": _NODE_OVER_STDIO | {("MCP038", "served")},
    "zod 3": _ZOD_3,
    _BUNDLED_1: (_NODE_OVER_STDIO | _NODE_1 | _NO_BATCHES) - _SINCE_1_25,
    _BUNDLED_2: _NODE_OVER_STDIO | {("MCP038", "served")},
}
"""By name and major version: the code of a rule, and the cause of the finding."""
_OVER_HTTP: Final[dict[str, _Broken]] = {
    "mcp 1": _EVERY | _PYTHON | _PYTHON_1,
    "mcp 2": _EVERY | _PYTHON,
    **_FASTMCP,
    "@modelcontextprotocol/sdk 1": _NODE_OVER_HTTP | _NODE_1,
    "@modelcontextprotocol/server 2": _NODE_OVER_HTTP,
    "zod 3": _ZOD_3,
    _BUNDLED_1: _NODE_OVER_HTTP | _NODE_1,
    _BUNDLED_2: _NODE_OVER_HTTP,
}
"""The same over HTTP, where an SDK refuses by a status what it passes over in silence over stdio."""


@lru_cache
def used(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The SDKs beside a server's program or script, each as `NAME VERSION`, but for those that it certainly does not import.

    `zod VERSION` is among them where the SDK for Node.js converts its schemas. Where there is none, one may be bundled into a source.

    Args:
        command: what starts the server.
        folder: where it starts.
    """
    if not command:
        return ()
    python = tuple(_of_python(Path(command[0])))
    if python and python_imports(command, folder, _DISTRIBUTIONS) is False:
        python = ()
    node = [
        f"{package} {version}"
        for package, version in _of_node(command, folder)
        if node_imports(command, folder, frozenset({package})) is not False
    ]
    schemas = _of_zod(command, folder) if any(sdk.startswith(f"{_CONVERTS} 1.") for sdk in node) else ()
    return tuple(sorted({*python, *node, *schemas})) or _bundled(command, folder)


def breaker(
    sdks: Sequence[str], rule: str, cause: str, *, over_http: bool = False, over_sse: bool = False
) -> str:
    """The one of some SDKs that breaks a rule by itself in this way; empty where none is known to. HTTP with SSE is HTTP, too."""
    known = _OVER_HTTP if over_http else _OVER_STDIO
    for_a_time = {} if over_http else _PYTHON_FOR_A_TIME
    if over_sse:
        for_a_time = {**_PYTHON_FOR_A_TIME, **_PYTHON_FOR_A_TIME_OVER_SSE}
    broken = (rule, cause)
    is_broken = (
        broken in known.get(_major(sdk), ()) or broken in _for_a_time(sdk, for_a_time) for sdk in sdks
    )
    return next((sdk for sdk, is_its in zip(sdks, is_broken, strict=True) if is_its), "")


def refuses_surrogates(sdks: Sequence[str]) -> str:
    """The one of some SDKs that takes no request with half of a character, on any transport; empty where none is known to."""
    return next((sdk for sdk in sdks if sdk.rpartition(" ")[0] in _DISTRIBUTIONS), "")


def _for_a_time(sdk: str, known: Mapping[tuple[int, int], _Broken]) -> Iterator[tuple[str, str]]:
    """What a version of `mcp` 1 breaks, and later ones do not."""
    match = _MINOR.fullmatch(sdk)
    for (first, last), broken in known.items():
        if match and first <= int(match[1]) <= last:
            yield from broken


def _major(sdk: str) -> str:
    name, _, version = sdk.rpartition(" ")
    return sdk if sdk.endswith(_UNKNOWN) else f"{name} {version.partition('.')[0]}"


def _of_python(program: Path) -> Iterator[str]:
    """The SDKs in the virtual environment of the program."""
    for record in program.parent.parent.glob("lib/python*/site-packages/*mcp-*.dist-info"):
        if match := _RECORD.fullmatch(record.name):
            yield f"{match['name'].lower()} {match['version']}"


def _bundled(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The SDK for Node.js whose code is in a source that a program of Node.js loads."""
    if Path(command[0]).name != "node":
        return ()
    for text in node_sources(command, folder):
        if all(piece.search(text) for piece in _PROTOCOL):
            return tuple(sdk for sdk, piece in _OF_ONE.items() if piece.search(text))
    return ()


def _of_zod(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The zod 3 whose schemas the SDK converts for the server; none where its source does not show that it is zod 3.

    Packages of both versions offer the other one as `zod/v3` and `zod/v4`.
    """
    names = node_specifiers(command, folder)
    installed = next(_nearest(command, folder, "zod"), "")
    is_three = "zod/v3" in names or ("zod" in names and installed.startswith("3."))
    is_four = any(name.startswith(("zod/v4", "zod/mini")) for name in names)
    if not is_three or is_four or not any(name.startswith(f"{_CONVERTS}/server/mcp") for name in names):
        return ()
    return (f"zod {installed if installed.startswith('3.') else 3}",)


def _of_node(command: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Name and version of those in the nearest `node_modules` of each file that the command names."""
    for package in _PACKAGES:
        yield from ((package, version) for version in _nearest(command, folder, package))


def _nearest(command: Sequence[str], folder: Path, package: str) -> Iterator[str]:
    """The version of a package in the nearest `node_modules` of a file that the command names; nothing where there is none."""
    words = [folder / word for word in command[1:]]
    files = [file for file in words if str(file) in command or os.path.isfile(file)]  # noqa: PTH113 - no error
    folders = {parent for file in files for parent in file.parents}
    places = (parent / "node_modules" / package for parent in sorted(folders, reverse=True))
    yield from islice(filter(None, (_version(place / "package.json") for place in places)), 1)


def _version(path: Path) -> str:
    try:
        manifest: Any = json.loads(read_bounded(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return ""
    version = manifest.get("version") if isinstance(manifest, dict) else None
    return version if isinstance(version, str) and len(version) < len("1000.1000.1000-beta.1000") else ""
