"""Reproducing: examine what a certificate is about once more, and compare.

The certificate has been verified before, and so has the code: its signer is taken to be the issuer, and no
more. The code runs in full containment or not at all, from a copy that holds what the digest covers and nothing
else. Configuration, seed and limits are the recorded ones.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.certificates.code_owner import with_packages, with_runtime
from aptix_conformance.app.certificates.copies import Code, copy_code
from aptix_conformance.app.certificates.environment import SUITE, environment, suite
from aptix_conformance.app.certificates.environment_rebuild import (
    RebuiltEnvironment,
    find_interpreter,
    set_up,
)
from aptix_conformance.app.certificates.examined import PATHS, Examined, above, placeless, timeless
from aptix_conformance.app.certificates.issue import ELSEWHERE, Terms, attest
from aptix_conformance.app.certificates.revocations import as_time
from aptix_conformance.app.certificates.safe_files import read_record
from aptix_conformance.app.certificates.servers import environment_of, python_of
from aptix_conformance.app.certificates.statement import Attestation, EnvironmentPart
from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.app.run import BOUNDS, Run, RunOptions
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import replace, to_json
from aptix_conformance.core.model.report import RunReport
from aptix_conformance.core.text import printable
from aptix_conformance.hosts.scratch import temporary_folder
from aptix_conformance.targets import ToolSettings, pytest_paths
from aptix_conformance.targets.provenance import site_packages

_MOST_LINES: Final = 40
_UNKNOWN: Final = ("env", "waivers")
"""The settings that a certificate names without their values."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The result of a repeated examination."""

    lines: tuple[str, ...]
    """A line for each note on the comparison."""
    differences: tuple[str, ...]
    """A line for each difference, also for what could not be set up; empty where the tool was reproduced."""


def reproduce(recorded: Attestation, digest: str, code: Path, watch: Callable[[str], None]) -> Reproduction:
    """Examine the tool of an attestation once more, whose code in `code` has the digest that was signed.

    `watch` gets a line for each step.

    Raises:
        CertificateError: it cannot be examined as it was: a message of one line.
        ConformanceError: as `Run.find` and `Run.examine`.
    """
    _check(recorded)
    name = printable(recorded.tool.name)
    with temporary_folder("aptix-reproduce-") as place:
        root = place / "project"
        root.mkdir()
        server = place / "server" if recorded.code.kind == "server" else None
        if server is not None:
            server.mkdir()
            python = find_interpreter(recorded.environment.interpreter)
            copied = copy_code(Code(recorded.code, code), root, server, python)
        if server is not None and (own := python_of(server)) is not None:  # with all that it needs
            rebuilt_environment = RebuiltEnvironment(own, Path(next(iter(site_packages(own)), server)))
        else:
            watch(f"{name}: setting up {len(recorded.environment.distributions)} distributions")
            named = recorded.code.name.partition(" ")[0] if recorded.code.kind == "distribution" else SUITE
            rebuilt_environment = set_up(place, recorded.environment, excluded=[named])
        if server is None:
            copied = copy_code(Code(recorded.code, code), root, rebuilt_environment.site)
        if copied != digest:
            raise CertificateError(f"the code in {code} changed while it was copied")
        watch(f"{name}: examining")
        reproduced = _examined(recorded, digest, place, rebuilt_environment, server)
    return compare(recorded, reproduced, rebuilt_environment.missing)


