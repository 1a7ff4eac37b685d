"""The containment that a run requires, and what is said where a tool has less."""

from typing import Final

from aptix_conformance.core.errors import ContainmentError
from aptix_conformance.core.model.containment import Containment, ContainmentLevel

SWITCHED_OFF: Final = Containment("none", ('the project switches it off with side_effects = "none"',))
INLINE: Final = Containment("none", ("--aptix-inline runs tools in the test process",))
UNKNOWN: Final = Containment("none", ("its host does not say how it is contained",))
REMOTE: Final = Containment("none", ("the suite does not start the server, so nothing of it is contained",))
_REMEDIES: Final = {
    SWITCHED_OFF: "remove that setting",
    INLINE: "remove that option",
    REMOTE: "let the suite start it (the key `command`)",
}


def check_containment(actual: Containment, least: ContainmentLevel, name: str) -> None:
    """Check that the process of `name` is contained as the run requires.

    Raises:
        ContainmentError: it is not.
    """
    if actual.is_below(least):
        remedy = _REMEDIES.get(actual, "run where the kernel gives users namespaces, Landlock and seccomp")
        raise ContainmentError(
            f"the containment of {name} is {actual}, and this run requires {least} (--aptix-containment, or the key "
            f"`containment`): {remedy}, or require less"
        )
