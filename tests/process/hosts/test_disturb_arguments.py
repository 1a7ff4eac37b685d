"""What a tool asks for in its arguments, for every way in which tools take them apart."""

import importlib.util
import json
import textwrap

import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules import reading as rules
from aptix_conformance.runners.python.disturb.arguments import parsers
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.probes import ReadingProbe, Subject, ValidProbe
from aptix_conformance.stimuli.probes import reading as reading_probe
from aptix_conformance.targets.settings import ToolSettings

CITY = {"type": "string", "description": "The city."}
DAYS = {"type": "integer", "minimum": 1, "maximum": 7, "description": "How many days."}
FILTERS = {
    "type": "object",
    "description": "What to leave out.",
    "properties": {"wind": {"type": "boolean", "description": "Wind."}, "rain": {"type": "boolean"}},
}
PROPERTIES = {"city": CITY, "days": DAYS, "filters": FILTERS}

HEADER = """
import asyncio, dataclasses, json, types, typing
from typing import Any, NamedTuple, TypedDict
from aptix_harness import InvokeResult
"""
EXECUTE = """
try:
    return InvokeResult.create(json.dumps(use(arguments_json)))
except Exception as error:
    return InvokeResult.from_error("refused")
"""

# Each reads city, days, filters.wind and filters.rain, and nothing else.
STYLES = {
    "get": """
def use(text):
    given = json.loads(text)
    filters = given.get("filters") or {}
    return [str(given.get("city")), given.get("days", 3), filters.get("wind"), filters.get("rain")]
""",
    "imported names": """
from json import loads
def use(text):
    given = loads(text.encode())
    given.setdefault("days", 3), given.pop("city", None)
    filters = given["filters"] if "filters" in given else {}
    return [filters.get(name) for name in ("wind", "rain")]
""",
    "match": """
def use(text):
    match json.loads(text):
        case {"city": str(city), "days": int(days), "filters": {"wind": wind, "rain": rain}}:
            return [city, days, wind, rain]
        case {"city": str(city)}:
            return [city]
    return []
""",
    "typed dict": """
class Filters(TypedDict, total=False):
    wind: bool
    rain: bool
class Arguments(TypedDict, total=False):
    city: str
    days: int
    filters: Filters
def use(text):
    given: Arguments = json.loads(text)
    filters = given.get("filters", {})
    return [given.get("city"), given.get("days"), filters.get("wind"), filters.get("rain")]
""",
    "dataclass by name": """
@dataclasses.dataclass
class Arguments:
    city: str = ""
    days: int = 3
    filters: Any = None
def use(text):
    given = json.loads(text)
    made = Arguments(**{f.name: given[f.name] for f in dataclasses.fields(Arguments) if f.name in given})
    return [made.city, made.days, *((made.filters or {}).get(name) for name in ("wind", "rain"))]
""",
    "dataclass by stars": """
@dataclasses.dataclass
class Arguments:
    city: str = ""
    days: int = 3
    filters: Any = None
def use(text):
    made = Arguments(**json.loads(text))
    return [made.city, made.days, *((made.filters or {}).get(name) for name in ("wind", "rain"))]
""",
    "named tuple": """
class Arguments(NamedTuple):
    city: str = ""
    days: int = 3
    filters: Any = None
def use(text):
    given = json.loads(text)
    made = Arguments(**given)
    return [made.city, made.days, *((made.filters or {}).get(name) for name in ("wind", "rain"))]
""",
    "pydantic json": """
import pydantic
class Filters(pydantic.BaseModel):
    wind: bool | None = None
    rain: bool | None = None
class Arguments(pydantic.BaseModel):
    city: str = ""
    number: int = pydantic.Field(3, alias="days")
    filters: Filters | None = None
def use(text):
    return Arguments.model_validate_json(text).model_dump()
""",
    "pydantic other names": """
import pydantic
class Arguments(pydantic.BaseModel):
    city: str = pydantic.Field("", validation_alias=pydantic.AliasChoices("city", "town"))
    days: int = 3
    filters: dict[str, bool] | None = None
def use(text):
    return Arguments.model_validate_json(text).model_dump()
""",
    "pydantic dict": """
import pydantic
class Filters(pydantic.BaseModel):
    wind: bool | None = None
    rain: bool | None = None
class Arguments(pydantic.BaseModel):
    model_config = {"extra": "forbid"}
    city: str = pydantic.Field("", validation_alias=pydantic.AliasChoices("city", "town"))
    days: int = 3
    filters: typing.Optional[Filters] = None
def use(text):
    return Arguments.model_validate(json.loads(text)).model_dump()
""",
    "pydantic stars": """
import pydantic
class Arguments(pydantic.BaseModel):
    city: str = ""
    days: int = 3
    filters: dict[str, bool] | None = None
def use(text):
    return Arguments(**json.loads(text)).model_dump()
""",
    "pydantic adapter": """
import pydantic
@dataclasses.dataclass
class Filters:
    wind: bool | None = None
    rain: bool | None = None
@dataclasses.dataclass
class Arguments:
    city: str = ""
    days: int = 3
    filters: Filters | None = None
ADAPTER = pydantic.TypeAdapter(Arguments)
def use(text):
    return dataclasses.asdict(ADAPTER.validate_json(text))
""",
    "msgspec": """
import msgspec
class Filters(msgspec.Struct):
    wind: bool | None = None
    rain: bool | None = None
class Arguments(msgspec.Struct, rename={"number": "days"}):
    city: str = ""
    number: int = 3
    filters: Filters | None = None
def use(text):
    return msgspec.to_builtins(msgspec.json.decode(text, type=Arguments))
""",
    "msgspec decoder": """
import msgspec
class Filters(msgspec.Struct):
    wind: bool | None = None
    rain: bool | None = None
class Arguments(msgspec.Struct):
    city: str = ""
    days: int = 3
    filters: Filters | None = None
DECODER = msgspec.json.Decoder(Arguments)
def use(text):
    return msgspec.to_builtins(DECODER.decode(text))
""",
    "attrs": """
import attrs
@attrs.define
class Arguments:
    city: str = ""
    days: int = 3
    filters: Any = None
def use(text):
    return attrs.asdict(Arguments(**json.loads(text)))
""",
}

