"""A finding on an Amplifier tool as a pytest test: the module is mounted by Amplifier's own test coordinator.

The written file imports `amplifier_core` and the module, and nothing of the suite.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.report import FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.amplifier.facts import AmplifierMount
from aptix_conformance.systems.author_tests import (
    INDENT,
    Conditions,
    Demand,
    Draft,
    Subject,
    demand_of,
    dotted,
    earlier_calls,
    literal,
    only_the_suite,
    parsed_arguments,
    surround,
    way_of,
)

_CORE: Final = "amplifier_core"
_GROUP: Final = "amplifier.modules"
_OWN_NAMES: Final = frozenset({
    "arguments", "asyncio", "call", "call_in_process", "contextlib", "create_test_coordinator", "mounted", "multiprocessing", "shutil",
    "ToolResult",
})  # fmt: skip
"""Names that a test file uses itself."""
_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.COMES_BACK: ("assert isinstance(result, ToolResult)",),
    Demand.IS_REFUSED: ("assert not result.success",),
    Demand.SUCCEEDS: ("assert result.success, result.error",),
    Demand.ENDS: (),
}


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an Amplifier tool (`author_tests.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, AmplifierMount)
    demand, shown = demand_of(rule, finding)
    if demand not in _ASSERTIONS or facts.key is None:
        raise only_the_suite()
    draft = Draft(subject.directory)
    surround(draft, subject)
    importing = _import_mount(draft, subject, facts)
    draft.constants += [
        f"CONFIG = {literal(dict(subject.settings.config))}",
        f"INPUT = {_input(shown.plan.arguments)}",
    ]
    _define_mounted(draft, importing, literal(facts.key))
    lines = [
        "tool = await mounted()",
        *earlier_calls(draft, finding, _input, "await tool.execute(arguments)"),
        "return await tool.execute(INPUT)",
    ]
    if demand is Demand.ENDS:
        draft.constants.append(f"SECONDS = {subject.settings.timeout or conditions.timeout:g}")
    functions, run, modules = way_of(
        demand, "async def call():\n" + "".join(f"{INDENT}{line}\n" for line in lines)
    )
    draft.definitions += functions
    draft.modules |= modules
    draft.take(_CORE, *(["ToolResult"] if demand is Demand.COMES_BACK else []))
    draft.body += [*run, *_ASSERTIONS[demand]]
    return draft.text(rule)


def _input(arguments: str | None) -> str:
    return literal(parsed_arguments(arguments))


# ---- the module


def _define_mounted(draft: Draft, importing: tuple[str, ...], key: str) -> None:
    """The function that mounts the module, and gives the tool of a key."""
    draft.take(f"{_CORE}.testing", "create_test_coordinator")
    lines = [
        *importing,
        "coordinator = create_test_coordinator()",
        "await mount(coordinator, CONFIG)",
        "for _ in range(50):  # a module may register its tool after mount has returned",
        f'{INDENT}tools = coordinator.mount_points["tools"]',
        f"{INDENT}if {key} in tools:",
        f"{INDENT * 2}break",
        f"{INDENT}await asyncio.sleep(0.01)",
        f"return tools[{key}]",
    ]
    draft.definitions.append("async def mounted():\n" + "".join(f"{INDENT}{line}\n" for line in lines))
    draft.modules.add("asyncio")


def _import_mount(draft: Draft, subject: Subject, facts: AmplifierMount) -> tuple[str, ...]:
    """Import the mount function; returns the lines that do it in a function, for a module that is found by its path."""
    assert subject.declaration is not None
    module = dotted(subject.declaration.module)
    attribute = _attribute(facts, module)
    first = dotted(attribute).partition(".")[0]
    if first in _OWN_NAMES or facts.function == "missing":
        raise ReportError(
            f"a test cannot import {first}: the file uses that name itself, or the module does not have it"
        )
    name = "" if attribute == "mount" else f"mount = {attribute}"
    folder = _folder(subject, facts.where, module)
    if folder is None:
        draft.take(module, first)
        return (name,) if name else ()
    draft.fixtures |= {"monkeypatch", "pytestconfig"}
    place = "pytestconfig.rootpath" if folder == "." else f"pytestconfig.rootpath / {literal(folder)}"
    draft.body.append(f"monkeypatch.syspath_prepend({place})")
    return (f"from {module} import {first}", *((name,) if name else ()))


def _attribute(facts: AmplifierMount, module: str) -> str:
    """The name of the mount function in the module: what its entry point says."""
    for entry in facts.entry_points:
        named, _, attribute = entry.value.partition(":")
        if entry.group == _GROUP and named.strip() == module and attribute.strip():
            return attribute.strip()
    return "mount"


def _folder(subject: Subject, where: str, module: str) -> str | None:
    """The folder in which the module of a path is found, from the project's directory; None for an installed module."""
    path = subject.directory / where
    if not (path.is_dir() or path.suffix == ".py"):
        return None
    parts = module.split(".")
    folders = [path, path / "src", *path.resolve().parents[: len(parts) + 1]]
    for folder in folders:
        if folder.joinpath(*parts).is_dir() or folder.joinpath(*parts).with_suffix(".py").is_file():
            return Path(os.path.relpath(folder, subject.directory)).as_posix()
    raise only_the_suite()
