"""The list of faults, `faults.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
CONFORMING: Final = "conforming"


@dataclass(frozen=True)
class Fault:
    """One fault, or `conforming`; `mcp` and `aptix` are the codes of the rules that speak of it."""

    name: str
    text: str
    mcp: Sequence[str]
    aptix: Sequence[str]
    example: Mapping[str, Any] = field(default_factory=dict)
    """A call with its result that the author vouches for, where the fault needs one."""
    difference: str = ""
    """Why the verdicts on this fault differ between systems; empty where they do not."""

    def codes(self, system: str) -> frozenset[str]:
        """The codes that speak of it in a system; in a framework, those of both systems that the list has."""
        by_system = {"mcp": self.mcp, "aptix": self.aptix}
        return frozenset(by_system.get(system, (*self.mcp, *self.aptix)))


def read_faults(path: Path = HERE / "faults.toml") -> list[Fault]:
    """The faults of a list, in its order.

    Raises:
        TypeError: one has a key that there is not, or lacks one.
    """
    return [Fault(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]
