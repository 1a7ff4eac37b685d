"""A counterexample run again: the same calls, in a fresh process, judged by the same rule."""

import sys
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from aptix_conformance.canaries import environment as canaries
from aptix_conformance.contracts import load as load_contracts
from aptix_conformance.errors import ReportError
from aptix_conformance.examination import Options, Suite, examine
from aptix_conformance.hosts import Environment, Hosts
from aptix_conformance.model import Call, Declaration
from aptix_conformance.model.notation import read_stimulus
from aptix_conformance.reports import find_entry, read_report
from aptix_conformance.rules.lib.kernel import Finding, Rule
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets import Target, ToolSettings, load_settings, parse, settings_for
from aptix_conformance.text import shown


class Replay(Enum):
    """What a replay showed."""

    KEPT = "kept"
    BROKEN = "broken"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome, and the sentence that tells it."""

    outcome: Replay
    text: str


def replay(reference: str, directory: Path) -> Result:
    """Run a counterexample again; `reference` is `REPORT#TOOL/RULE`, `directory` the root of the user's project.

    Raises:
        ReportError: the reference or the report is malformed, or has no such tool, rule or finding.
        ConfigurationError: the project's configuration is wrong.
        TargetError: the tool cannot be loaded any more.
        HostError: no process could be started.
    """
    path, tool, code = _parts(reference)
    document = read_report(directory / path)
    entry = find_entry(document, tool)
    verdict = next((known for known in entry["verdicts"] if known["rule"] == code), None)
    if verdict is None:
        raise ReportError(f"the report has no verdict of the rule {code!r} for {shown(tool)}")
    if verdict["finding"] is None:
        raise ReportError(
            f"{shown(tool)} did not break {code} ({verdict['verdict']}): there is nothing to replay"
        )
    rule = next((known for known in all_rules() if known.code == code), None)
    if rule is None:
        raise ReportError(f"this version of the suite has no rule {code}")
    spec = parse(entry["target"], "the report")
    target = Target(
        spec=entry["target"], system=entry["system"], module=spec.module, qualname=spec.qualname or ""
    )
    name = entry["tool"].removesuffix(f"@{target.spec}")
    settings = settings_for(load_settings(directory / "pyproject.toml"), name, target.spec)
    environment = Environment(
        rootdir=directory,
        sys_path=_sys_path(document, directory),
        canaries=canaries(document["suite"]["seed"]),
    )
    with Systems(environment) as pool:
        call = verdict["finding"]["call"]
        if rule.over is Call and call is not None:
            finding, seen = _calls_again(pool, target, settings, rule, verdict["finding"])
        else:
            finding, seen = _examined_again(pool, target, settings, rule, document, entry)
    name = f"{shown(entry['tool'])} {rule.code} {rule.name}"
    if not seen:
        return Result(Replay.UNCLEAR, f"{name}: nothing was seen that the rule could judge")
    if finding is None:
        return Result(Replay.KEPT, f"{name}: kept now")
    return Result(Replay.BROKEN, f"{name}: still broken: {shown(finding.message, 2000)}")


def _sys_path(document: dict[str, Any], directory: Path) -> tuple[str, ...]:
    """What the tools saw in the run that is told, as far as it is there; then what is seen here."""
    told = [path for path in document["run"].get("sys_path", ()) if Path(path).exists()]
    here = [str(Path(path).absolute()) for path in (*sys.path, str(directory)) if path]
    return tuple(dict.fromkeys([*told, *here]))


def _parts(reference: str) -> tuple[str, str, str]:
    path, hash_, rest = reference.partition("#")
    tool, slash, code = rest.rpartition("/")
    if not (hash_ and slash and path and tool and code):
        raise ReportError(
            f"{reference!r} is not of the form REPORT#TOOL/RULE, as in report.json#agent_weather/ARG002"
        )
    return path, tool, code


def _calls_again(
    pool: Hosts, target: Target, settings: ToolSettings, rule: Rule, finding: dict[str, Any]
) -> tuple[Finding | None, bool]:
    host = pool.open(target, settings)
    try:
        if host.read_only:
            raise ReportError(f"the call cannot be made again: {host.read_only}")
        for index, plan in enumerate(finding["history"]):
            host.execute(read_stimulus(plan, f"finding.history[{index}]"))
        call = host.execute(read_stimulus(finding["call"]["plan"], "finding.call.plan"))
    finally:
        host.close()
    seen = rule.when(call)
    return (rule.check(call) if seen else None), seen


def _examined_again(
    pool: Hosts,
    target: Target,
    settings: ToolSettings,
    rule: Rule,
    document: dict[str, Any],
    entry: dict[str, Any],
) -> tuple[Finding | None, bool]:
    """A rule that is not about one call: read the declaration again, or make the whole examination again."""
    if rule.over is Declaration:
        host = pool.open(target, settings)
        try:
            declaration = host.describe()
        finally:
            host.close()
        seen = rule.when(declaration)
        return (rule.check(declaration) if seen else None), seen
    inventory = load_contracts()
    suite = Suite((rule,), inventory.edition(entry["edition"]), inventory)
    options = Options(examples=document["suite"]["examples"], seed=document["suite"]["seed"])
    bare = ToolSettings(**{name: getattr(settings, name) for name in settings.__slots__ if name != "waivers"})
    verdict = examine(pool, target, bare, suite, options).verdicts[0]
    finding = Finding(verdict.reason) if verdict.finding else None
    return finding, bool(verdict.observations)
