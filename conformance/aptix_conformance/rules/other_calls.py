"""RES017 and RES018: what calls do to one another: lost updates, and what is kept though nobody asked for it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Exploration, Kind
from aptix_conformance.core.model.kept_files import AT_ONCE, IN_REVERSE, IN_TURN, is_closing
from aptix_conformance.core.schemas.shapes import leaves
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.declarations import properties, usage_text
from aptix_conformance.rules.lib.documents import has_readable_payload, payload_of
from aptix_conformance.rules.lib.earlier_calls import names_time
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.neighbours import (
    grown_by_others,
    is_last_of_neighbours,
    leaked_texts,
    taken_over,
)
from aptix_conformance.rules.lib.prose import sections
from aptix_conformance.rules.lib.scope import refused, together
from aptix_conformance.stimuli.probes.claims import claims_idempotence
from aptix_conformance.stimuli.probes.concurrent_updates import COUNT, WORDS, kept_at, row_of

_ONE_AT_A_TIME: Final = re.compile(
    r"\bnot (?:\w+ ){0,3}(?:thread|concurren\w+|re-?entran\w+)(?:[ -]safe)?\b|\bone (?:call|request) at a time\b"
    r"|\b(?:not|never|n't)\b[^.\n]{0,60}\b(?:concurrently|in parallel|at the same time|simultaneously)\b"
    r"|\bone after (?:the other|another)\b",
    re.IGNORECASE,
)
"""What a tool says that is not to be called while it serves another call."""
_BUSY: Final = re.compile(
    r"busy|too many|limit|at a time|at once|at the same time|concurren|simultaneous|parallel|another|in progress|already"
    r"|locked by|acquir|time[ds]?[ -]?out|rate|quota|throttl|again|retry|later|wait|overload|capacity|unavailable|pending",
    re.IGNORECASE,
)
"""What a tool says that takes only so many calls, which is a decision of its author."""
KEEPS: Final = re.compile(
    r"\b(?:note(?:s|d|book\w*|pad)?|stor(?:e|es|ed|age|ing)|sav(?:e|es|ed|ing)|keep(?:s|ing)?|kept|remember\w*|memor\w+|record\w*"
    r"|histor\w+|recent\w*|log(?:s|ged|ging|book)?|journal\w*|diar\w+|add(?:s|ed|ing)?|append\w*|insert\w*|regist\w+|book(?:ed|ings?|mark\w*)"
    r"|entr(?:y|ies)|updat\w+|(?:en)?queu\w+|push\w*|schedul\w+|subscri\w+|track\w*|collect\w*|carts?|baskets?|orders?|ordered"
    r"|session\w*|conversation\w*|cach\w+|drafts?|todos?|to-dos?|tasks?|remind\w*|previous\w*|earlier|so far|statistics|stats"
    r"|metrics?|audit\w*|trac(?:e|es|ing)|boards?|databases?|index\w*|upload\w*|writ(?:e|es|ten|ing)|creat\w+|counters?"
    r"|accumulat\w+|sends?|sent|posts?|posted|messag\w+|chat\w*|learn\w*|vot\w+|label\w*|plan(?:s|ned)?|states?|stateful|thread\w*|context\w*)\b",
    re.IGNORECASE,
)
"""Words of a tool that may keep what it is given on purpose."""
_VARYING: Final = re.compile(r"['\"].*?['\"]|\d+")
JOINED: Final = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
"""Where words of a name meet."""
_SMALL: Final = ("equal", "different", "swapped")
"""The groups of the probe `repeat` that have a few calls only."""
_TWICE: Final = 2


def _takes_calls_at_once(declaration: Declaration) -> str | None:
    """The `applies` of RES017."""
    match = _ONE_AT_A_TIME.search(usage_text(declaration))
    return f"it says that it takes no calls at the same time ({quoted(match[0], 60)})" if match else None


def _keeps_on_purpose(declaration: Declaration) -> str | None:
    """The `applies` of RES018: a tool that may keep things shows them to later calls."""
    text = usage_text(declaration)
    if claims_idempotence(text):
        return "RES014 asks the same of it, since it says that equal calls have equal answers"
    # What follows the purpose speaks of errors and other tools, in words such as `message` and `order`.
    purpose = "\n".join(line for section in sections(text)[:2] for line in section.lines)
    names = " ".join([declaration.tool_name.value or "", *properties(declaration)])
    match = KEEPS.search(JOINED.sub(" ", f"{names}\n{purpose}"))
    return f"it speaks of {quoted(match[0], 40)}, and may keep what it is given" if match else None


@rule(
    "RES017",
    source="suite",
    applies=_takes_calls_at_once,
    when=lambda exploration: _kept_in_turn(exploration) is not None or any(_failed(exploration)),
    unseen_reason=NotApplicable(
        "no call that succeeds alone failed beside others, and nothing was seen that its calls keep"
    ),
    probes=("repeat", "neighbours", "keeping", "in-turn", "in-reverse", "at-once"),
    differs_by="whether a call failed, or else what was lost",
    remedy="Hold a lock from reading to writing, also over processes where they share a file, or let a database add to a value; "
    "write a file under another name and rename it.",
)
def concurrent_calls_do_what_single_ones_do(exploration: Exploration) -> Iterator[Finding]:
    """Calls that are made at the same time keep what they keep one after another, and succeed where they succeed alone.

    Agents make calls in parallel, and several agents share a server. A tool that reads its file, changes what it has read and
    writes it back without a lock loses what the other calls wrote meanwhile, and tells each of them that it succeeded. Only
    what two orders of the same calls agree on is demanded, and not the order of entries. A finding counts where a fresh process shows it again.
    A tool is not judged that says that it takes no calls at the same time; neither is a refusal that says that the tool is busy.
    """
    for call in _failed(exploration):
        error = quoted(next(error_texts(call), "no message"), 100)
        message = f"A call that succeeds alone failed beside others: {error}."
        yield Finding(message, _shown_by(exploration, call), cause="failed", timed=True)
    kept = _kept_in_turn(exploration)
    if kept is not None:
        yield from _lost(kept, _group(exploration))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What two orders of the same calls keep alike: words in files, in the closing result, and sums of numbers by their places."""

    in_files: Mapping[str, str]
    """Each word, with the path of the first file that held it."""
    in_result: frozenset[str]
    sums: Mapping[str, Any]