def _check(recorded: Attestation) -> None:
    """Refuse what cannot be examined as it was, or not in safety."""
    if recorded.containment.level != "full":
        raise CertificateError(
            f"it was examined with the containment {recorded.containment.level}, "
            "and strangers' code runs in full containment only"
        )
    if recorded.loaded:
        names = ", ".join(dict.fromkeys(one.distribution or one.name for one in recorded.loaded))
        raise CertificateError(
            f"code of {printable(names, 200)} was loaded into the suite, and is not loaded here"
        )
    for key in _UNKNOWN:
        if recorded.configuration.get(key):
            raise CertificateError(f"its configuration has {key}, whose values are not recorded")
    others = {name: value for name, value in recorded.configuration.items() if name != "python"}
    if isinstance(command := others.get("command"), list | tuple):
        others["command"] = command[1:]  # the interpreter is that of the environment which is set up
    if ELSEWHERE in json.dumps(to_json(others), ensure_ascii=False):
        raise CertificateError("its configuration names files outside of its project")
    for name, (least, most) in BOUNDS.items():
        if not least <= getattr(recorded.conditions, name) <= most:
            raise CertificateError(f"its condition {name} is not between {least:g} and {most:g}")


def _examined(
    recorded: Attestation,
    digest: str,
    place: Path,
    rebuilt_environment: RebuiltEnvironment,
    server: Path | None,
) -> Attestation:
    """The same attestation, of an examination under the recorded conditions; `server` is where that of a store was copied."""
    root, conditions, target = place / "project", recorded.conditions, recorded.tool.target
    options = RunOptions(
        tools=(target,),
        edition=recorded.tool.edition,
        seed=conditions.seed,
        examples=conditions.examples,
        budget=conditions.budget,
        timeout=conditions.timeout,
        memory=conditions.memory,
        containment="full",
        baselines=False,
        root=root,
        sys_path=import_paths(root),
        hidden=above(root),
    )
    configured = settings_of(recorded.configuration, root, rebuilt_environment.python)
    with Run.open(place / "no-configuration", options) as run:
        spec = _target(run, target, configured, rebuilt_environment.python, server)
        candidates = run.find(spec).all_found()
        tools = [one for one in candidates if one.target.spec == target] or candidates
        if len(tools) != 1:
            raise CertificateError(f"{printable(target, 200)} names {len(tools)} tools, where one is wanted")
        (tool,) = tools
        beside = [one for one in candidates if one is not tool and one.declaration.kind == "server"]
        reports = [timeless(run.reports.tool_report(one, run.examine(one))) for one in (tool, *beside)]
        report = placeless(reports[0], root, server or rebuilt_environment.site)
        whole = replace(run.report(reports), run=RunReport())
        part = environment([str(rebuilt_environment.site)], rebuilt_environment.python).part
        files = environment_of(server) if server else root
        part = with_packages(part, run, tool, files, list(Walk().names(files)))
        part = with_runtime(part, run, tool, python_of(server) if server else rebuilt_environment.python)
    one = Examined(tool, report, recorded.code, digest, part)
    issued = recorded.issuance
    counted = Terms(as_time(issued.issued, "issued"), revocations=issued.revocations).issuance(
        report, issued.report
    )
    attested = attest(one, whole, suite(), counted, root)
    return replace(attested, configuration=recorded.configuration)


def _target(run: Run, target: str, configured: ToolSettings, python: str, copied: Path | None) -> str:
    """Configure the tool of a target; returns the spec to search for: for the tool of a server, that of the server."""
    spec = run.settings.specs.parse(target)
    started = run.systems.runtime(spec.spelling.prefix).started
    if started is None:
        run.settings = replace(run.settings, tool={target: configured})
        return target
    if copied is not None:
        command = started.command_in(environment_of(copied), spec.module, configured)
    else:
        command = (python, *started.words_of(spec.module, configured)[1:])
    configured = replace(configured, command=command, given=configured.given | {"command"})
    server = f"{spec.spelling.prefix}:{spec.module}"
    run.settings = replace(run.settings, tool={server: configured})
    return server


def settings_of(recorded: Mapping[str, Any], root: Path, python: str) -> ToolSettings:
    """The settings that a certificate records, for a project in `root` and an interpreter.

    Raises:
        CertificateError: they are not from this suite.
    """
    values = {name: value for name, value in recorded.items() if name not in (*_UNKNOWN, "python")}
    for name in values.keys() & set(PATHS):
        value = values[name]
        values[name] = _below(root, value) if isinstance(value, str) else [_below(root, one) for one in value]
    data, message = {**values, "python": python}, "its configuration is not one of this suite"
    settings = read_record(ToolSettings, data, "configuration", message)
    return replace(settings, given=frozenset({*values, "python"}))


