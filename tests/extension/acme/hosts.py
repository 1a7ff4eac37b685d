"""Hosts for toys. They need no process: nothing of a toy runs."""

import json

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Facts,
    Member,
    Outcome,
    Result,
    ResultError,
    SchemaReading,
    SystemTraits,
)
from aptix_conformance.hosts.host import HostPool, Listing, ToolHost


class ToyFacts(Facts, frozen=True):
    """What only a toy declares: how many answers it has."""

    answers: int


TRAITS = SystemTraits(
    name="toy",
    given=frozenset({"unchecked"}),
    undisturbed={"cancel": "a toy answers at once", "fault": "a toy uses nothing"},
    facts=ToyFacts,
    schema_source="parameters",
)


class ToyPool(HostPool):
    """All toys of a run; a place is a folder of JSON files."""

    def __init__(self, environment):
        self.environment = environment

    def list_tools(self, module, settings):
        folder = self.environment.rootdir / module
        if not folder.is_dir():
            raise TargetError(f"toy:{module}: there is no folder {folder}")
        return Listing(tuple(sorted(path.stem for path in folder.glob("*.json"))))

    def open(self, target, settings):
        path = self.environment.rootdir / target.module / f"{target.qualname}.json"
        try:
            return ToyHost(target, json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise TargetError(f"{target.spec} cannot be read: {error}") from error

    def close(self):
        pass


class ToyHost(ToolHost):
    """One toy. What it has not, such as `describe_again`, is what `ToolHost` has for hosts that cannot do it."""

    def __init__(self, target, toy):
        self.target, self.toy, self.served = target, toy, 0

    def describe(self):
        name, absent = self.toy.get("name"), Member("", "missing")
        function = {key: self.toy.get(key) for key in ("name", "description", "parameters")}
        schema = SchemaReading("returned", json.dumps({"type": "function", **function}))
        return Declaration(
            class_name=self.target.qualname,
            module=self.target.module,
            when="after_calls" if self.served else "start",
            tool_name=Constant("name", "plain", name, "str"),
            usage_text=Constant("description", "plain", self.toy.get("description"), "str"),
            get_schema=absent,
            schema=schema,
            schema_again=schema,
            name=absent,
            is_tool_fully_executed_on_server=absent,
            execute=absent,
            constructor=(),
            construction_error=None,
            facts=ToyFacts(len(self.toy["answers"])),
            traits=TRAITS,
        )

    def execute(self, plan, timeout=None):
        earlier, self.served = self.served, self.served + 1
        answer = self.toy["answers"].get(plan.arguments or "", self.toy["otherwise"])
        if "refuse" in answer:
            errors = (ResultError(answer["refuse"]),)
            result = Result("Refusal", True, False, errors=errors, error_message=answer["refuse"])
        else:
            result = Result("Answer", True, True, json.dumps(answer["give"]), "str")
        return Call(plan, Outcome.RETURNED, 0.0, result, earlier=earlier)

    def reset(self):
        self.served = 0

    def close(self):
        pass