def _kept_in_turn(exploration: Exploration) -> _Kept | None:
    """What the calls at the same time have to keep, too; None where that is nothing, or where they were not made."""
    turn, reverse = (row_of(exploration.calls, probe) for probe in (IN_TURN, IN_REVERSE))
    if not (turn and reverse and _group(exploration)):
        return None
    words = [_word_in(call) for call in turn]
    shown = (kept_at(turn[-1]), kept_at(reverse[-1]))
    # Without the word of the closing call the tool had not written yet when the host looked.
    has_files = all(words) and all(each.in_files(words) for each in shown)
    has_result = all(words) and all(each.in_payload(words[:-1]) for each in shown)
    kept = _Kept(
        {word: _file_with(word, turn[-1]) for word in words} if has_files else {},
        frozenset(words[:-1]) if has_result else frozenset(),
        _sums(turn, reverse),
    )
    return kept if kept.in_files or kept.in_result or kept.sums else None


def _group(exploration: Exploration) -> list[Call]:
    """The calls at the same time, with the closing one as the last; empty where that one did not succeed."""
    group = [call for call in exploration.calls if call.plan.probe == AT_ONCE][-COUNT - 1 :]
    return group if len(group) > COUNT and is_closing(group[-1].plan) and group[-1].succeeded else []


def _lost(kept: _Kept, group: Sequence[Call]) -> Iterator[Finding]:
    """What the calls at the same time did not keep: in files, else in the closing result, else in a sum."""
    *calls, closing = group
    sent = {_word_in(call) for call in calls if call.succeeded}
    now, own = kept_at(closing), _word_in(closing)
    lost = sorted(word for word in sent & kept.in_files.keys() if word not in now.files)
    if lost and own in now.files:
        file = printable(kept.in_files[lost[0]], 100)
        message = f"{file} did not hold all that {COUNT} calls at the same time wrote; it does after the same calls one after another."
        yield Finding(message, closing, cause="file", timed=True)
    elif any(word not in now.payload for word in sent & kept.in_result):
        message = f"The next result did not show all that {COUNT} calls at the same time kept; it does after the same calls one after another."
        yield Finding(message, closing, cause="result", timed=True)
    elif all(call.succeeded for call in calls) and has_readable_payload(closing):
        numbers = _numbers(closing)
        for place in sorted(place for place, total in kept.sums.items() if numbers.get(place, total) < total)[
            :1
        ]:
            message = f"{printable(place, 60)} of the next result grew less by {COUNT} calls at the same time than by the same calls one after another."
            yield Finding(message, closing, cause="sum", timed=True)


def _word_in(call: Call) -> str:
    """The word that a call sent; empty where it sent none."""
    text = (call.plan.arguments or "").lower()
    return next((word for word in WORDS if word in text), "")


def _file_with(word: str, call: Call) -> str:
    return next((path for path, text in call.files or () if word in f"{path}\n{text}".lower()), "")


