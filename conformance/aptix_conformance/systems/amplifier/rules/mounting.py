"""Reading what is Amplifier's own: what mounting a module did, and how its functions can be called."""

import re
from collections.abc import Callable
from typing import Final

from aptix_conformance.core.model import Declaration
from aptix_conformance.rules.lib.kernel import Precondition
from aptix_conformance.rules.lib.signatures import binding_fault
from aptix_conformance.systems.amplifier.facts import AmplifierMount

_READ_ONLY: Final = re.compile(r"OSError: \[Errno 30\]")
"""EROFS, as the text of an exception begins."""
POINT: Final = "tools"
"""The mount point at which an orchestrator looks for tools."""


def if_mounted(holds: Callable[[AmplifierMount], bool]) -> Callable[[Declaration], bool]:
    """The `when` of a rule for modules about which something is known that meets a condition."""

    def when(declaration: Declaration) -> bool:
        mount = mount_if_any(declaration)
        return mount is not None and holds(mount)

    return when


def mount_if_any(declaration: Declaration) -> AmplifierMount | None:
    """What is known of the mounting; None where nothing is."""
    return declaration.facts if isinstance(declaration.facts, AmplifierMount) else None


def mount_of(declaration: Declaration) -> AmplifierMount:
    """What is known of the mounting; only for a rule whose `when` is made by `if_mounted`."""
    mount = mount_if_any(declaration)
    assert mount is not None
    return mount


def signature_fault(mount: AmplifierMount) -> str | None:
    """Why mount cannot be called as it is; None where it can."""
    faults = {
        "missing": "There is no mount.",
        "class": "mount is a class.",
        "other": "mount cannot be called.",
    }
    if mount.function in faults:
        return faults[mount.function]
    if mount.returned == "not_awaitable":
        return "mount is not async: it gave nothing to await."
    fault = binding_fault(mount.parameters, ("coordinator", "config"))
    return f"mount {fault}." if fault else None


was_called: Final = Precondition(
    if_mounted(lambda mount: signature_fault(mount) is None),
    "there is no function mount to be called",
    ("AMP002",),
)
could_write: Final = was_called.also(
    if_mounted(lambda mount: not (mount.returned == "raised" and _READ_ONLY.match(mount.detail))),
    "mount wanted to write to a place that is read-only here: let config name one in its working directory, or use tempfile",
)
has_returned: Final = was_called.also(
    if_mounted(lambda mount: mount.returned != "raised"), "mount did not return", "AMP004"
)
has_tool: Final = Precondition(
    if_mounted(lambda mount: mount.key is not None),
    "no tool was mounted",
    (*has_returned.reported_by, "AMP003", "AMP005"),
)