# Nothing can be said of what these read, or nothing is wrong with it.
UNTOLD = {
    "looks over all keys": """
def use(text):
    given = json.loads(text)
    if set(given) - {"city", "days", "filters"}:
        raise ValueError("unknown")
    return [given[key] for key in given]
""",
    "hands it on": """
def use(text):
    given = json.loads(text)
    return {"city": given.get("city"), "sent": json.dumps(given)}
""",
    "hands it on in C": """
import msgspec
def use(text):
    given = json.loads(text)
    return {"city": given.get("city"), "sent": msgspec.json.encode(given).decode()}
""",
    "reads the text otherwise": """
import re
def use(text):
    given = json.loads(text)
    return {"city": given.get("city"), "text": "".join(re.findall("[a-z0-9-]+", text))}
""",
    "reads some in a branch": """
def use(text):
    given = json.loads(text)
    if given.get("city") == "Oslo":
        return [given.get("days"), given.get("filters")]
    return [given.get("city")]
""",
    "refuses an old name": """
def use(text):
    given = json.loads(text)
    if given.get("town") is not None or "place" in given:
        raise ValueError("it is called city")
    filters = given.get("filters") or {}
    return [given.get("city"), given.get("days"), filters.get("wind"), filters.get("rain")]
""",
    "knows other spellings": """
def use(text):
    given = json.loads(text)
    filters = given.get("filters") or given.get("Filters") or {}
    return [given.get("city", given.get("CITY")), given.get("days"), filters.get("wind"), filters.get("rain")]
""",
    "ignores it all": """
def use(text):
    return []
""",
    "a model that sees the whole first": """
import pydantic
class Arguments(pydantic.BaseModel):
    city: str = ""
    @pydantic.model_validator(mode="before")
    @classmethod
    def early(cls, given):
        return {"city": str(given)}
def use(text):
    return Arguments.model_validate_json(text).model_dump()
""",
}

# What each takes that is not declared, once `days` is taken out of the schema.
NAMED = ["get", "imported names", "typed dict", "dataclass by name", "dataclass by stars", "named tuple"]
TAKES_DAYS = [
    *NAMED,
    "pydantic json",
    "pydantic other names",
    "pydantic dict",
    "pydantic stars",
    "pydantic adapter",
    "msgspec",
    "msgspec decoder",
    "attrs",
]


def schema(**properties):
    parameters = {"type": "object", "properties": properties, "required": []}
    return {"type": "function", "name": "agent_tool", "description": "A tool.", "parameters": parameters}


@pytest.fixture(scope="module")
def explored(module_bench):
    """Makes a tool of a way to take arguments apart and a schema, and explores it by two probes."""
    bench = module_bench()

    def run(source, properties):
        for library in ("pydantic", "msgspec", "attrs"):
            if f"import {library}" in source and importlib.util.find_spec(library) is None:
                pytest.skip(f"{library} is not installed")
        constant = f"SCHEMA = {json.dumps(schema(**properties))!r}\n"
        module = bench.add(
            HEADER + constant + textwrap.dedent(source) + bench.tool("Tool", EXECUTE, "json.loads(SCHEMA)")
        )
        host = bench.open(f"{module}:Tool")
        declaration = host.describe()
        usable, reason = usable_schema(declaration)
        assert reason is None
        subject = Subject(declaration, usable, ToolSettings(), 1, 10, host.disturbances)
        seen = []
        for probe in (ValidProbe(), ReadingProbe()):
            for plan in probe.fixed(subject, seen):
                seen.append(host.execute(plan))  # noqa: PERF401 - what comes next depends on it
        return Exploration((declaration,), tuple(seen))

    return run


