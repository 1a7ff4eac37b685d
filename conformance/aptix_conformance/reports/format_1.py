"""The frozen reader of reports of the format `aptix-conformance-report/1`; newer members stay empty."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import jsonschema

from aptix_conformance.errors import RecordError
from aptix_conformance.model.codec import Record, from_json, to_json
from aptix_conformance.model.labels import read_label
from aptix_conformance.model.notation import NOTHING, read_disturbance
from aptix_conformance.model.report import (
    DeclaredReport,
    ExaminedReport,
    Report,
    RunReport,
    ShortfallReport,
    SuiteReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.reports.totals import make_report

FORMAT: Final = "aptix-conformance-report/1"


def read(data: Any) -> Report:
    """Convert a report of format 1, as `json.loads` gives it, to the current model.

    Raises:
        RecordError: it does not match the JSON Schema of format 1; the text begins with the JSON path.
    """
    problem = next(iter(sorted(_validator().iter_errors(data), key=lambda error: error.json_path)), None)
    if problem is not None:
        raise RecordError(f"{problem.json_path}: {problem.message[:200]}")
    tools = [_tool(tool, f"$.tools[{index}]") for index, tool in enumerate(data["tools"])]
    suite = from_json(SuiteReport, _known(SuiteReport, data["suite"]), "$.suite")
    return make_report(tools, suite, from_json(RunReport, _known(RunReport, data["run"]), "$.run"))


def _tool(data: Any, where: str) -> ToolReport:
    verdicts = enumerate(data["verdicts"])
    return ToolReport(
        tool=data["tool"],
        target=data["target"],
        system=data["system"],
        edition=data["edition"],
        status=data["status"],
        schema_fingerprint=data["schema_fingerprint"],
        calls=data["calls"],
        seconds=float(data["seconds"]),
        shortfalls=tuple(_shortfall(shortfall) for shortfall in data["shortfalls"]),
        verdicts=tuple(_verdict(verdict, f"{where}.verdicts[{index}]") for index, verdict in verdicts),
        declared=_optional(DeclaredReport, data, "declared", where),
        examined=_optional(ExaminedReport, data, "examined", where),
        error=data.get("error"),
    )


def _verdict(data: Any, where: str) -> VerdictReport:
    finding = data["finding"]
    if finding is not None:
        plans = enumerate(finding["history"])
        history = [_plan(plan, f"{where}.finding.history[{index}]") for index, plan in plans]
        call = None if finding["call"] is None else _call(finding["call"], f"{where}.finding.call")
        finding = {**finding, "call": call, "history": history}
    return from_json(VerdictReport, {**data, "finding": finding}, where)


def _call(data: Any, where: str) -> Any:
    """A call of the current format: the result's member `art` is now `facts`, for every system."""
    result = data.get("result")
    if isinstance(result, dict) and "art" in result:
        result = {name: value for name, value in result.items() if name != "art"} | {"facts": result["art"]}
    label = data["plan"]["label"]
    return {**data, "plan": _plan(data["plan"], f"{where}.plan"), "label": label, "result": result}


class _Plan(Record, frozen=True):
    """A plan of format 1: the change and the disturbance are texts (`label`, `disturbance`)."""

    probe: str
    label: str
    arguments: str | None
    context: Mapping[str, Any] | None
    demand: Literal["refused", "accepted", "either"] = "either"
    disturbance: str = NOTHING
    expected: str | None = None


def _plan(data: Any, where: str) -> Any:
    found = from_json(_Plan, data, where)
    disturbance = read_disturbance(found.disturbance)
    known = {name: value for name, value in data.items() if name != "label"}
    change = read_label(found.label, disturbance)
    return {**known, "change": to_json(change), "disturbance": to_json(disturbance)}


def _shortfall(data: Any) -> ShortfallReport:
    return ShortfallReport(data["probe"], data["reason"], data["thinner"], data.get("by_nature", False))


def _optional(record: Any, data: Any, name: str, where: str) -> Any:
    return from_json(record, data[name], f"{where}.{name}") if name in data else None


def _known(record: Any, data: Any) -> dict[str, Any]:
    """The members that a record knows, of an object that may have others."""
    return {name: data[name] for name in record.__struct_fields__ if name in data}


@cache
def _validator() -> jsonschema.Draft202012Validator:
    text = resources.files(__package__).joinpath("format-1.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
