"""RES010 to RES012, RES014 and CTX005: results of calls that are repeated: in sequence, concurrently, after others."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.schemas.shapes import conflict, leaves
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.context import is_foreign, is_unwarranted
from aptix_conformance.rules.lib.answers import shape_of, shown_among, values_by_place
from aptix_conformance.rules.lib.declarations import usage_text
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_readable_payload,
    payload_of,
    strings_in,
)
from aptix_conformance.rules.lib.earlier_calls import (
    AnyTellingCall,
    alternating,
    by_turns,
    changed_by_others,
    grown,
    names_time,
    of_hash_seed,
    seeded,
)
from aptix_conformance.rules.lib.identifiers import bare, identifiers, own_identifiers, without_identifiers
from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.neighbours import (
    TELLING,
    is_last_of_neighbours,
    leaked_texts,
    same,
    taken_over,
)
from aptix_conformance.rules.lib.scope import (
    answered,
    any_call,
    both,
    came_back,
    of_kind,
    payload,
    repeated,
    thrown,
    together,
)
from aptix_conformance.stimuli.probes import alone
from aptix_conformance.stimuli.probes.after_refusals import fails_without_refusals
from aptix_conformance.stimuli.probes.claims import claims_idempotence

_TWICE: Final = 2


def _is_legible(call: Call) -> bool:
    """The call was refused, or its payload can be read."""
    return call.refused or has_readable_payload(call)


def _equal_calls(exploration: Exploration, *probes: str) -> Iterator[list[Call]]:
    """Groups of at least two undisturbed, successful calls with equal arguments."""
    groups: dict[str, list[Call]] = {}
    for call in exploration.calls:
        if call.plan.probe in probes and call.plan.disturbance is None and has_readable_payload(call):
            groups.setdefault(json.dumps(arguments_of(call), sort_keys=True), []).append(call)
    return (calls for calls in groups.values() if len(calls) > 1)


@rule(
    "RES010",
    "AGN-005.12.1",
    when=lambda exploration: (
        any(True for _ in _equal_calls(exploration, "valid", "repeat")) or bool(by_turns(exploration.calls))
    ),
    unseen_reason=NoSuccess("no results of equal calls could be compared"),
    remedy="Give every result the same keys; use null for a missing value.",
)
def equal_calls_have_results_of_one_shape(exploration: Exploration) -> Finding | None:
    """Calls with the same arguments have results of the same shape: the same keys, and values of the same types.

    Values may differ, null may stand for anything, and arrays may be empty; where a result may be any text, so may a sentence
    in place of JSON, such as "No orders." A tool may refuse what it has done already; one that succeeds and fails by turns keeps
    something that has nothing to do with the call, such as the place at which a regular expression with the flag g goes on.
    """
    turns = by_turns(exploration.calls)
    if turns:
        return Finding(f"Of {len(turns)} equal calls in a row each second one failed.", turns[1])
    for calls in _equal_calls(exploration, "valid", "repeat"):
        written = [(call, shape_of(call)) for call in calls if not payload_of(call).is_prose]
        for call, shape in written[1:]:
            fault = conflict(written[0][1], shape)
            if fault:
                return Finding(f"The payload {printable(fault, 200)}.", call)
    return None


@rule(
    "RES011",
    "AGN-005.12.1",
    when=any_call(of_kind(Kind.IDEMPOTENT), _is_legible),
    unseen_reason=NotApplicable(
        "its configuration does not say idempotent = true", asked_for=lambda settings: settings.idempotent
    ),
    remedy="Leave values that change between calls out of the result, or remove idempotent = true from the configuration.",
)
def idempotent_tool_repeats_itself(exploration: Exploration) -> Finding | None:
    """A tool that its author calls idempotent gives equal calls equal results, except for the calls' own identifiers.

    The author's examples and the other calls that worked first count too: what a process has used up shows in no later call.
    """
    first_answers: dict[str, tuple[bool, Any]] = {}
    for call in exploration.calls:
        among = repeated(call) or is_last_of_neighbours(call) or _worked_first(call)
        if not (among and _is_legible(call)) or (together(call) and call.refused):
            continue
        answer = (call.succeeded, without_identifiers(call) if call.succeeded else None)
        first = first_answers.setdefault(call.plan.arguments or "", answer)
        if first[0] and not answer[0]:
            error = quoted(next(error_texts(call), ""), 100)
            return Finding(f"A call that succeeded failed when it was repeated: {error}.", call)
        if first != answer and call.succeeded:
            return Finding(f"The payload became {payload(call)} when the call was repeated.", call)
    return None


def _worked_first(call: Call) -> bool:
    """The call was one of the first to succeed, before any probe repeated calls."""
    return call.plan.probe == "valid" and call.plan.kind is not Kind.GENERATED and call.succeeded


def _before_refusals(exploration: Exploration) -> tuple[str, list[Call]]:
    """The probe that made a call after refused ones, and the equal calls that had succeeded without them; none where it is unsure.

    A call that succeeds only once in each folder failed there each time after the first.
    """
    own = (call for call in exploration.calls if call.plan.probe == "after-refusals" and came_back(call))
    before = [call for call in own if call.plan.kind is Kind.SAME]
    worked = [call.succeeded for call in before]
    if len(before) < _TWICE or not worked[0]:
        return "", []
    if not any(worked[1:]):
        return "refusals-first", before[:1]
    return "after-refusals", before if all(worked) else []


@rule(
    "RES012",
    "AGN-005.12.1",
    when=AnyTellingCall(both(of_kind(Kind.AFTER), came_back), silent=fails_without_refusals),
    unseen_reason=NotApplicable("no call that works could be made again after a refused call"),
    probes=("malformed", "invalid", "after-refusals", "refusals-first", "without-refusals"),
    remedy="Refuse before you change anything, or undo it in try … finally: release locks, roll back, close files; never "
    "use a mutable default argument.",
)
def refused_call_leaves_nothing_behind(exploration: Exploration) -> Finding | None:
    """A call that works still works, with a result of the same form, after calls that the tool refused.

    The model corrects its arguments and calls again. A lock, a transaction or a list that the refused call has left makes
    the correct call fail, or gives it another result. A call that succeeds only once in each folder is made in two folders: in
    one alone, in the other after the refused calls. A call that also fails in the same words where
    none was refused before it shows nothing: the tool takes only so many.
    """
    probe, before = _before_refusals(exploration)
    if not before:
        return None
    own = [call for call in exploration.calls if call.plan.probe == probe and came_back(call)]
    shapes = [shape_of(call) for call in before if has_readable_payload(call)]
    if any(conflict(shapes[0], shape) for shape in shapes[1:]):
        return None  # RES010 judges calls that differ without a refusal
    sent = set[str]()
    fails_alone = fails_without_refusals(exploration.calls)
    for call in own:
        if call.plan.kind is Kind.AGAIN:
            texts = {text for text in strings_in(arguments_of(call)) if len(text) >= TELLING}
            sent |= texts - shown_among(texts, before)
        if call.plan.kind is not Kind.AFTER or fails_alone(call):
            continue
        if not call.succeeded:
            reason = (
                printable(next(error_texts(call), ""), 100).removesuffix(".")
                if call.refused
                else thrown(call)
            )
            times = f"{len(before)} times" if len(before) > 1 else "in a folder of its own"
            return Finding(f"A call that had succeeded {times} failed after a refused call: {reason}.", call)
        if not has_readable_payload(call):
            continue
        fault = conflict(shapes[0], shape_of(call)) if shapes else None
        if fault:
            return Finding(f"The payload {printable(fault, 200)}, after a refused call.", call)
        leaked = shown_among(sent, [call])
        if leaked:
            return Finding(f"The payload holds {quoted(min(leaked))}, an argument of a refused call.", call)
    return None


@rule(
    "RES014",
    "AGN-005.12.1",
    applies=lambda declaration: (
        None
        if claims_idempotence(usage_text(declaration))
        else "its usage text does not say that it is idempotent or only reads, or that equal calls have equal answers"
    ),
    when=any_call(lambda call: is_last_of_neighbours(call) or of_hash_seed(call), has_readable_payload),
    unseen_reason=NotApplicable("no call that works could be made again after others"),
    differs_by="what changed the answer, and the place in the payload that changed",
    remedy="Keep what a call collects in local variables: no mutable default argument, no list on the class, a cache whose key "
    "has every argument. Sort what comes from a set.",
    source="advice",
)
def result_holds_nothing_of_earlier_calls(exploration: Exploration) -> Finding | None:
    """A tool whose usage text promises equal answers gives a call the same one in each process, whatever was called before.

    A list in a default argument, or on the class, grows from call to call, and the model reads what another user sent. A
    cache whose key lacks an argument gives a call the answer to another one, and a switch that each call turns gives every second
    one another answer. A list made of a set has another order in each process of an agent. Values named for a time may
    change. "Idempotent", "read-only", "deterministic" and "the same phrase always has the same translation" promise it.
    """
    last = [call for call in exploration.calls if is_last_of_neighbours(call) and has_readable_payload(call)]
    finding = _changed_by_others(exploration, last) if last else None
    if finding:
        return finding
    for shown, when in (
        (alternating(exploration.calls), "in every second one of equal calls"),
        (seeded(exploration.calls), "in a process in which texts have other hashes"),
    ):
        if shown:
            place, call = shown
            message = f"{printable(place, 60)} of the payload is another {when}: {payload(call)}."
            return Finding(message, call, _rule_before(exploration, call), cause=(when, place))
    return None


def _changed_by_others(exploration: Exploration, last: Sequence[Call]) -> Finding | None:
    """The proof that calls with other arguments changed the answer of `last`, equal calls after them."""
    defers_to = _rule_before(exploration, last[0])
    leaked = leaked_texts(exploration.calls, last)
    if leaked:
        return Finding(
            f"The payload holds {quoted(min(leaked))}, an argument of an earlier call.", last[0], defers_to
        )
    place = changed_by_others(exploration.calls, last) or grown(exploration.calls, last)
    if place:
        message = f"{printable(place, 60)} of the payload is another after calls with other arguments: {payload(last[0])}."
        return Finding(message, last[0], defers_to, cause=("changed", place))
    return None


def _rule_before(exploration: Exploration, last: Call) -> str:
    """The rule that reports an answer which earlier calls changed before RES014 does; empty where none does."""
    if any(True for _ in taken_over(exploration.calls)):
        return "CTX005"
    if exploration.declarations and (own := exploration.declarations[0].own_rules.equal_answers):
        return own
    return "RES011" if last.plan.kind is Kind.IDEMPOTENT else ""


@rule(
    "CTX005",
    "TUL-011.3.3",
    "AGN-005.5.1",
    "MCP.C.8",
    when=any_call(repeated, _is_legible),
    unseen_reason=NoSuccess("no call could be repeated with a result that can be read"),
    differs_by="the argument of which the result shows another call's value; all other findings count as one",
    remedy="Keep the data of a call in local variables, never on the class, in the module or on a service.",
)
def calls_do_not_mix(exploration: Exploration) -> Iterator[Finding]:
    """No result holds an identifier or an argument of another call, earlier or concurrent.

    Each call has unique identifiers, so that they are recognised in another result. Inside arrays they may be data.
    """
    foreign = any(is_foreign(call) for call in exploration.calls if not together(call))
    yield from taken_over(exploration.calls)
    for finding in (*_borrowed(exploration.calls), *_swapped(exploration)):
        yield replace(finding, defers_to="CTX003") if foreign else finding


def _borrowed(calls: Sequence[Call]) -> Iterator[Finding]:
    """A finding for each result, failed or not, that holds an identifier of another call.

    Most results hold only their own identifiers. A text search shows that without parsing JSON.
    """
    owned = [(call, own_identifiers(call)) for call in calls]
    owners: dict[str, Call] = {}
    for call, own in owned:
        for identifier in own:
            owners.setdefault(identifier, call)
    for call, own in owned:
        if not answered(call):
            continue
        raw = ((call.result and call.result.payload) or "", *error_texts(call))
        if not any(shown in owners and shown not in own for text in raw for shown in identifiers(text)):
            continue
        other = next((each for each in _shown_identifiers(call) if each in owners and each not in own), None)
        if other and other not in bare(call.plan.arguments or ""):
            owner = printable(owners[other].plan.arguments or "null", 90)
            message = f"The result holds {other}, an identifier of another call, with {owner}."
            yield Finding(message, call, "CTX004" if is_unwarranted(call) else "")


def _shown_identifiers(call: Call) -> Iterator[str]:
    """The identifiers in a result's messages, and in its payload outside arrays."""
    for text in error_texts(call):
        yield from identifiers(text)
    if has_readable_payload(call):
        for place, value in leaves(payload_of(call).value):
            if isinstance(value, str) and "[" not in place:
                yield from identifiers(value)