def findings(exploration):
    """The messages of both rules, None where one keeps or is not examined."""
    pair = (rules.every_argument_that_is_read_is_declared, rules.every_argument_that_is_declared_is_read)
    found = [rule.check(exploration) if rule.when(exploration) else None for rule in pair]
    return tuple(finding and finding.message for finding in found)


def test_the_mark_is_the_same_on_both_sides():
    assert parsers.MARK == reading_probe.MARK


@pytest.mark.parametrize("style", STYLES)
def test_a_tool_that_reads_what_it_declares_keeps_both_rules(explored, style):
    exploration = explored(STYLES[style], PROPERTIES)
    assert reading_probe.watched(exploration.calls)
    assert findings(exploration) == (None, None)


@pytest.mark.clause("AGN-005.7.2", "AGN-005.12.2")
@pytest.mark.parametrize("style", TAKES_DAYS)
def test_an_argument_that_is_not_declared_is_found_whatever_it_is_read_by(explored, style):
    properties = {name: node for name, node in PROPERTIES.items() if name != "days"}
    undeclared, unread = findings(explored(STYLES[style], properties))
    assert undeclared is not None
    assert "'days'" in undeclared
    assert unread is None


@pytest.mark.parametrize("style", ["get", "imported names", "typed dict", "pydantic json", "msgspec"])
def test_a_nested_argument_that_is_not_declared_is_found_by_its_path(explored, style):
    inner = {**FILTERS, "properties": {"wind": FILTERS["properties"]["wind"]}}
    undeclared, _ = findings(explored(STYLES[style], {**PROPERTIES, "filters": inner}))
    assert undeclared is not None
    assert "'filters.rain'" in undeclared


@pytest.mark.clause("AGN-005.12.2")
@pytest.mark.parametrize("style", [name for name in STYLES if name != "pydantic dict"])
def test_an_argument_that_nothing_reads_is_found_unless_the_tool_refuses_it(explored, style):
    _, unread = findings(explored(STYLES[style], {**PROPERTIES, "unit": {"type": "string"}}))
    refuses = style in ("dataclass by stars", "named tuple", "attrs", "pydantic stars")
    assert (unread is not None and "'unit'" in unread) is not refuses


@pytest.mark.parametrize("style", ["get", "typed dict", "pydantic json", "msgspec"])
def test_a_nested_argument_that_nothing_reads_is_found_by_its_path(explored, style):
    inner = {**FILTERS, "properties": {**FILTERS["properties"], "snow": {"type": "boolean"}}}
    _, unread = findings(explored(STYLES[style], {**PROPERTIES, "filters": inner}))
    assert unread is not None
    assert "'filters.snow'" in unread


@pytest.mark.parametrize("case", UNTOLD)
def test_what_cannot_be_told_is_no_finding(explored, case):
    properties = {**PROPERTIES, "unit": {"type": "string"}}
    if case in ("reads some in a branch", "refuses an old name", "knows other spellings"):
        properties = PROPERTIES
    assert findings(explored(UNTOLD[case], properties)) == (None, None)


def test_an_open_object_declares_whatever_is_in_it(explored):
    properties = {**PROPERTIES, "filters": {"type": "object", "additionalProperties": {"type": "boolean"}}}
    assert findings(explored(STYLES["get"], properties)) == (None, None)


def test_the_call_itself_is_as_it_would_be_without_anybody_looking(module_bench):
    """Types, order and equality of what is parsed; and no parser stays changed."""
    body = """
    given = json.loads(arguments_json)
    same = given == {"b": [1, {"c": 2}], "a": None} and list(given) == ["b", "a"] and isinstance(given, dict)
    again = json.loads(json.dumps(given)) == given and {**given} == dict(given) == given.copy() == given | {}
    return InvokeResult.create(json.dumps([same, again, len(given), type(json.loads("{}")) is dict]))
    """
    bench = module_bench()
    bench.write("whole", bench.tool("Whole", body))
    host = bench.open("whole:Whole")
    text = reading_probe.MARK + '"b": [1, {"c": 2}], "a": null}'
    call = host.execute(stimulus("test", "generated", text, None, disturbance=read_disturbance("arguments:")))
    assert json.loads(call.result.payload) == [True, True, 2, True]
    assert call.disturbed.reading.whole
    plain = host.execute(stimulus("test", "generated", text, None))
    assert (plain.disturbed, plain.result.payload) == (None, call.result.payload)
