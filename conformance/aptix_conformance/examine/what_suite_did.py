"""A sentence for people that says what the suite did to make a call.

An author must be able to tell the suite's doing from the tool's: a planted exception, a cancelled token, an emptied
context. The sentence says so, and the finding's message says what the tool did then.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aptix_conformance.core.model import (
    Call,
    CancellationPoint,
    Change,
    InjectedFault,
    Kind,
    Stimulus,
    kept_files,
)
from aptix_conformance.core.model.disturbance import (
    BrokenFiles,
    BrokenForm,
    Failure,
    OtherConditions,
    OtherDisturbance,
    OtherHashSeed,
    Outage,
    ProtocolStimulus,
    ReplacedCatalog,
    ScarceResource,
    Scarcity,
)
from aptix_conformance.core.model.notation import write_disturbance
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.stimuli.generate.boundaries import NAMED
from aptix_conformance.stimuli.probes.authors_world import KNOWN
from aptix_conformance.stimuli.probes.defaults import WITH_DEFAULT

_FAULTS: Final[Mapping[str, str]] = {
    "unknown": "raise an exception of a type that nobody expects, with a planted secret in its text",
    "key_error": "raise a KeyError with a planted secret in its text",
    "os_error": "raise an OSError with a planted secret in its text",
    "library_error": "raise its library's own error with a planted secret in its text",
    "outside_error": "find that the system cannot open or reach what it asked for",
    "timeout": "raise a TimeoutError with a planted secret in its text",
    "exception_group": "raise an ExceptionGroup with a planted secret in its text",
    "unprintable": "raise an exception whose text cannot be read",
    "own": "raise what it raises for a broken document",
    "gives_none": "return None",
    "gives_wrong_type": "return an object of another type",
    "never_answers": "never answer, and then cancelled the token",
}
"""The effect on a dependency, by the kind of the injected fault."""

_BROKEN: Final[Mapping[BrokenForm, str]] = {
    "not-utf-8": "had put bytes that are no UTF-8 into each file of its `files`",
    "empty": "had emptied each file of its `files`",
    "folder": "had put a folder in the place of each file of its `files`",
    "link": "had put a link that leads to itself in the place of each file of its `files`",
}
"""The preparation of the tool's files before the call, by their form."""

_SCARCITIES: Final[Mapping[Scarcity, str]] = {
    "full-disk": "had filled the disk that the server may write to",
    "read-only-folder": "had made the folder read-only that the server may write to",
    "no-descriptors": "had left the server no file descriptor to open",
}
"""The preparation of the process before the call, by the scarce resource."""

_OUTAGES: Final[Mapping[Failure, str]] = {
    "500": "answered each request to a recorded service with the status 500",
    "429": "answered each request to a recorded service with the status 429",
    "refused": "reset each connection to a recorded service",
    "cut": "ended each answer of a recorded service in the middle of its body",
    "not-json": "answered each request to a recorded service with a page of HTML in place of its JSON",
    "encoding": "answered each request to a recorded service with bytes that are no UTF-8",
    "certificate": "showed the certificate of another host for each recorded service",
}
"""How the services failed during the call."""

_REPEATED: Final = "repeated a call that works"
_BASES: Final[Mapping[str, str]] = {"none": "passed no context at all", "empty": "passed an empty context"}


def what_suite_did(call: Call, *, works: bool = True) -> str:
    """The call that was sent, and how it was disturbed while it ran: `The suite sent …, and made … raise …`.

    A disturbance that the call did not come to is left out. `works` is false for a repeated call that fails undisturbed, too.
    """
    disturbance = call.plan.disturbance
    if isinstance(disturbance, ProtocolStimulus) and disturbance.said:
        return f"The suite {printable(disturbance.said, 160)}."
    sent, disturbed = _sent(_described_change(call.plan), call.plan.probe), _disturbed(call)
    if not works:
        sent = sent.replace(_REPEATED, "repeated a call", 1)
    return f"The suite {' and '.join(part for part in (sent, disturbed) if part)}."


def _described_change(plan: Stimulus) -> Change:
    """The change of a plan; a changed text that was shrunk to nothing is described as blank."""
    is_nothing = plan.change.kind is Kind.MUTATION and not (plan.arguments or "").strip()
    return Change(Kind.BLANK) if is_nothing else plan.change


