"""How a class declares itself is read off the class, whatever it would say if it were asked."""

import json

import pytest

from aptix_conformance.core.errors import TargetError

ODD = """
from __future__ import annotations
import json, os, sys, time, functools, types
from collections.abc import Mapping
from typing import Final
from aptix_harness import AgentTool, InvokeResult

class Text(str):
    def __str__(self): raise ValueError
    __repr__ = __str__

class Descriptor:
    def __get__(self, *_): return "described"

class Meta(type):
    @property
    def TOOL_NAME(cls): return "meta"

class Asked(type):
    def __getattr__(cls, name):
        if name == "TOOL_NAME": return "asked"
        raise AttributeError(name)

class Lies(type):
    def __getattribute__(cls, name):
        return "lie" if name == "TOOL_NAME" else super().__getattribute__(name)

class Plain: TOOL_NAME: Final = "plain\\ud800"
class Inherited(Plain): execute = None
class Number: TOOL_NAME = 3
class Subclass: TOOL_NAME = Text("sub")
class Property:
    @property
    def TOOL_NAME(self): return "x"
class Described: TOOL_NAME = Descriptor()
class Annotated:
    TOOL_NAME: str
    def execute(self): ...
class Instance:
    def __init__(self): self.TOOL_NAME = "instance"
    def execute(self): ...
class ByMeta(metaclass=Meta):
    def execute(self): ...
class ByAsking(metaclass=Asked):
    def execute(self): ...
class ByLying(metaclass=Lies):
    TOOL_NAME = "truth"
class Missing(AgentTool):
    async def execute(self, *_): ...
"""


@pytest.fixture(scope="module")
def odd(module_bench):
    bench = module_bench()
    (bench.place / "odd.py").write_text(ODD)
    return bench


@pytest.mark.parametrize(
    ("name", "kind", "value", "type_name"),
    [
        ("Plain", "plain", "plain\ud800", "str"),
        ("Inherited", "plain", "plain\ud800", "str"),
        ("Number", "plain", None, "int"),
        ("Subclass", "plain", "sub", "Text"),
        ("Property", "property", None, "NoneType"),
        ("Described", "descriptor", None, "NoneType"),
        ("Annotated", "annotation", None, ""),
        ("Instance", "instance", "instance", "str"),
        ("ByMeta", "metaclass", "meta", "str"),
        ("ByAsking", "metaclass", "asked", "str"),
        ("ByLying", "metaclass", "lie", "str"),
        ("Missing", "missing", None, ""),
    ],
)
def test_a_constant_is_told_from_what_only_looks_like_one(odd, name, kind, value, type_name):
    constant = odd.open(f"odd:{name}").describe().tool_name
    assert (constant.kind, constant.value) == (kind, value)
    if kind not in ("property", "descriptor"):
        assert constant.type_name == type_name
    assert constant.inherited_from == ("Plain" if name == "Inherited" else None)


def test_what_a_protocol_declares_is_not_taken_for_the_tools_own(odd):
    declared = odd.open("odd:Missing").describe()
    assert [declared.name.kind, declared.get_schema.kind, declared.schema.outcome] == [
        "missing",
        "missing",
        "not_callable",
    ]


def test_members_are_described_with_kind_parameters_and_value(bench):
    bench.write("tools", bench.tool("Good", "return InvokeResult.create('1')"))
    declared = bench.open("tools:Good").describe()
    assert (declared.class_name, declared.module, declared.when) == ("Good", "tools", "start")
    assert (declared.name.kind, declared.name.value, declared.name.value_type) == ("property", "good", "str")
    assert declared.is_tool_fully_executed_on_server.value is True
    assert (declared.execute.kind, declared.execute.is_async) == ("method", True)
    assert [p.name for p in declared.execute.parameters] == [
        "arguments_json",
        "context",
        "cancellation_token",
    ]
    assert declared.get_schema.kind == "static_method"
    assert declared.usage_text.value == "Use it in tests."
    assert declared.source == "tools.py:4"
    assert declared.construction_error is None


def test_what_a_property_raises_is_its_error(bench):
    source = (
        bench.tool("Bad", "pass")
        .replace("return self.TOOL_NAME", "sys.exit('no')")
        .replace("True", "10 ** 9999")
    )
    bench.write("tools", source)
    declared = bench.open("tools:Bad").describe()
    assert declared.name.error == "SystemExit: no"
    assert (
        declared.is_tool_fully_executed_on_server.value,
        declared.is_tool_fully_executed_on_server.value_type,
    ) == (
        None,
        "int",
    )


