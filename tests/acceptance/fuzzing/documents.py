"""Valid documents of each kind, made by the suite itself where it makes them."""

import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model import Call, Declaration, LogRecord, Outcome, Raised
from aptix_conformance.core.model.baseline import FORMAT
from aptix_conformance.core.model.codec import to_json
from aptix_conformance.examine import applicable_rules
from aptix_conformance.present.reports import json_report, make_report
from aptix_conformance.present.reports.journal import Journal
from aptix_conformance.present.reports.renderers import render
from aptix_conformance.rules import Rule

_ROOT: Final = Path(__file__).parents[3]
_FIXTURES: Final = _ROOT / "fixtures"


@cache
def examined() -> tuple[bytes, tuple[Rule, ...], Declaration, tuple[Call, ...]]:
    """A report on a nonconforming tool, with the rules, declaration and calls of a conforming one."""
    tools = ("greeting", "nonconforming.ARG002_loads_outside_try")
    options = RunOptions(
        tools=tools, examples=3, sys_path=(str(_FIXTURES), str(_FIXTURES / "conforming"), *sys.path)
    )
    with Run.open(_FIXTURES, options) as run:
        found = run.list_tools().all_found()
        seen = [(tool, run.examine(tool)) for tool in found]
        report = run.report(run.reports.tool_report(tool, examination) for tool, examination in seen[1:])
    exploration = seen[0][1].exploration
    rules = tuple(found.rule for found in applicable_rules(seen[0][0].suite, exploration.declarations[0]))
    return json_report.render(report).encode(), rules, exploration.declarations[0], exploration.calls


def reports() -> tuple[bytes, ...]:
    """A report of each format."""
    return (examined()[0],)


def locks() -> tuple[bytes, ...]:
    """The locks of this project."""
    return tuple(path.read_bytes() for path in sorted((_ROOT / "snapshots").glob("*.json")))


def journals() -> tuple[bytes, ...]:
    """The journal of a run that was killed after a tool."""
    report = json_report.report_of(json.loads(examined()[0]), "$")
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder, "report.json"))
        journal.begin(make_report((), report.suite, report.run, report.revision))
        journal.add(report.tools[0])
        journal.close()
        return (journal.path.read_bytes(),)


@cache
def in_lines() -> tuple[bytes, bytes]:
    """The same report as JSON lines: that of its tool, and the index."""
    text = render("jsonl", json_report.report_of(json.loads(examined()[0]), "$")).encode()
    line, end, index = text.partition(b"\n")
    return line + end, index


def indexes() -> tuple[bytes, ...]:
    """The index of JSON lines."""
    return (in_lines()[1],)


def baselines() -> tuple[bytes, ...]:
    """A baseline of two findings."""
    entry = {"target": "w:Tool", "edition": "aptix-tul-011", "rule": "SCH003", "cause": "", "reason": "old"}
    entries = [entry, {**entry, "rule": "ARG002", "cause": "a1"}]
    return (json.dumps({"format": FORMAT, "examples": 2, "entries": entries}).encode(),)


def recordings() -> tuple[bytes, ...]:
    """The recordings of the fixtures."""
    return tuple(path.read_bytes() for path in sorted(_FIXTURES.glob("*/testdata/*.yaml")))


def schemas() -> tuple[bytes, ...]:
    """Function schemas, the first of a plain tool."""
    found = [json.loads(lock)["schema"] for lock in locks()]
    found.append(
        {
            "name": "rich",
            "parameters": {
                "type": "object",
                "properties": {
                    "when": {"type": "string", "format": "date", "pattern": "^[0-9-]+$", "maxLength": 10},
                    "how": {
                        "anyOf": [
                            {"type": "integer", "minimum": 0},
                            {"const": "all"},
                            {"$ref": "#/$defs/node"},
                        ]
                    },
                    "list": {
                        "type": "array",
                        "items": {"enum": [1, "a", None]},
                        "uniqueItems": True,
                        "maxItems": 9,
                    },
                },
                "required": ["when"],
                "additionalProperties": False,
                "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
            },
        }
    )
    return tuple(json.dumps(schema).encode() for schema in (*found, *_bombs()))


def _bombs() -> tuple[dict[str, Any], ...]:
    """Small schemas that are very large where their alternatives or their references are written out."""
    choices = [
        {"anyOf": [{"properties": {f"a{n}": {"type": "string"}}}, {"required": [f"b{n}"]}]} for n in range(16)
    ]
    doubled = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(30)
    }
    return (
        {"name": "choices", "parameters": {"type": "object", "allOf": choices}},
        {"name": "doubled", "parameters": {"$ref": "#/$defs/d0", "$defs": {**doubled, "d30": {}}}},
    )


def configurations() -> tuple[bytes, ...]:
    """The configurations of this project and of its fixtures, and one with every kind of value."""
    project = (_ROOT / "pyproject.toml").read_bytes()
    table = project[project.index(b"[tool.aptix-conformance]") :]
    fixtures = (_FIXTURES / "pyproject.toml").read_bytes()
    # A folder that exists wherever the configuration is.
    return (table[: table.index(b"[tool.pytest")], re.sub(rb'files = "[^"]*"', b'files = "."', fixtures))


def specs() -> tuple[bytes, ...]:
    """A spec of each spelling."""
    return (
        b"my_pkg.tools:WeatherTool",
        b"my_pkg.tools",
        b"aptix:host:MyTool",
        b"amplifier:tool-notes#notes",
        b"art:./tools/weather.mjs#WeatherTool",
        b"host:./my-host --flag#tool",
    )


def host_answers() -> tuple[bytes, ...]:
    """Lines that a host sends: a declaration, results of calls, events."""
    _, _, declaration, calls = examined()
    returned = next(call for call in calls if call.outcome is Outcome.RETURNED)
    plain = _fields(msgspec.structs.asdict(declaration), "facts", "traits")
    assert returned.result is not None
    result = _fields(msgspec.structs.asdict(returned.result), "facts")
    answer = {"outcome": "returned", "result": result, "token_consultations": 1, "incident": None}
    raised = {"outcome": "raised", "raised": to_json(Raised("ValueError", "x", "Traceback …"))}
    record = to_json(LogRecord("add_error", "[Tag]", "text", pairs=(("key", "value"),)))
    event = {"jsonrpc": "2.0", "method": "log", "params": {"record": record}}
    return (
        _answer({"system": declaration.traits.name, **plain}),
        _answer(answer),
        _answer(raised),
        json.dumps(event).encode(),
    )


def _answer(result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()


def _fields(members: dict[str, Any], *but: str) -> dict[str, Any]:
    return {key: to_json(value) for key, value in members.items() if key not in but}
