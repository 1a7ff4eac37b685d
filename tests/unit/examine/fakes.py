"""Hosts in memory, and rules on what they do, for tests of examinations."""

import json

from aptix_conformance.core.contracts import load
from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Exploration,
    Member,
    Outcome,
    Raised,
    Result,
    SchemaReading,
)
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.examine import Options, Suite, examine
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import Target, ToolSettings

SCHEMA = {
    "type": "function",
    "name": "agent_fake",
    "description": "Counts.",
    "parameters": {
        "type": "object",
        "properties": {
            "count": {"type": "integer", "description": "How many."},
            "word": {"type": "string", "description": "Of what."},
        },
        "required": ["count"],
    },
}
EDITION = load().edition("aptix-tul-011")
RULES = {found.code: found for found in all_rules()}
OPTIONS = Options(examples=40, seed=0)


@rule("EXC901", "AGN-005.4.2", remedy="Catch it.", unseen_reason="no call was made")
def never_raises(call: Call):
    """Nothing is raised."""
    return Finding(f"raised {call.raised.type_name}") if call.raised else None


@rule("EXC902", "AGN-005.9.5", remedy="Come back.", unseen_reason="no call was made")
def comes_back(call: Call):
    """Every call comes back."""
    return Finding(call.incident) if call.incident else None


@rule("EXC904", "AGN-005.9.5", remedy="Come back.", when=lambda seen: bool(seen.calls))
def explored_never_raises(exploration: Exploration):
    """Nothing is raised, in all calls together."""
    return (Finding("raised", call) for call in exploration.calls if call.raised)


def suite(*rules):
    return Suite(tuple(rules), EDITION, load())


def declaration():
    text = json.dumps(SCHEMA)
    constant = Constant("TOOL_NAME", "plain", "agent_fake", "str")
    reading = SchemaReading("returned", text)
    return Declaration(
        class_name="FakeTool",
        module="fake",
        when="start",
        tool_name=constant,
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", "Counts.", "str"),
        get_schema=Member("get_schema", "static_method"),
        schema=reading,
        schema_again=reading,
        name=Member("name", "property", value="agent_fake", value_type="str"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "property", value=True),
        execute=Member("execute", "method", is_async=True),
        constructor=(),
        construction_error=None,
        traits=TRAITS,
    )


def answer(successful=True):
    return {"outcome": Outcome.RETURNED, "result": Result("InvokeResult", True, successful, "{}", "str")}


def raising(kind="ValueError"):
    return {"outcome": Outcome.RAISED, "raised": Raised(kind, "message", "traceback")}


def hanging():
    return {"outcome": Outcome.TIMED_OUT, "incident": "no answer within 5 s"}


def crashing():
    return {"outcome": Outcome.CRASHED, "incident": "exit status 3"}


class Host:
    """A host in memory: `behave(plan, earlier)` says what the tool does; nothing of it survives `reset`."""

    containment = Containment("partial", ("no namespaces",))
    waited = computed = 0.0
    has_others = False

    def __init__(self, behave, read_only=None):
        self.behave = behave
        self.read_only = read_only
        self.disturbances = frozenset()
        self.earlier = []
        self.proved = []
        self.wrong = None
        self.made = []
        self.closed = False

    def describe(self):
        return declaration()

    def ask_listing_tools(self):
        return ()

    def check_sentinels(self, *, last=False):
        self.proved.append(last)
        return self.wrong

    def execute(self, plan, timeout=None):
        assert not self.closed
        self.made.append(plan)
        how = {"elapsed": 0.0, **self.behave(plan, tuple(self.earlier))}
        call = Call(plan, earlier=len(self.earlier), **how)
        self.earlier.append(plan)
        return call

    def execute_patiently(self, plan, idle_timeout):
        return self.execute(plan)

    def restore_files(self):
        """No call changes files here."""

    def reset(self):
        self.earlier.clear()

    def close(self):
        self.closed = True


class Pool:
    def __init__(self, host):
        self.host = host

    def open(self, target, settings):
        return self.host


TARGET = Target("fake:FakeTool", "aptix", "fake", "FakeTool")


def run(host, *rules, settings=None, options=OPTIONS):
    found = examine(Pool(host), TARGET, settings or ToolSettings(), suite(*rules), options)
    for error in found.harness.found.values():
        raise error
    return {verdict.rule: verdict for verdict in found.verdicts}, found


def count_of(plan):
    try:
        value = json.loads(plan.arguments or "null")
    except (ValueError, RecursionError):
        return None
    count = value.get("count") if isinstance(value, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None
