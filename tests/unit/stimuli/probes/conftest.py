"""Subjects of every kind, and a tool that answers in memory."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from aptix_conformance.core.model import (
    Call,
    Constant,
    Declaration,
    Member,
    Outcome,
    Result,
    SchemaReading,
)
from aptix_conformance.stimuli.generate import Arguments
from aptix_conformance.stimuli.probes import PROBES, Subject
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.targets.settings import Example, ToolSettings

SCHEMAS = json.loads((Path(__file__).parents[1] / "generate" / "schemas.json").read_text(encoding="utf-8"))


class InMemoryHost:
    """A `ToolHost` without a process: a tool that accepts what its schema allows, null members left aside.

    `stateful` makes it refuse arguments that it has accepted before; `refuses` is a predicate of arguments
    that it refuses though the schema allows them.
    """

    read_only = None
    containment = None
    waited = 0.0

    def __init__(self, subject, *, stateful=False, refuses=lambda _: False):
        self._declaration = subject.declaration
        self._judge = Arguments(subject.schema).judge if subject.schema is not None else None
        self._stateful, self._refuses = stateful, refuses
        self._accepted = set()

    def describe(self):
        return self._declaration

    def execute(self, plan, timeout=None):
        try:
            arguments = json.loads(plan.arguments or "null")
        except (ValueError, RecursionError) as error:
            return Call(plan, Outcome.RETURNED, 0.0, self._result(str(error)))
        if not isinstance(arguments, dict):
            return Call(plan, Outcome.RETURNED, 0.0, self._result("no object"))
        if plan.arguments in self._accepted and self._stateful:
            return Call(plan, Outcome.RETURNED, 0.0, self._result("exists already"))
        if self._refuses(arguments) or (self._judge and self._judge.forbids(arguments)):
            return Call(plan, Outcome.RETURNED, 0.0, self._result("refused"))
        self._accepted.add(plan.arguments)
        return Call(plan, Outcome.RETURNED, 0.0, self._result(None))

    def restore_files(self):
        """No call changes files here."""

    def reset(self):
        self._accepted.clear()

    def close(self):
        pass

    @staticmethod
    def _result(error):
        return Result(
            "InvokeResult", True, error is None, "{}" if error is None else None, error_message=error
        )


@pytest.fixture(scope="session")
def make_subject():
    def make(schema, *, examples=(), narrowing=None, seed=1, name="agent_test", usage=None, **settings):
        constant, member = Constant("X", "plain", name, "str"), Member("x", "property")
        usage_text = constant if usage is None else Constant("X", "plain", usage, "str")
        text = json.dumps({"type": "function", "name": name, "parameters": schema})
        reading = SchemaReading("returned", text)
        declaration = Declaration(
            "TestTool",
            "m",
            "start",
            constant,
            usage_text,
            member,
            reading,
            reading,
            member,
            member,
            member,
            (),
            None,
            traits=TRAITS,
        )
        kept = ToolSettings(examples=tuple(map(Example, examples)), arguments=narrowing or {}, **settings)
        return Subject(declaration, schema, kept, seed, 100)

    return make


@pytest.fixture(scope="module", params=sorted(SCHEMAS))
def subject(request, make_subject):
    return make_subject(SCHEMAS[request.param])


@pytest.fixture
def five_fields(make_subject):
    return make_subject(SCHEMAS["five-fields"], examples=[{"city": "Oslo", "days": 3}])


@pytest.fixture(scope="session")
def host():
    return InMemoryHost


@pytest.fixture(scope="session")
def explore():
    """Runs the fixed plans of the probes up to and including one, each over what the earlier ones saw."""

    def run(subject, host, last):
        seen = []
        for probe in PROBES:
            earlier = list(seen)
            seen += [host.execute(plan) for plan in probe.fixed(subject, earlier)]
            if probe.name == last:
                return seen
        raise LookupError(last)

    return run


@pytest.fixture(scope="session")
def draws():
    """The first plans that a strategy gives."""

    def run(strategy, count=150):
        drawn = []

        @settings(
            max_examples=count,
            database=None,
            derandomize=True,  # the same plans in every run
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def collect(plan):
            drawn.append(plan)

        collect()
        return drawn

    return run


@pytest.fixture
def of():
    """The calls or plans whose label has some beginning."""

    def select(things, beginning):
        return [thing for thing in things if getattr(thing, "plan", thing).label.startswith(beginning)]

    return select
