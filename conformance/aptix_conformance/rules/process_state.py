"""EXC014, RES021 and RES024: what a call changes in its process, which other tools share, and what it leaves there."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Disturbed, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.declarations import usage_text
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.prose import sections
from aptix_conformance.rules.lib.scope import any_call, came_back, cancelled, sort_of_leftover, together
from aptix_conformance.rules.other_calls import JOINED, KEEPS

_TWICE: Final = 2
_WORK: Final = ("the task ", "the thread ", "the process ")
"""How the host describes work that goes on; a socket alone is none."""
_ENOUGH: Final = 6
"""Equal calls that all left something open."""
_OPENS: Final = re.compile(
    r"\b(?:open(?:s|ed|ing)?|connect\w*|sessions?|start(?:s|ed|ing)?|launch\w*|spawn\w*|watch\w*|listen\w*|subscri\w+|attach\w*|acquire\w*"
    r"|locks?|locked|streams?|handles?|background|serve[sd]?|servers?|terminals?|shells?|browsers?|tabs?|jobs?)\b",
    re.IGNORECASE,
)
"""Words of a tool that may leave something open on purpose."""
_MAKES_FILES: Final = re.compile(
    r"\b(?:files?|exports?|exported|render\w*|generat\w+|download\w*|convert\w*|screenshots?|images?|pictures?|charts?|reports?|documents?|drafts?"
    r"|pdfs?|archives?|compress\w*|load(?:s|ed|ing)?|models?)\b",
    re.IGNORECASE,
)
"""Words of a tool that may leave a file, or a large thing in memory, on purpose."""
_STEPS: Final = {"memory": 1024, "temporary files": 1, "child processes": 1, "threads": 1}
"""By how much each call lets what its process holds grow: memory in KiB, others by number."""
_GREW: Final = {
    "memory": "its process grow: from {} KiB before them to {} KiB",
    "temporary files": "temporary files: there were {} before them, and {} then",
    "child processes": "child processes: there were {} before them, and {} then",
    "threads": "threads: there were {} before them, and {} then",
}


def _is_observed(call: Call) -> bool:
    """The host noticed what this call, alone in its process, left changed."""
    return call.left_changed is not None and came_back(call) and not together(call)


@rule(
    "EXC014",
    "AGN-005.9.5",
    source="suite",
    when=any_call(_is_observed),
    unseen_reason=NotApplicable("its host does not notice what a call changes in its process"),
    differs_by="what was left changed, or the kind of task, thread or child process that was left running",
    remedy="Change nothing that all tools share; where a library wants it, undo it in a with statement or in finally: "
    "contextlib.chdir(…), decimal.localcontext(), warnings.catch_warnings(), random.Random(seed). Start threads and tasks "
    "once, or end them with the call; wait for child processes, or end them.",
)
def process_state_is_unchanged(exploration: Exploration) -> Iterator[Finding]:
    """A call leaves its process as it was: directory, environment, signals, locale, logging, and no more threads, tasks or child processes.

    In an agent, many tools share one process. What one call changes, the next tool finds changed, and what each call
    leaves running adds up. What the import of a library changes does not count, nor what the first call starts once for
    all later ones.
    """
    defers_to = "EXC007" if exploration.tampering else ""
    for call in filter(_is_observed, exploration.calls):
        for changed in call.left_changed or ():
            message = f"The call left {printable(changed, 120)} changed."
            yield Finding(message, call, defers_to, cause=changed)
    yield from _growing(exploration)


def _growing(exploration: Exploration) -> Iterator[Finding]:
    """A finding for each kind of background work that each of several equal calls has left, though it was not cancelled."""
    groups: dict[str | None, list[Call]] = {}
    for call in exploration.calls:
        is_watched = call.plan.cancellation is not None and not cancelled(call)
        if is_watched and call.earlier and came_back(call) and call.disturbed is not None:
            groups.setdefault(call.plan.arguments, []).append(call)
    for group in groups.values():
        if len(group) < _TWICE:
            continue
        for kind in sorted(set.intersection(*map(_leftovers, group))):
            message = f"Each of {len(group)} equal calls left {printable(kind, 120)} running."
            yield Finding(message, group[0], cause=kind, timed=True)


def _leftovers(call: Call) -> set[str]:
    """The kinds of work that a call left running. Work that the instance of the tool holds may live as long as it."""
    record = call.disturbed or Disturbed(reached=False)
    work, held = (set(map(sort_of_leftover, texts)) for texts in (record.left_running, record.kept_running))
    return {kind for kind in work - held if kind.startswith(_WORK)}


def _tells_what_is_open(call: Call) -> bool:
    is_single = call.succeeded and not together(call) and call.plan.disturbance is None
    return is_single and call.descriptors is not None and bool(call.earlier)


def _opens_on_purpose(declaration: Declaration) -> str | None:
    """The `applies` of RES021: a tool that opens something for later calls leaves it open."""
    purpose = "\n".join(line for section in sections(usage_text(declaration))[:2] for line in section.lines)
    match = _OPENS.search(JOINED.sub(" ", f"{declaration.tool_name.value or ''}\n{purpose}"))
    return (
        f"it speaks of {quoted(match[0], 40)}, and may leave something open for later calls"
        if match
        else None
    )


@rule(
    "RES021",
    source="suite",
    applies=_opens_on_purpose,
    when=lambda exploration: any(len(row) >= _ENOUGH for row in _equal_calls(exploration)),
    unseen_reason=NotApplicable(
        "its host does not count what is open in its process, or too few equal calls succeeded in one"
    ),
    probes=("malformed", "invalid", "context", "repeat", "after-refusals", "neighbours"),
    remedy="Close what a call opens in a with statement, in finally, or by await using: files, sockets, connections, child processes. Or "
    "open it once, and use it in all calls.",
)
def equal_calls_leave_nothing_open(exploration: Exploration) -> Finding | None:
    """Equal calls do not each leave a file, a socket or a pipe open.

    A process may have some thousand descriptors open, often 1,024; a server that leaves one with each call fails after a day,
    in a place that has nothing to do with the fault. What the first calls open for all later ones is no such growth, be it a
    pool, a cache or a lazy import: each of six calls or more with the same arguments, and the last of them, must have left something.
    """
    for row in _equal_calls(exploration):
        growing = _growing_to_the_end(row, _descriptors)
        if len(growing) >= _ENOUGH:
            first, last = _descriptors(growing[0]), _descriptors(growing[-1])
            figures = f"there were {first[0]} before them, and {last[1]} then"
            message = f"Each of the last {len(growing)} equal calls left file descriptors open: {figures}."
            return Finding(message, growing[-1], timed=True)
    return None


def _holds_on_purpose(declaration: Declaration) -> str | None:
    """The `applies` of RES024."""
    purpose = "\n".join(line for section in sections(usage_text(declaration))[:2] for line in section.lines)
    text = JOINED.sub(" ", f"{declaration.tool_name.value or ''}\n{purpose}")
    match = _OPENS.search(text) or KEEPS.search(text) or _MAKES_FILES.search(text)
    return f"it speaks of {quoted(match[0], 40)}, and may hold something for later calls" if match else None


@rule(
    "RES024",
    source="suite",
    applies=_holds_on_purpose,
    when=lambda exploration: any(
        any(call.held for call in row) and len(row) >= _ENOUGH for row in _equal_calls(exploration)
    ),
    unseen_reason=NotApplicable(
        "its host does not count what its process holds, or too few equal calls succeeded in one"
    ),
    probes=("malformed", "invalid", "context", "repeat", "after-refusals", "neighbours"),
    differs_by="what grew",
    remedy="Remove temporary files in finally, or by tempfile's with statements; wait for child processes and threads, or end them; keep no result of "
    "each call in a list or a cache without a bound.",
)
def equal_calls_let_nothing_grow(exploration: Exploration) -> Iterator[Finding]:
    """Equal calls do not each leave a temporary file, a child process or a thread, or a megabyte of memory.

    A server runs for weeks. What one call leaves is nothing, and what each call leaves fills the disk, the table of processes or the
    memory, and ends all tools of the process. What the first calls make for all later ones is no growth, be it a cache, a pool or
    a lazy import: each of six equal calls or more, and the last of them, must have left something. Memory that can be collected is not
    counted, and the threads of a child process are not counted beside it. EXC014 reports threads and tasks where the host knows them,
    RES021 descriptors, also those of child processes.
    """
    for kind, step in _STEPS.items():
        for row in _equal_calls(exploration):
            growing = _growing_to_the_end(row, _of_kind(kind), step)
            is_of_children = kind == "threads" and bool(_growing_to_the_end(row, _of_kind("child processes")))
            if len(growing) >= _ENOUGH and not is_of_children:
                before, after = _of_kind(kind)(growing[0])[0], _of_kind(kind)(growing[-1])[1]
                left = "let" if kind == "memory" else "left"
                message = (
                    f"Each of the last {len(growing)} equal calls {left} {_GREW[kind].format(before, after)}."
                )
                is_open = kind == "child processes" and len(_growing_to_the_end(row, _descriptors)) >= _ENOUGH
                yield Finding(message, growing[-1], "RES021" if is_open else "", cause=kind, timed=True)
                break


def _of_kind(kind: str) -> Callable[[Call], tuple[int, int]]:
    """How much a call's process held of a kind before and after it; nothing where that is not known."""
    return lambda call: next(((before, after) for name, before, after in call.held if name == kind), (0, 0))


def _descriptors(call: Call) -> tuple[int, int]:
    return call.descriptors or (0, 0)


def _equal_calls(exploration: Exploration) -> list[list[Call]]:
    """The calls with the same arguments in the same process, of which it is known what they left open."""
    rows: list[list[Call]] = []
    current: dict[tuple[int, str | None], list[Call]] = {}
    for call in exploration.calls:
        if not call.earlier:  # a new process
            current = {key: row for key, row in current.items() if key[0] != call.apart}
        if _tells_what_is_open(call):
            key = (call.apart, call.plan.arguments)
            if key not in current:
                rows.append(current.setdefault(key, []))
            current[key].append(call)
    return rows


def _growing_to_the_end(
    row: Sequence[Call], counts: Callable[[Call], tuple[int, int]], step: int = 1
) -> list[Call]:
    """The last of some equal calls, as far back as each left more by a step, and the next one found it so."""
    found: list[Call] = []
    least = math.inf
    for call in reversed(row):
        before, after = counts(call)
        if after - before < step or before > least - step:
            break
        found.insert(0, call)
        least = before
    return found
