"""The content of a rule's page, independent of its format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from aptix_conformance.core.contracts import Inventory
from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.model.verdict import Obstacle
from aptix_conformance.examine.obstacle_words import met, unseen
from aptix_conformance.present.catalog.accounting import levels_of
from aptix_conformance.present.evidence import Evidence, Example
from aptix_conformance.rules import Rule
from aptix_conformance.rules.lib.kernel import Subject


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph: one text, in which backticks mark code."""

    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A bulleted list, one text for each item."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Text that is shown without change."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of the project; `path` is relative to the folder of the fixtures."""

    label: str
    path: str


Block = Text | Items | Code | File


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks below it."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A title, the blocks below it, and the sections."""

    title: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]


CLAUSES: Final = "Clauses"
"""The heading of the section with the texts of a rule's clauses."""

DIFFERENCE: Final = "What makes two findings different"
"""The heading of the section that says when findings count as one."""

_SOURCES: Final = {
    "contract": "The contract says so.",
    "runtime": "The system's own orchestrator needs it, whatever the contract says.",
    "suite": "Good practice of this suite's own: advice only.",
}


_SHOWN: Final[Mapping[Subject, str]] = {
    Declaration: "",
    Call: ", each with its smallest call",
    Exploration: ", each with its smallest call where calls show it",
}
"""The parts of a finding that a report shows beside its message, by the observation that the rule judges."""


_FORMS: Final[Mapping[str, tuple[Text, ...]]] = {
    "parts": (Text("The same parts, as they should be:"),),
    "difference": (Text("The difference:"),),
    "whole": (),
}


def rule_page(rule: Rule, inventory: Inventory, evidence: Evidence) -> Page:
    """The page of a rule; without evidence, as for a third party's rule, it has no example."""
    return Page(
        title=f"{rule.code} {rule.name}",
        lead=tuple(Text(text) for text in (rule.demand, *rule.why.split("\n\n")) if text),
        sections=tuple(_sections(rule, inventory, evidence)),
    )


def _sections(rule: Rule, inventory: Inventory, evidence: Evidence) -> Iterator[Section]:
    levels = tuple(f"{edition}: {level}" for edition, level in levels_of(rule, inventory).items())
    origin = _SOURCES[rule.source]
    if rule.advice:
        origin += " It reads prose or guesses intent, so it is at most a SHOULD."
    yield Section("Levels by edition", (Items(levels or ("in force in no edition",)), Text(origin)))
    clauses = [inventory.clauses[clause] for clause in rule.clauses if clause in inventory.clauses]
    if clauses:
        texts = tuple(f"{clause.id} ({clause.level}): {clause.text}" for clause in clauses)
        yield Section(CLAUSES, (Items(texts),))
    example = evidence.examples.get(rule.code)
    if example:
        yield from _example(example, evidence.fixtures.get(rule.code, ()))
    yield Section("How to fix it", (Text(rule.remedy),))
    yield Section(DIFFERENCE, (Text(_difference(rule)),))
    ends = "not applicable" if rule.is_optional else "inconclusive"
    why = unseen(rule, met(Obstacle.REFUSED)).words
    yield Section("If nothing could be judged", (Text(f"The verdict is {ends}: {why}."),))
    yield Section(
        "How to waive it",
        (
            Text(
                "A waiver has an owner and an expiry date; an expired waiver fails, and so does one that is not needed."
            ),
            Code("toml", _waiver(rule)),
        ),
    )


def _difference(rule: Rule) -> str:
    """The difference between two findings of a rule, and how many a report shows (`examination.prove.MOST_CAUSES`)."""
    if not rule.differs_by:
        return f"All that this rule finds in one {' or '.join(rule.of)} counts as one finding."
    difference = f"{rule.differs_by[0].upper()}{rule.differs_by[1:]}."
    return f"{difference} Up to five are reported{_SHOWN[rule.over]}; the rest are counted."


def _example(example: Example, fixtures: tuple[str, ...]) -> Iterator[Section]:
    blocks: tuple[Block, ...] = (
        Text(example.says),
        File("The nonconforming tool", example.path),
        Code(_language(example.path), example.source.rstrip("\n")),
    )
    others = tuple(name for name in fixtures if name != example.name)
    if others:
        blocks += (Text(f"Others that break it: {', '.join(others)}."),)
    yield Section("A tool that breaks it", blocks)
    twin: tuple[Block, ...] = (File("The whole tool", example.twin),)
    if example.counterpart:
        language = "diff" if example.counterpart_form == "difference" else _language(example.twin)
        twin = (*_FORMS[example.counterpart_form], Code(language, example.counterpart), *twin)
    yield Section("Its conforming twin", twin)
    if example.failure:
        yield Section("What the examination prints", (Code("text", example.failure),))


def _language(path: str) -> str:
    suffix = path.rpartition(".")[2]
    return {"py": "python", "mjs": "javascript", "js": "javascript", "ts": "typescript", "cs": "csharp"}.get(
        suffix, "text"
    )


def _waiver(rule: Rule) -> str:
    return f"""\
[[tool.aptix-conformance.tool.NAME_OF_THE_TOOL.waive]]
rule = "{rule.code}"
owner = "who is responsible for it"
reason = "why it cannot be kept now"
expires = 2027-03-31"""
