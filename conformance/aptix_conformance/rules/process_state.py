"""EXC014: what a call changes in its process, which other tools share, and what it leaves running there."""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Call, Disturbed, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import any_call, came_back, cancelled, sort_of_leftover, together

_TWICE: Final = 2
_WORK: Final = ("the task ", "the thread ", "the process ")
"""How the host describes work that goes on; a socket alone is none."""


def _is_observed(call: Call) -> bool:
    """The host noticed what this call, alone in its process, left changed."""
    return call.left_changed is not None and came_back(call) and not together(call)


@rule(
    "EXC014",
    "AGN-005.9.5",
    source="suite",
    when=any_call(_is_observed),
    not_applicable="its host does not notice what a call changes in its process",
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
