"""Helpers for all probes: plans with unique contexts, and the base call that probes change."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from aptix_conformance.core.model import Call, Change, Disturbance, Stimulus
from aptix_conformance.core.model.labels import write_label
from aptix_conformance.stimuli.probes.probe import Subject

Demand = Literal["refused", "accepted", "either"]

_MAX_NAME: Final = 60


def plan(
    subject: Subject,
    probe: str,
    change: Change,
    arguments: str | None,
    demand: Demand = "either",
    expected: str | None = None,
    disturbance: Disturbance | None = None,
) -> Stimulus:
    """A plan for one call, with a complete, unique context if the tool's system passes one."""
    contexts = subject.declaration.traits.contexts
    label = write_label(change, disturbance)
    context = contexts.fresh(subject.seed, subject.tool, probe, label, arguments) if contexts else None
    return Stimulus(probe, change, arguments, context, demand, disturbance, expected)


def argument_label(name: str) -> str:
    """A property's name for a label: printable, with at most 60 characters."""
    text = name if name.isprintable() else json.dumps(name)[1:-1]
    return text if len(text) <= _MAX_NAME else text[: _MAX_NAME - 1] + "…"


@dataclass(frozen=True, slots=True)
class Base:
    """The arguments that a probe changes.

    `proven` means that a call with them succeeded, and that equal calls are known to end alike. Only then must a call
    succeed after a change that must not matter.
    """

    arguments: Mapping[str, Any]
    proven: bool


def base_of(subject: Subject, calls: Sequence[Call]) -> Base:
    """The first valid call that succeeded; if none did, an example or the minimal arguments of the schema."""
    for arguments in succeeded(calls):
        return Base(arguments, proven=repeatable(calls))
    if subject.settings.examples:
        return Base(subject.settings.examples[0].arguments, proven=False)
    generator = subject.arguments
    return Base((generator.minimal() if generator else None) or {}, proven=False)


def selectors(properties: Mapping[str, object]) -> list[str]:
    """The arguments that take one of some listed values, or true or false: what else a call needs may depend on them."""
    return [
        name
        for name, node in properties.items()
        if isinstance(node, dict) and ("enum" in node or node.get("type") == "boolean")
    ]


def succeeded(calls: Sequence[Call]) -> Iterator[dict[str, Any]]:
    """The arguments of every valid call that succeeded, in the order of the calls.

    One that asked a service for what its recording does not have is no such call, whatever it returned.
    """
    for call in calls:
        if call.unrecorded:
            continue
        if call.plan.probe == "valid" and call.succeeded and call.plan.arguments is not None:
            yield json.loads(call.plan.arguments)


def payload_text(call: Call) -> str:
    """The payload of a call's result; empty where there is none."""
    return (call.result and call.result.payload) or ""


def repeatable(calls: Sequence[Call]) -> bool:
    """Whether equal valid calls were repeated, and all succeeded or all failed.

    A tool that changes state may answer a second call with "exists already". To expect success of its next call would
    give a false finding.
    """
    outcomes: dict[str | None, list[bool]] = {}
    for call in calls:
        if call.plan.probe == "valid":
            outcomes.setdefault(call.plan.arguments, []).append(call.succeeded)
    repeated = [answers for answers in outcomes.values() if len(answers) > 1]
    return any(all(answers) for answers in repeated) and all(len(set(answers)) == 1 for answers in repeated)