@pytest.mark.parametrize(
    ("method", "outcome", "told"),
    [
        (
            "@staticmethod\n    def get_schema(): return {'z': 1, 'a': ['\\ud800']}",
            "returned",
            '{"z": 1, "a": ["\\ud800"]}',
        ),
        (
            "@classmethod\n    def get_schema(cls): return types.MappingProxyType({'a': 1})",
            "returned",
            '{"a": 1}',
        ),
        ("def get_schema(): return []", "returned", "[]"),
        ("def get_schema(self): return {}", "not_callable", "get_schema needs self"),
        ("@staticmethod\n    async def get_schema(): return {}", "not_callable", "get_schema is async"),
        ("@staticmethod\n    def get_schema(a, b): return {}", "not_callable", "get_schema needs a, b"),
        ("get_schema = {}", "not_callable", "get_schema is a dict, not a method"),
        ("@staticmethod\n    def get_schema(): sys.exit(3)", "raised", "SystemExit: 3"),
        (
            "@staticmethod\n    def get_schema(): return {'a': {1}}",
            "not_json",
            "TypeError: a set has no JSON form",
        ),
        ("@staticmethod\n    def get_schema(): return {'a': float('nan')}", "not_json", "ValueError"),
        (
            "@staticmethod\n    def get_schema():\n        a = {}\n        a['a'] = a\n        return a",
            "not_json",
            "ValueError",
        ),
    ],
)
def test_a_schema_is_read_as_emitted_or_it_is_said_why_not(odd, method, outcome, told):
    module = odd.add(f"import sys, types\nclass Tool:\n    TOOL_NAME = 'x'\n    {method}\n")
    declared = odd.open(f"{module}:Tool").describe()
    assert declared.schema == declared.schema_again
    assert declared.schema.outcome == outcome
    assert told in (declared.schema.text if outcome == "returned" else declared.schema.error)


def test_two_readings_of_a_schema_are_kept_apart(bench):
    bench.write(
        "tools",
        "import itertools\nclass Tool:\n    n = itertools.count()\n    TOOL_NAME = 'x'\n"
        "    @classmethod\n    def get_schema(cls): return {'n': next(cls.n)}\n",
    )
    declared = bench.open("tools:Tool").describe()
    assert [json.loads(reading.text)["n"] for reading in (declared.schema, declared.schema_again)] == [0, 1]


def test_arguments_classes_are_found_by_their_names_in_the_tools_own_code(bench):
    helpers = """
class _Args: ...
class PublicArguments: ...
class UnusedArgs: ...
class InvalidArguments(Exception): ...
def read(text): return PublicArguments()
"""
    body = "_Args(); self.InnerArgs; read(arguments_json)\ntry: pass\nexcept InvalidArguments: pass"
    source = bench.tool("Good", body) + "    class InnerArgs: ...\n"
    bench.write("tools", helpers + source)
    found = bench.open("tools:Good").describe().arguments_classes
    assert [(c.name, c.public) for c in found] == [
        ("Good.InnerArgs", True),
        ("PublicArguments", True),
        ("_Args", False),
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [("while True: pass", "no answer within 0.3 s"), ("os._exit(3)", "exit status 3")],
)
def test_a_process_that_ends_while_it_is_read_is_an_error_of_the_target(bench, body, told):
    bench.write(
        "tools",
        f"class Tool:\n    TOOL_NAME = 'x'\n    @staticmethod\n    def get_schema():\n        {body}\n",
    )
    host = bench.open("tools:Tool", timeout=0.3)
    for _ in range(2):
        with pytest.raises(TargetError, match=f"tools:Tool: reading its declaration did not work: {told}"):
            host.describe()


@pytest.mark.parametrize("future", [True, False])
@pytest.mark.parametrize(
    ("parameter", "given"),
    [
        ("logger", True),
        ("admin_logger", True),
        ("audit_logger=None", True),
        ("log: AdminLogger", True),
        ("log: AdminLogger | None = None", True),
        ("log: logging.Logger", False),
        ("log: LoggerFactory", False),
        ("*logger", False),
    ],
)
def test_the_logger_goes_to_the_parameter_named_or_annotated_so(odd, parameter, given, future):
    source = "from __future__ import annotations\n" if future else ""
    source += "import logging\nfrom aptix_harness import AdminLogger\nclass LoggerFactory: ...\nclass Tool:\n"
    source += f"    TOOL_NAME = 'x'\n    def __init__(self, {parameter}): self.log = {parameter.strip('*').split(':')[0].split('=')[0]}\n"
    source += "    @property\n    def name(self): return type(self.log).__name__\n"
    declared = odd.open(f"{odd.add(source)}:Tool").describe()
    assert (declared.name.value == "LoggingAdminLogger") is given
