"""The tools that have their code in common: who is given the statement on one of them learns what became of the others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from aptix_conformance.app.certificates.code_owner import code_of
from aptix_conformance.app.certificates.copies import Code
from aptix_conformance.app.certificates.statement import Attestation, SiblingPart
from aptix_conformance.app.run import Run
from aptix_conformance.core.errors import CertificateError, TargetError
from aptix_conformance.examine import ToolUnderTest


class UnexaminedTool(NamedTuple):
    """A tool of which no more is known than that it is there."""

    name: str
    target: str


def unexamined(
    run: Run, groups: Mapping[tuple[Code, str | None], Sequence[ToolUnderTest]]
) -> dict[Code, tuple[UnexaminedTool, ...]]:
    """By code, its tools that are in no group: those that the project names, and those of the modules and servers of the groups.

    A tool whose own code is not known is left out. A spec that leads to no tool stands for those of its module.
    """
    chosen = [tool for tools in groups.values() for tool in tools]
    specs = run.settings.specs
    parsed = [specs.parse(tool.target.spec) for tool in chosen]
    modules = {specs.spec(one.spelling, one.module, None).canonical: None for one in parsed}
    found_tools = run.find(*run.settings.tools, *modules)
    known = {tool.target.spec for tool in chosen}
    codes = {code for code, _ in groups}
    others: dict[Code, set[UnexaminedTool]] = {}
    for code in codes:
        if code.part.kind == "folder":  # what the project names and does not load is of its folder
            failed = {failure.spec for failure in found_tools.failures}
            others[code] = {UnexaminedTool(spec, spec) for spec in failed}
    for tool in found_tools.tools:
        if tool.target.spec in known:
            continue
        try:
            code = code_of(run, tool)
        except (CertificateError, TargetError):
            continue
        if code in codes:
            others.setdefault(code, set()).add(UnexaminedTool(tool.name, tool.target.spec))
    return {code: tuple(sorted(tools)) for code, tools in others.items()}


def siblings_of(
    own: Attestation, others: Iterable[Attestation], unexamined_tools: Iterable[UnexaminedTool]
) -> tuple[SiblingPart, ...]:
    """The other tools of its code: `others` are the attestations on them."""
    parts = [
        *(
            SiblingPart(one.tool.name, one.tool.target, one.kind, one.tool.status)
            for one in others
            if one is not own
        ),
        *(SiblingPart(tool.name, tool.target, "not examined") for tool in unexamined_tools),
    ]
    return tuple(sorted(parts, key=lambda part: (part.name, part.target)))
