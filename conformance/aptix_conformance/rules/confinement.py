"""EXC015: a tool that its author confines to a folder reads and writes nothing outside of it."""

from collections.abc import Iterator

from aptix_conformance.core.model import Call, confinement
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import failure_texts
from aptix_conformance.rules.lib.scope import argument, came_back


def _is_tried(call: Call) -> bool:
    """The call had a path that leads out of the folder, and the host looked at what lies there."""
    is_one = call.plan.files == "planted"
    return is_one and came_back(call) and call.outside is not None


@rule(
    "EXC015",
    "MCP.Sec.5",
    when=_is_tried,
    unseen_reason=NotApplicable(
        'its configuration confines it to no folder; if it is, say so: confined_to = "FOLDER", a folder of `files`, in '
        "[tool.aptix-conformance.tool.NAME]",
        asked_for=lambda settings: bool(settings.confined_to),
        otherwise="no call had a path that leads out of the folder",
    ),
    probes=(confinement.KIND,),
    differs_by="the argument, the way out of the folder, and whether something was read or written",
    remedy="Resolve the path first, links included, and compare its parts: path = (root / name).resolve(), then "
    "path.is_relative_to(root.resolve()); no prefix of the text. Before a text that may begin with a hyphen, give a program "
    'its end of options ("--"), or refuse the text.',
)
def calls_stay_in_the_folder(call: Call) -> Iterator[Finding]:
    """A tool whose author confines it to a folder (`confined_to`) reads and writes nothing outside of that folder.

    A model passes on paths that others wrote: a page, a mail, a file. One that leads out of the folder gives them what the
    user never shared. The suite plants two folders with a canary beside the confined one, one with a name that begins like
    its name, and links to the other in the confined folder. Where the confined folder is a git repository, so are both. A
    result with the canary has read outside. A planted file that is changed, or a new one beside the folder, was written
    outside. Options of programs are tried too, since a program may take an argument for one.

    A tool that works elsewhere finds nothing of that. So the examples are sent first while the folder is empty: where each gets the answer that
    it had before, and writes nothing there, the rule is inconclusive.
    """
    if any(map(confinement.shows, returned_texts(call))):
        yield Finding(
            "The result shows what lies outside of the folder.",
            cause=(argument(call), "read", _way_out(call)),
        )
    if call.outside:
        paths = ", ".join(printable(path, 120) for path in call.outside)
        yield Finding(
            f"The call made or changed, outside of the folder: {paths}.",
            cause=(argument(call), "written", _way_out(call)),
        )


def _way_out(call: Call) -> str:
    return (call.plan.change.detail or "").partition(",")[0]


def returned_texts(call: Call) -> Iterator[str]:
    """All texts that a call returned: its result as the caller gets it, or the message of an exception."""
    yield from failure_texts(call)
    if call.raised is not None:
        yield call.raised.message
    if call.result is not None:
        yield call.result.payload or ""
        yield from call.result.facts.texts() if call.result.facts else ()
