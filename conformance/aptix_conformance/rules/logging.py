"""LOG: what a tool writes to the admin logger, and to standard output instead."""

from collections.abc import Iterator

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.scope import came_back, returned


@rule(
    "LOG001",
    "AGN-005.6.2",
    when=lambda call: any(r.method == "add_custom_event" or r.pairs or r.pairs_fault for r in call.logs),
    unseen_reason=NotApplicable("it logs no custom event, and nothing with pairs"),
    differs_by="the logger's method and the tag",
    remedy='Pass a custom event a sequence of pairs of strings: [("SessionId", session_id or "")]; pass the other methods each '
    'pair as an argument of its own: ("SessionId", session_id or "").',
)
def custom_events_carry_pairs(call: Call) -> Finding | None:
    """A custom event carries a sequence of pairs of strings, not a mapping, and so does all else that is logged with pairs.

    A logger takes each pair apart; a tool that gives it anything else raises while it logs.
    """
    for record in call.logs:
        if record.pairs_fault:
            subject = "custom event" if record.method == "add_custom_event" else f"{record.method} of"
            name = quoted(record.tag or record.message, 60)
            return Finding(
                f"The {subject} {name} does not carry pairs of strings: {printable(record.pairs_fault)}.",
                cause=(record.method, record.tag),
            )
    return None


@rule(
    "LOG002",
    "AGN-005.6.1",
    when=lambda exploration: any(r.method == "add_exception" for c in exploration.calls for r in c.logs),
    unseen_reason=NotApplicable("it logs no exception"),
    differs_by="the tag",
    remedy='Log under the tag "[CLASS_ExecuteAsync__Exception]", with the name of the class or of the tool.',
    source="advice",
)
def exception_tag_names_the_tool(exploration: Exploration) -> Iterator[Finding]:
    """The tag of a logged exception names the execute method and the tool, its class or a base class."""
    classes = [name for d in exploration.declarations for name in (d.class_name, *d.bases)]
    names = {_letters(name.rpartition(".")[2]).removesuffix("tool") for name in classes}
    names |= {_letters(d.tool_name.value or "") for d in exploration.declarations}
    names.discard("")
    for call in exploration.calls:
        for record in call.logs:
            tag = _letters(record.tag)
            if record.method == "add_exception" and not ("execute" in tag and any(n in tag for n in names)):
                message = f"An exception was logged under the tag {quoted(record.tag, 80)}."
                yield Finding(message, call, cause=record.tag)


@rule(
    "LOG003",
    "AGN-005.1.2",
    source="suite",
    when=lambda call: returned(call) and came_back(call),
    unseen_reason="no call returned",
    remedy="Log instead; standard output belongs to the server.",
)
def prints_nothing(call: Call) -> Finding | None:
    """A call writes nothing to standard output."""
    if not call.stdout.total_bytes:
        return None
    output = quoted(call.stdout.text, 80)
    return Finding(f"The tool printed {call.stdout.total_bytes:,} bytes on stdout: {output}.")


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum()).casefold()
