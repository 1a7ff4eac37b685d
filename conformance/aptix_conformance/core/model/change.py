"""What was done to a call before it was sent, as typed data: the origin of its arguments and its context.

What happens to the call while it runs is its disturbance (`disturbance.py`). `labels.py` makes the text for people.
"""

from enum import StrEnum

from aptix_conformance.core.model.codec import Record


class Kind(StrEnum):
    """The kind of a change. Each kind says which members of `Change` it uses."""

    EXAMPLE = "example"
    """The author's example `number`."""
    DECLARED = "declared"
    """Example `number` of those that the tool declares itself."""
    MINIMAL = "minimal"
    FULL = "full"
    BOUNDARY = "boundary"
    """`argument` at the edge `detail` of what the schema allows."""
    GENERATED = "generated"
    """Drawn from the schema."""
    EXTREME = "extreme"
    """`argument` given a value, `detail`, that the schema allows and careless code does not expect."""
    VARIED = "varied"
    """An example whose `argument` was varied as `detail` says."""
    AGAIN = "again"
    """A repeated call: the one change in `of`, or call `number` of those that succeeded."""

    CONTEXT = "context"
    """Another context, named by `detail`; `turn` is set if the arguments differ from those of the base call."""
    WHOLE = "whole"
    """The same arguments as `turn`, in a complete context."""

    BLANK = "blank"
    """Nothing or white space, `detail`; this and the next four are entries of the corpus."""
    GARBAGE = "garbage"
    ROOT = "root"
    TRUNCATED = "truncated"
    LENIENT = "lenient"
    """Nearly JSON, or JSON on which parsers differ."""
    MUTATION = "mutation"
    """A valid document after drawn edits."""

    MISSING = "missing"
    """A required `argument` left out."""
    NULL = "null"
    TYPE = "type"
    """`argument` given a value of the type `detail`."""
    COERCIBLE = "coercible"
    """`argument` given a value, `detail`, that some parsers convert to the right type."""
    ENUM = "enum"
    CONST = "const"
    BOUNDS = "bounds"
    LENGTH = "length"
    ITEMS = "items"
    PATTERN = "pattern"
    FORMAT = "format"
    ADDITIONAL = "additional"
    RELATION = "relation"
    """`argument`, or all arguments where it is None, with parts that the keyword `detail` does not allow together."""
    OMITTED_OPTIONAL = "omitted-optional"
    NULL_OPTIONAL = "null-optional"
    COMBINED = "combined"
    """All the changes in `of` at once."""

    SAME = "same"
    """The arguments `detail`; repetition `number`."""
    AFTER = "after"
    """A call that works, made again after the refused call in `of`."""
    IDEMPOTENT = "idempotent"
    """As `same`, for a tool that the configuration calls idempotent."""
    TOGETHER = "together"
    """Call `number` of the `count` concurrent calls of the group `detail`."""

    TURN = "turn"
    """`argument` with listed value `number`; this and the next three are watched."""
    EXTRA = "extra"
    """A member, `argument`, that the schema does not declare, with value `number`."""
    CONTROL = "control"
    OTHER = "other"

    DISTURBED = "disturbed"
    """A successful call, changed only by its disturbance; repetition `number`."""
    CUSTOM = "custom"
    """The change of a third party's probe, described by `detail`."""


class Change(Record, frozen=True, omit_defaults=True):
    """What was done to one call.

    `argument` is the path of the changed argument, for people: `address.city`, `tags[0]`. Numbers count from 1. JSON
    leaves out the members that are not used.
    """

    kind: Kind
    argument: str | None = None
    detail: str | None = None
    turn: str | None = None
    number: int | None = None
    count: int | None = None
    of: tuple["Change", ...] = ()

    @property
    def original(self) -> "Change":
        """The change that this one repeats, or this one if it repeats none."""
        return self.of[0] if self.kind is Kind.AGAIN and self.of else self