def import_paths(root: Path) -> tuple[str, ...]:
    """Where a project configures that modules are looked for, as far as that is below it."""
    return tuple(path for path in pytest_paths(root) if Path(path).resolve().is_relative_to(root.resolve()))


def _below(root: Path, path: Any) -> str:
    """A path of the project, which no issuer and no link leads out of it: it would be shown to the tool."""
    place = Path(os.path.normpath(root / str(path)))
    if not place.resolve().is_relative_to(root.resolve()):
        raise CertificateError(f"its configuration leads out of its project: {printable(str(path), 200)}")
    return str(place)


# ---- the comparison


def compare(recorded: Attestation, reproduced: Attestation, missing: tuple[str, ...]) -> Reproduction:
    """Compare two attestations of one tool; `missing` are the distributions that could not be set up, a line for each."""
    old, new = recorded.environment, reproduced.environment
    same_machine = _machine(old) == _machine(new)
    lines = list(
        _differing(_comparable(recorded, whole=same_machine), _comparable(reproduced, whole=same_machine), "")
    )
    counts = (recorded.issuance, reproduced.issuance)
    is_counted = same_machine and not any(part.reduced for part in counts)
    if is_counted:
        old_counts, new_counts = (dict(part.observations) for part in counts)
        lines += _differing(old_counts, new_counts, "observations")
    rest = len(lines) - _MOST_LINES
    differences = (*missing, *lines[:_MOST_LINES], *([f"and {rest} more differences"] if rest > 0 else []))
    name = printable(recorded.tool.name)
    messages = []
    if not same_machine:
        messages.append(
            f"{name} was examined on {new.interpreter}, {new.platform}; recorded: {old.interpreter}, {old.platform}. "
            "Comparable are the status, and level and verdict of each rule"
        )
    if same_machine and not is_counted:
        messages.append(
            f"{name}: counts of observations were not compared, as fewer calls were made than planned: "
            + "; ".join(dict.fromkeys(printable(gap.reason) for part in counts for gap in part.reduced))
        )
    if not differences:
        messages.append(
            f"reproduced: {name}, {len(reproduced.rules)} rules, equal in everything but the issuance; the digests of installed "
            "files were compared, since a certificate has none of wheels"
        )
    return Reproduction(tuple(messages), differences)


def _machine(one: EnvironmentPart) -> tuple[str | None, ...]:
    return (one.interpreter, one.binary, one.library, one.platform)


def _comparable(one: Attestation, *, whole: bool) -> dict[str, Any]:
    """The compared members, their lists keyed by names; without `whole`, those that depend on no interpreter or platform."""
    data: dict[str, Any] = {name: to_json(getattr(one, name)) for name in one.__struct_fields__}
    del data["issuance"]
    rules = {rule.pop("rule"): rule for rule in data["rules"]}
    record = data["environment"]
    installed = {part.pop("name"): part for part in record["distributions"]}
    installed.pop(SUITE, None)  # compared by the digest of its code, under `suite`
    if not whole:
        del data["left_out"], record["distributions"]
        data["rules"] = {
            name: {"level": rule["level"], "verdict": rule["verdict"]} for name, rule in rules.items()
        }
        return data
    record["distributions"] = installed
    data["rules"] = rules
    return data


def _differing(old: Any, new: Any, place: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differing(old.get(key), new.get(key), f"{place}.{key}" if place else key)
    elif old != new:
        yield f"{printable(place, 200)}: recorded {_json_excerpt(old)}, here {_json_excerpt(new)}"


def _json_excerpt(value: Any) -> str:
    return "nothing" if value is None else printable(json.dumps(value, ensure_ascii=False), 200)
