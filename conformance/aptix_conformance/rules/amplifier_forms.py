"""Reading what is Amplifier's own: what mounting a module did, and how its functions can be called."""

from collections.abc import Callable, Iterable
from typing import Final

from aptix_conformance.observations import AmplifierMount, Declaration, Parameter
from aptix_conformance.text import shown

POINT: Final = "tools"
"""The mount point at which an orchestrator looks for tools."""
NO_TOOL: Final = "no tool was mounted"


def if_mounted(holds: Callable[[AmplifierMount], bool]) -> Callable[[Declaration], bool]:
    """The `when` of a rule for modules of which something is known, and that holds of it."""
    return lambda declaration: declaration.amplifier is not None and holds(declaration.amplifier)


def mount_of(declaration: Declaration) -> AmplifierMount:
    """What is known of the mounting; only for a rule whose `when` is made by `if_mounted`."""
    assert declaration.amplifier is not None
    return declaration.amplifier


def signature_fault(mount: AmplifierMount) -> str | None:
    """Why mount cannot be called as it is; None where it can."""
    wrong = {
        "missing": "There is no mount.",
        "class": "mount is a class.",
        "other": "mount cannot be called.",
    }
    if mount.function in wrong:
        return wrong[mount.function]
    if mount.returned == "not_awaitable":
        return "mount is not async: it gave nothing to await."
    by_position = [parameter for parameter in mount.parameters if parameter.kind == "positional"]
    more = any(parameter.kind == "var_positional" for parameter in mount.parameters)
    if len(by_position) < 2 and not more:  # noqa: PLR2004 - coordinator and config
        return f"mount takes {len(by_position)} arguments by position, not two."
    extra = ungiven(mount.parameters, 2)
    return f"mount needs {shown(extra, 40)}, which nobody gives it." if extra else None


def ungiven(parameters: Iterable[Parameter], given: int) -> str | None:
    """The name of a required parameter that stays empty where `given` arguments come by position; None without any."""
    known = tuple(parameters)
    by_position = [parameter for parameter in known if parameter.kind == "positional"]
    needed = [*by_position[given:], *(parameter for parameter in known if parameter.kind == "keyword")]
    return next((parameter.name for parameter in needed if parameter.required), None)


has_tool: Final = if_mounted(lambda mount: mount.key is not None)
was_called: Final = if_mounted(lambda mount: signature_fault(mount) is None)
has_returned: Final = if_mounted(lambda mount: signature_fault(mount) is None and mount.returned != "raised")