def works_undisturbed(call: Call, calls: Sequence[Call]) -> bool:
    """Whether a call, or the one that it was made smaller from, succeeds where nothing disturbs it, as far as was seen."""
    usual = [each for each in calls if each.plan.disturbance is None and each.plan.kind is not Kind.CONTEXT]
    equal = [each for each in usual if each.plan.arguments == call.plan.arguments]
    return any(each.succeeded for each in equal or usual)


def _sent(change: Change, probe: str) -> str:
    make = _SENT.get(change.kind)
    if probe == kept_files.AT_ONCE and change.detail == kept_files.CLOSING:
        return "made this call after others with other values, which it had made at the same time"
    if change.kind is Kind.DISTURBED:
        return _REPEATED
    if make is None:
        detail = f": {printable(change.detail, 80)}" if change.detail else ""
        return f"made a call of its probe {printable(probe, 40)}{detail}"
    return make(change)


def _argument(change: Change) -> str:
    return quoted(change.argument or "", 60)


def _detail(change: Change) -> str:
    return printable(change.detail or "", 60)


def _boundary(change: Change) -> str:
    if change.detail == KNOWN:
        return f"sent for {_argument(change)} a value that a refusal, a description or a file of its author names"
    if (change.detail or "").startswith(NAMED):
        return f"sent for {_argument(change)} a value that its schema or description names"
    return f"sent {_argument(change)} at its bound {_detail(change)}"


def _in_brackets(change: Change) -> str:
    return f" ({_detail(change)})" if change.detail else ""


def _combined(change: Change) -> str:
    return ", ".join(_sent(part, "") for part in change.of)


def _repeated(change: Change) -> str:
    if change.of:
        return f"once more {_sent(change.of[0], '')}"
    return f"repeated call {change.number} of those that had succeeded"


def _context(change: Change) -> str:
    detail = _detail(change)
    if detail in _BASES:
        done = _BASES[detail]
    elif detail.startswith("without-"):
        done = f"left {detail.removeprefix('without-')} out of the context"
    elif detail.startswith("hostile-"):
        done = f"put a text that no tool expects ({detail.removeprefix('hostile-')}) into the context's identifiers"
    else:
        done = f"changed the context ({detail})"
    return f"{_REPEATED}, and {done}"


def _broken(change: Change) -> str:
    return f"sent for {_argument(change)} a value that breaks its {_detail(change) or change.kind}"


def _varied(change: Change) -> str:
    if change.detail == WITH_DEFAULT:
        return f"sent for {_argument(change)} the default that its schema declares"
    return f"varied {_argument(change)} of an example ({_detail(change)})"


def _unrelated(change: Change) -> str:
    what = f"for {_argument(change)} a value" if change.argument else "arguments"
    return f"sent {what} whose parts break the schema's {_detail(change)}"


