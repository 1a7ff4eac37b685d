"""The first phase: read what a tool declares, and find out whether it can be called."""

from aptix_conformance.examination.applicable import applicable_rules
from aptix_conformance.examination.case import Case, Opened
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.generate import usable_schema
from aptix_conformance.hosts.host import Hosts
from aptix_conformance.model import Declaration, Shortfall
from aptix_conformance.model.verdict import Containment
from aptix_conformance.probes import Subject
from aptix_conformance.rules.registration import why_not_called
from aptix_conformance.targets.per_tool import written_key
from aptix_conformance.targets.settings import Target, ToolSettings
from aptix_conformance.text import printable


def read_target(
    hosts: Hosts, target: Target, settings: ToolSettings
) -> tuple[Declaration, Containment | None]:
    """Read what a tool declares, in a process that is ended afterwards, and what held that process.

    Raises:
        TargetError: the target cannot be resolved or read.
        HostError: no process could be started.
    """
    host = hosts.open(target, settings)
    try:
        return host.describe(), host.containment
    finally:
        host.close()


def declare(opened: Opened) -> Case:
    """Read the declaration, judge it as the first observation, and prepare the input of the probes.

    Raises:
        TargetError: the declaration cannot be read.
        HostError: no process could be started.
    """
    host, options = opened.host, opened.options
    declaration = host.describe()
    ledger = Ledger(applicable_rules(opened.suite, declaration), on_call=opened.watch.made_call)
    ledger.observe(declaration)
    schema, _ = usable_schema(declaration)
    subject = Subject(
        declaration=declaration,
        schema=schema,
        settings=opened.settings,
        seed=options.seed,
        examples=options.examples,
        disturbances=host.disturbances,
        budget=options.budget,
    )
    blocked = (
        host.read_only or why_not_constructed(declaration, opened.target) or why_not_called(declaration) or ""
    )
    withheld = opened.settings.withheld
    ledger.shortfalls += [Shortfall("configuration", said, reduced_coverage=True) for said in withheld]
    if blocked:
        ledger.shortfalls.append(Shortfall("calls", blocked))
    by_tool = bool(blocked) and not (host.read_only or declaration.missing_services)
    return Case(opened, subject, ledger, blocked, by_tool)


def why_not_constructed(declaration: Declaration, target: Target) -> str | None:
    """Why no instance of a tool can be made, with the setting that helps; None where one can be made."""
    if declaration.missing_services:
        names = ", ".join(f'{name} = "module:factory"' for name in declaration.missing_services)
        table = f"[tool.aptix-conformance.tool.{written_key(target.spec)}]"
        return f"its constructor needs services that the suite cannot make: add services = {{ {names} }} to {table}"
    if declaration.construction_error:
        return f"{declaration.traits.no_instance}{printable(declaration.construction_error, 300)}"
    return None