def _steady(calls: Iterable[Call]) -> dict[str, dict[str, Any]]:
    """By arguments, then by place in the payload: the values that were equal in all of some calls."""
    steady: dict[str, dict[str, Any]] = {}
    for call in calls:
        values = values_by_place(call)
        arguments = call.plan.arguments or ""
        before = steady.get(arguments, values)
        steady[arguments] = {p: v for p, v in values.items() if p in before and same(before[p], v)}
    return steady


def _alone(exploration: Exploration) -> Iterator[dict[str, dict[str, Any]]]:
    """The steady values of calls made one after the other: those of the probe repeat, and those of the probe alone."""
    readable = list(filter(has_readable_payload, exploration.calls))
    yield _steady(call for call in readable if repeated(call) and not together(call))
    times = Counter(call.plan.arguments for call in readable if call.plan.probe == alone.NAME)
    yield _steady(
        call
        for call in readable
        if call.plan.probe == alone.NAME and times[call.plan.arguments] >= alone.LEAST
    )


def _swapped(exploration: Exploration) -> Iterator[Finding]:
    """A finding for each concurrent call whose result holds values that belong to another call's arguments.

    A value belongs to arguments if it is the same whenever they are sent alone, and another one with other arguments.
    """
    steady, controls = _alone(exploration)
    for call in exploration.calls:
        text = call.plan.arguments or ""
        if not together(call) or text not in steady or text not in controls or not has_readable_payload(call):
            continue
        own, values = steady[text], values_by_place(call)
        for arguments, others in steady.items():
            telling = [
                p
                for p in own
                if p in others
                and p in values
                and "[" not in p
                and not names_time(p)
                and not same(own[p], others[p])
                and _differs(controls[text], controls.get(arguments, {}), p)
            ]
            swapped = [place for place in telling if same(values[place], others[place])]
            # One number may be equal by chance. A string is not, and neither is every value that differs between the two.
            if swapped and (swapped == telling or any(isinstance(values[place], str) for place in swapped)):
                yield Finding(
                    f"{printable(swapped[0], 60)} is {printable(json.dumps(values[swapped[0]]), 60)}, as for {printable(arguments, 60)}, a call "
                    f"that was made at the same time.",
                    call,
                )
                break


def _differs(one: Mapping[str, Any], other: Mapping[str, Any], place: str) -> bool:
    return place in one and place in other and not same(one[place], other[place])
