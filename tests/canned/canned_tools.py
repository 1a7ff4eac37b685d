"""A pytest plugin for sessions inside of tests: their tools are canned, and no process of a tool or a worker is started.

`canned_tools.json` in the root directory holds the tools by target spec, as `tests/canned_project.py` writes them. The
session opens its run, collects, waives, reports and shows as always: only what hosts would see and rules would find is given.
"""

import json

from aptix_conformance import Run
from aptix_conformance.app.run.requests import ToolExamined
from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import (
    Call,
    Change,
    Constant,
    Declaration,
    Exploration,
    Kind,
    Member,
    Outcome,
    Parameter,
    Result,
    SchemaReading,
    Stimulus,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.core.schemas import fingerprint_of_text
from aptix_conformance.examine import (
    Examination,
    ReadTool,
    ToolUnderTest,
    applicable_rules,
    exemptions,
)
from aptix_conformance.examine.findings import call_report
from aptix_conformance.examine.obstacle_words import MetObstacle
from aptix_conformance.examine.step_limit import StepLimit
from aptix_conformance.examine.verdicts import (
    Proof,
    apply_waivers,
    verdict_of,
)
from aptix_conformance.examine.what_suite_did import what_suite_did
from aptix_conformance.hosts import Listing
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.systems.rulebook import suite_for

HELD = Containment("full")


class CannedExaminer:
    """Answers what a run asks of its examiner."""

    def __init__(self, run):
        self.run = run
        self.tools = json.loads((run.directory / "canned_tools.json").read_text(encoding="utf-8"))

    def list_each(self, places):
        return [self.list_tools(module) for _, module, _ in places]

    def read_each(self, tools):
        return [self.read(target) for target, _ in tools]

    def list_tools(self, module):
        found = tuple(spec for spec in self.tools if spec.startswith((f"{module}:", f"{module}.")))
        if not found:
            return TargetError(f"{module} cannot be imported")
        return Listing(found)

    def read(self, target):
        declared = declaration(target, **self.tools[target.spec]["declares"])
        return ReadTool(
            target, declared, HELD, exemptions(self.suite(target, declared), declared, StepLimit())
        )

    def plan(self, requests):
        """Nothing is answered ahead."""

    def examine(self, request, watch):
        canned = self.tools[request.target.spec]
        if canned["error"]:
            raise HostError(canned["error"])
        suite = self.suite(request.target, request.declaration)
        for step in ("declaration", *request.probes):
            with watch.during(step):
                watch.made_call()
        verdicts = [verdict(each, canned) for each in applicable_rules(suite, request.declaration)]
        examination = Examination(
            tool=request.name,
            target=request.target,
            edition=suite.edition.name,
            schema_fingerprint=fingerprint_of_text(request.declaration.schema.text),
            verdicts=apply_waivers(verdicts, request.settings.waivers, self.run.thoroughness.today),
            exploration=Exploration((request.declaration,), (call("{}"),)),
            seconds=0.0,
            containment=request.containment,
            watch=watch,
            quick=self.run.thoroughness.quick,
        )
        tool = ToolUnderTest(
            request.name, request.target, request.settings, request.declaration, suite, request.containment
        )
        report = self.run.reports.tool_report(tool, examination, deselected=request.deselected)
        return ToolExamined(report, None)

    def suite(self, target, declared):
        return suite_for(self.run.suites, target, declared, self.run.systems)

    def close(self):
        pass


def declaration(target, name, schema, usage):
    reading = SchemaReading("returned", json.dumps(schema))
    return Declaration(
        class_name=target.qualname,
        module=target.module,
        when="start",
        tool_name=Constant("TOOL_NAME", "plain", name, "str"),
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", usage, "str"),
        get_schema=Member("get_schema", "static_method"),
        schema=reading,
        schema_again=reading,
        name=Member("name", "property", value=name, value_type="str"),
        is_tool_fully_executed_on_server=Member("is_tool_fully_executed_on_server", "property", value=True),
        execute=Member("execute", "method", is_async=True),
        constructor=(Parameter("logger", "positional", required=True),),
        construction_error=None,
        source=f"{target.module}.py:1",
        traits=TRAITS,
    )


def verdict(applicable, canned):
    """That of one rule: kept in one observation, unless it is said to be broken or not to be seen."""
    code = applicable.rule.code
    if code in canned["unseen"]:
        return verdict_of(applicable, 0, None, [MetObstacle(Obstacle.NOT_REACHED, canned["unseen"][code])])
    if code not in canned["broken"]:
        return verdict_of(applicable, 1, None)
    broken = canned["broken"][code]
    arguments = broken.get("arguments")
    made = call(arguments) if arguments is not None else None
    shown = FindingReport(
        message=broken["message"],
        call=call_report(made, what_suite_did(made)) if made else None,
        history=(),
        reproduced=True,
        replay="",
        cause=broken.get("cause", ""),
    )
    return replace(verdict_of(applicable, 1, Proof((shown,))), follows_from=broken.get("follows_from", ""))


def call(arguments):
    stimulus = Stimulus("valid", Change(Kind.GENERATED), arguments, None)
    return Call(stimulus, Outcome.RETURNED, 0.0, Result("InvokeResult", True, True, "{}", "str"))


class _Canned:
    """Gives runs the examiner of this module while the session lasts."""

    def pytest_unconfigure(self):
        Run.examiner = self.replaced

    def __init__(self):
        self.replaced = Run.examiner
        Run.examiner = property(CannedExaminer)


def pytest_configure(config):
    config.pluginmanager.register(_Canned(), "canned-tools")
