"""RES019: an argument that comes back in a result is the one that was sent."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.declarations import properties
from aptix_conformance.rules.lib.documents import plain
from aptix_conformance.rules.lib.echoes import (
    MOVED,
    ROUNDED,
    damage,
    has_telling_echo,
    is_changed,
    is_kept,
    is_plain,
    telling_echoes,
)
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import any_call
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.generate.schema_members import ELEMENT, Members, join, parts

_ZONE: Final = ("zone", "tz", "offset")
"""Words in the name of an argument by which a tool may be asked to move a time."""


@rule(
    "RES019",
    source="suite",
    when=any_call(has_telling_echo),
    unseen_reason=NotApplicable(
        "no result showed an argument, under its name, that is a large integer, a text beyond ASCII or a time with an offset"
    ),
    probes=("extremes",),
    differs_by="the argument, and what was shown in place of it",
    remedy="Take identifiers beyond 9007199254740991 as texts, or declare that as the maximum; compute integers as integers. Decode "
    "bytes as UTF-8. Keep the offset of a time, or convert the time with it.",
)
def argument_comes_back_as_it_was_sent(exploration: Exploration) -> Iterator[Finding]:
    """An argument that a result shows under its own name is not damaged.

    The model goes on with what it reads: an identifier that was rounded is another record's. Found is what can be nothing
    else than damage: an integer beyond 2^53 as its nearest double, which JSON.parse in JavaScript makes of it, or as what
    is left of it in 32 or 64 bits; a text whose bytes were read in another encoding, or lost; a time of day with
    another offset. A tool that trims, converts or clamps an argument conforms, and so does one that rounds smaller
    integers too.
    """
    rounded: dict[str, bool] = {}
    for call in filter(is_plain, exploration.calls):
        for name, sent, shown in telling_echoes(call):
            kind = damage(sent, shown)
            key = plain(name)
            if not kind or (kind == MOVED and _may_move_times(exploration)):
                continue
            if kind == ROUNDED and not rounded.setdefault(key, _rounds_large_ones_only(exploration, key)):
                continue
            message = f"{printable(name, 60)} came back as {printable(str(shown), 60)}, {kind}."
            yield Finding(message, call, cause=(key, kind))


def _may_move_times(exploration: Exploration) -> bool:
    """Whether a tool has an argument by which it may be asked to say a time in another zone."""
    names = (name.casefold() for each in exploration.declarations[:1] for name in properties(each))
    return any(word in name for name in names for word in _ZONE)


def _rounds_large_ones_only(exploration: Exploration, name: str) -> bool:
    """Whether the schema wants integers of that name, and those that a double holds came back as they were sent."""
    own = [call for call in exploration.calls if is_plain(call)]
    is_integer = any(_wants_integers(each, name) for each in exploration.declarations[:1])
    return (
        is_integer
        and any(is_kept(call, name) for call in own)
        and not any(is_changed(call, name) for call in own)
    )


def _wants_integers(declaration: Declaration, name: str) -> bool:
    """Whether each member of that name, or its elements, may be an integer and no fraction."""
    schema: Mapping[str, Any] | None = usable_schema(declaration)[0]
    if schema is None:
        return False
    members = Members(schema)
    paths = [path for path in members.paths if plain(parts(path)[-1]) == name]
    elements = [join(path, ELEMENT) for path in paths]
    types = {kind for path in (*paths, *elements) for shape in members.shapes(path) for kind in shape.types}
    return "integer" in types and "number" not in types