def _sums(turn: Sequence[Call], reverse: Sequence[Call]) -> dict[str, Any]:
    """The numbers that grew with each call to the same sum in both orders, by their places."""
    if not all(map(has_readable_payload, (*turn, *reverse))):
        return {}
    rows = [[_numbers(call) for call in row] for row in (turn, reverse)]
    return {
        place: total
        for place, total in rows[0][-1].items()
        if all(_grows(row, place) for row in rows) and rows[1][-1][place] == total
    }


def _failed(exploration: Exploration) -> Iterator[Call]:
    """The refused calls in small groups that succeeded each time alone, in words in which no call was refused alone."""
    by_arguments: dict[str | None, list[bool]] = {}
    words = set[str]()
    for call in exploration.calls:
        if together(call) or call.plan.disturbance is not None:
            continue
        by_arguments.setdefault(call.plan.arguments, []).append(call.succeeded)
        words |= {_words(call)} if call.refused else set()
    for call in exploration.calls:
        if not (together(call) and refused(call)):
            continue
        alone = by_arguments.get(call.plan.arguments, [])
        is_small = call.plan.probe == AT_ONCE or call.plan.change.detail in _SMALL
        is_known = _words(call) in words or any(_BUSY.search(text) for text in error_texts(call))
        if is_small and len(alone) >= _TWICE and all(alone) and not is_known:
            yield call


def _words(call: Call) -> str:
    return _VARYING.sub("", next(error_texts(call), ""))


def _shown_by(exploration: Exploration, call: Call) -> Call:
    """The call of a group that stands for all: which of them fails may be chance."""
    own = call.plan.change
    group = [other for other in exploration.calls if other.plan.probe == call.plan.probe]
    if call.plan.probe == AT_ONCE:
        return group[-1]
    return next(
        other
        for other in group
        if other.plan.kind is Kind.TOGETHER
        and other.plan.change.detail == own.detail
        and other.plan.change.number == 1
    )


def _grows(row: Sequence[Mapping[str, Any]], place: str) -> bool:
    return all(place in numbers for numbers in row) and all(
        one[place] < other[place] for one, other in pairwise(row)
    )


def _numbers(call: Call) -> dict[str, Any]:
    """The numbers in a payload by their places, outside arrays and not named for a time."""
    return {
        place: value
        for place, value in leaves(payload_of(call).value)
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and "[" not in place
        and not names_time(place)
    }


@rule(
    "RES018",
    source="suite",
    applies=_keeps_on_purpose,
    when=lambda exploration: bool(_leaked(exploration)) or _grown(exploration) is not None,
    unseen_reason=NotApplicable(
        "no result held a text, and no array of one a number, that only an earlier call had sent"
    ),
    probes=("neighbours",),
    remedy="Keep what a call collects in local variables: no mutable default argument, no list on the class or in the module.",
)
def result_holds_no_text_of_another_call(exploration: Exploration) -> Finding | None:
    """A result holds no text or number that only an earlier call has sent, unless the tool keeps things on purpose.

    A list in a default argument, on the class or in the module grows from call to call, and the model reads what another user
    sent. The call was made alone before, and again after calls with other arguments. A tool is not judged whose name or texts
    speak of what may be kept, such as notes, a history or a list to which it adds, or one that keeps the text in a file. A number
    shows it in an array that grew by what calls had sent, and by nothing else.
    """
    leaked, grown, last = _leaked(exploration), _grown(exploration), _last(exploration)
    if not last or not (leaked or grown):
        return None
    defers_to = "CTX005" if any(True for _ in taken_over(exploration.calls)) else "MCP105"
    if last[0].plan.kind is Kind.IDEMPOTENT:
        defers_to = "RES011"
    message = f"The payload holds {quoted(min(leaked))}, an argument of an earlier call." if leaked else ""
    if grown and not leaked:
        place, numbers = grown
        message = f"{printable(place, 60)} of the payload grew by {printable(str(numbers[0]), 60)}, an argument of an earlier call."
    return Finding(message, last[0], defers_to)


def _last(exploration: Exploration) -> list[Call]:
    """The equal calls that come after those with other arguments, and can be read."""
    return [call for call in exploration.calls if is_last_of_neighbours(call) and has_readable_payload(call)]


def _grown(exploration: Exploration) -> tuple[str, list[Any]] | None:
    """The array of the last calls that grew by numbers of earlier ones, and these."""
    last = _last(exploration)
    return grown_by_others(exploration.calls, last) if last else None


def _leaked(exploration: Exploration) -> set[str]:
    """The texts that only earlier calls sent, that the last ones show, and no file holds."""
    last = _last(exploration)
    if not last:
        return set()
    files = "\n".join(text for call in last for _, text in call.files or ())
    return {text for text in leaked_texts(exploration.calls, last) if text not in files}
