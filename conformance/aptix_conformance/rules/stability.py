"""SCH017 and USE015: a tool's declaration must not depend on where and when it is read.

The emitted text is compared. A canonical form would hide an order of keys that depends on the hash seed.
"""

from collections.abc import Callable
from typing import Final

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.hosts.conditions import PROCESS, in_words
from aptix_conformance.rules.lib.kernel import Finding, rule

_UNREAD: Final = "the declaration was not read again in another process"
_AROUND: Final = 20
"""Characters shown before a difference."""
_SHOWN: Final = 60


def difference(first: str, second: str) -> str:
    """The first difference between two texts, as a phrase with an excerpt of each."""
    pairs = enumerate(zip(first, second, strict=False))
    place = next((i for i, pair in pairs if pair[0] != pair[1]), min(len(first), len(second)))
    begin = max(0, place - _AROUND)
    one, other = (text[begin : place + _SHOWN - _AROUND] for text in (first, second))
    return f"from character {place} on: {printable(one, _SHOWN)}, then {printable(other, _SHOWN)}"


def _was_read_again(exploration: Exploration) -> bool:
    return any(declaration.when in ("restarted", "threads") for declaration in exploration.declarations)


def _schemas(exploration: Exploration) -> bool:
    return _was_read_again(exploration) and exploration.declarations[0].schema.outcome == "returned"


def _usage_texts(exploration: Exploration) -> bool:
    return _was_read_again(exploration) and exploration.declarations[0].usage_text.value is not None


@rule(
    "SCH017",
    "AGN-005.7.1",
    "TUL-011.4.3",
    "AMP.3.5",
    "ART.1.1",
    when=_schemas,
    unseen_reason=f"{_UNREAD}, or there is no schema",
    remedy="Build a new schema from constants each time: no set whose order depends on the hash seed; no time, also of a "
    "file; no user, locale, directory, host name, PID, address of an object or random value; no environment variable that "
    "`env` in the configuration does not set; nothing that calls or threads change.",
)
def schema_survives_a_restart(exploration: Exploration) -> Finding | None:
    """The schema has the same text in every process.

    The hash seed, time zone, locale, clock, times of files, directory, user, host name, PID and environment variables do not
    change it; nor do calls or a second thread. The model's prompt is cached by its text, and the schema that was reviewed must
    be the one that is sent. A variable that `env` in the configuration sets is a part of the tool, and is not changed. A tool
    that cannot be read with other variables has broken nothing: the report says then that they were not changed.
    """
    first = exploration.declarations[0]
    # A schema of random parts may happen to read the same twice in the first process, and differ twice in a later one.
    unstable = first.schema != first.schema_again or any(map(_differs_by_itself, exploration.declarations))
    gives_way = "SCH012" if unstable else ""
    worst = _simplest(exploration, lambda d: d.schema != first.schema or d.schema_again != first.schema)
    if worst is None:
        return None
    reading = worst.schema if worst.schema != first.schema else worst.schema_again
    if reading.text is None:
        fault = printable(reading.error or reading.outcome, 200)
        return Finding(
            f"It could not be read {_where(worst)}: {fault}.", defers_to=gives_way, declaration=worst
        )
    differs = difference(first.schema.text or "", reading.text)
    return Finding(f"It differs {_where(worst)}, {differs}.", defers_to=gives_way, declaration=worst)


@rule(
    "USE015",
    "AGN-005.7.5",
    "TUL-011.2.3",
    when=_usage_texts,
    unseen_reason=f"{_UNREAD}, or there is no usage text",
    remedy="Write TOOL_USAGE_METADATA as a constant text: compute no part of it from the environment.",
)
def usage_text_survives_a_restart(exploration: Exploration) -> Finding | None:
    """The usage text is the same in every process, as a constant is."""
    first = exploration.declarations[0].usage_text.value or ""
    worst = _simplest(exploration, lambda d: (d.usage_text.value or "") != first)
    if worst is None:
        return None
    differs = difference(first, worst.usage_text.value or "")
    return Finding(f"It differs {_where(worst)}, {differs}.", declaration=worst)


def _differs_by_itself(declaration: Declaration) -> bool:
    """Whether the schema was read twice in one process, with different texts."""
    texts = (declaration.schema.text, declaration.schema_again.text)
    return None not in texts and texts[0] != texts[1]


def _simplest(exploration: Exploration, differs: Callable[[Declaration], bool]) -> Declaration | None:
    """The differing declaration that was read under the fewest conditions; what differs in each process comes first.

    Next is one after calls, which a new process may have served. One that names no condition, such as that of a new process in place of one that has ended, comes last.
    """
    later = exploration.declarations[1:]
    return min(
        filter(differs, later),
        key=lambda d: (
            list(d.conditions) != [PROCESS],
            d.when != "after_calls",
            not d.conditions and d.when != "threads",
            len(d.conditions),
        ),
        default=None,
    )


def _where(declaration: Declaration) -> str:
    if declaration.when == "after_calls":
        return "in the same process after calls"
    if declaration.when == "threads":
        return "when two threads read it at once"
    return in_words(declaration.conditions)