_SENT: Final[Mapping[Kind, Callable[[Change], str]]] = {
    Kind.EXAMPLE: lambda change: f"sent the author's example {change.number}",
    Kind.DECLARED: lambda change: f"sent example {change.number} of the tool's own declaration",
    Kind.MINIMAL: lambda _: "sent only the required arguments",
    Kind.FULL: lambda _: "sent every argument that the schema declares",
    Kind.BOUNDARY: _boundary,
    Kind.GENERATED: lambda _: "sent arguments that the schema allows",
    Kind.EXTREME: lambda change: (
        f"sent for {_argument(change)} a value that the schema allows and few tools expect ({_detail(change)})"
    ),
    Kind.VARIED: _varied,
    Kind.AGAIN: _repeated,
    Kind.CONTEXT: _context,
    Kind.WHOLE: lambda _: "sent the same arguments with a complete context",
    Kind.BLANK: lambda _: "sent nothing or white space where a JSON object is expected",
    Kind.GARBAGE: lambda change: f"sent a text that is not JSON ({_detail(change)})",
    Kind.ROOT: lambda _: "sent JSON that is not an object",
    Kind.TRUNCATED: lambda _: "sent a JSON object that breaks off",
    Kind.LENIENT: lambda change: f"sent JSON that some parsers reject or read differently ({_detail(change)})",
    Kind.MUTATION: lambda _: "sent a JSON object after changing some characters",
    Kind.MISSING: lambda change: f"left out the required argument {_argument(change)}",
    Kind.NULL: lambda change: f"sent null for the required argument {_argument(change)}",
    Kind.TYPE: lambda change: (
        f"sent for {_argument(change)} "
        + ("an empty array" if change.detail == "empty-array" else f"a value of the type {_detail(change)}")
    ),
    Kind.COERCIBLE: lambda change: (
        f"sent for {_argument(change)} a value of another type that some parsers convert ({_detail(change)})"
    ),
    Kind.ENUM: lambda change: f"sent for {_argument(change)} a value that is not listed{_in_brackets(change)}",
    Kind.CONST: lambda change: f"sent for {_argument(change)} another value than the only one{_in_brackets(change)}",
    Kind.BOUNDS: _broken,
    Kind.LENGTH: _broken,
    Kind.ITEMS: _broken,
    Kind.RELATION: _unrelated,
    Kind.PATTERN: lambda change: f"sent for {_argument(change)} a text that its pattern does not match",
    Kind.FORMAT: lambda change: f"sent for {_argument(change)} a text that is not in its format",
    Kind.ADDITIONAL: lambda change: f"added the argument {_argument(change)}, which the schema forbids",
    Kind.OMITTED_OPTIONAL: lambda change: f"left out the optional argument {_argument(change)}",
    Kind.NULL_OPTIONAL: lambda change: f"sent null for the optional argument {_argument(change)}",
    Kind.COMBINED: _combined,
    Kind.SAME: lambda _: "made the same call several times",
    Kind.AFTER: lambda _: "made a call that works again, after a call that the tool refused",
    Kind.IDEMPOTENT: lambda _: "made the same call several times, since the project calls the tool idempotent",
    Kind.TOGETHER: lambda change: f"made {change.count} calls at the same time",
    Kind.TURN: lambda change: f"sent the listed value {change.number} of {_argument(change)}",
    Kind.EXTRA: lambda change: f"added the argument {_argument(change)}, which the schema does not declare",
    Kind.CONTROL: lambda change: f"added the argument {_argument(change)} with a value of no meaning",
    Kind.OTHER: lambda change: f"sent another value for {_argument(change)} and watched what the tool read",
}  # fmt: skip
"""The words for what was sent, by the kind of the change. A kind that is missing here is described by its probe."""


def _disturbed(call: Call) -> str:
    disturbance, disturbed = call.plan.disturbance, call.disturbed
    if disturbance is None or (disturbed is not None and not disturbed.reached):
        return ""
    place = printable(disturbed.place, 160) if disturbed and disturbed.place else ""
    match disturbance:
        case InjectedFault(fault=kind):
            injected = disturbed.injected if disturbed and disturbed.injected else kind
            how = ", each time until the call ended" if disturbance.lasts else ""
            return f"made {place or 'a dependency'} {_FAULTS.get(injected, 'fail')}{how}"
        case CancellationPoint():
            return _cancelled(disturbance, place)
        case ReplacedCatalog(name):
            return f"replaced its mode catalog by one of the suite's own ({printable(name, 40)})"
        case (
            OtherHashSeed()
            | OtherConditions()
            | BrokenFiles()
            | ScarceResource()
            | Outage()
            | ProtocolStimulus()
            | OtherDisturbance()
        ):
            return _other(disturbance, place)
    return ""


def _other(
    disturbance: OtherHashSeed
    | OtherConditions
    | BrokenFiles
    | ScarceResource
    | Outage
    | ProtocolStimulus
    | OtherDisturbance,
    place: str,
) -> str:
    if isinstance(disturbance, BrokenFiles):
        return _BROKEN[disturbance.form]
    if isinstance(disturbance, ScarceResource):
        return _SCARCITIES[disturbance.name]
    if isinstance(disturbance, Outage):
        return f"{_OUTAGES[disturbance.name]}{f' (first {place})' if place else ''}"
    if isinstance(disturbance, OtherHashSeed):
        return "used a fresh process in which texts have other hashes"
    if isinstance(disturbance, OtherConditions):
        words = " and ".join(f"another {name}" for name in disturbance.by_name)
        return f"used a fresh process with {words} ({printable(write_disturbance(disturbance), 80)})"
    return f"disturbed it ({printable(write_disturbance(disturbance), 80)})"


def _cancelled(point: CancellationPoint, place: str) -> str:
    at = f" at {place}" if place else ""
    match point.kind:
        case "watch":
            return ""
        case "before":
            return "cancelled its token before it began"
        case "token":
            return f"cancelled its token while it waited{at}"
        case "task":
            return f"cancelled its task while it waited{at}"
        case "delay":
            return f"cancelled its token {point.at:g} s after it began"
