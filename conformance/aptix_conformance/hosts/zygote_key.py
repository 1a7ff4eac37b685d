"""What the tools of one zygote share."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ZygoteKey:
    """The shared properties of one zygote's tools. `package` is empty for a zygote that imports no package before it forks."""

    package: str
    python: str
    env: tuple[tuple[str, str], ...]
    contained: bool
    patches: tuple[tuple[str, int | str], ...] = ()
    """How the runner changes what Python code sees (`conditions.Conditions`)."""
    occasion: str = ""
    """Separates zygotes whose other members are equal."""
    system: str = "aptix"
    """The system of the tools; the runner has a module of its own for each system except Aptix."""
    files: Path | None = None
    """A directory whose contents are copied to the working directory, before modules are imported there."""
    reads: tuple[str, ...] = ()
    """Paths that the tools may read in addition to what they need to be imported."""
    folders: tuple[str, ...] = ()
    """Further directories from which the tools are imported."""
    renames: bool = False
    """Whether the machine gets another host name."""
    network: tuple[tuple[str, int], ...] = ()
    """The hosts that a recording answers for, or that are recorded."""
    recording: str = ""
    """The file of that recording."""
