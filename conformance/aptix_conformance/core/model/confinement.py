"""Names and a canary for what lies outside of the folder to which a tool is confined.

A host plants them beside that folder, in the suite's own copy of the author's files: a folder whose name begins like the
confined one, another folder, each with the canary, and links that lead from the confined folder to the latter and to a file
in it. Where the confined folder is a git repository, both planted folders are, too, and the canary is in their commit and in
the name of a branch. The canary is in no argument, so a result that has it shows that the tool read outside.

A tool that never looks at the folder shows nothing of all that. So the probe first makes calls that worked in a copy whose folder
is empty: what such a call answers or writes shows whether the tool works there at all.
"""

from pathlib import PurePosixPath
from typing import Final

from aptix_conformance.core.model import canaries

KIND: Final = "confined"
"""The name of the probe, and of what a host can do that plants the canary."""
EMPTIED: Final = "emptied-folder"
"""What the change of a call is called that is made while the confined folder is empty and nothing is planted."""
CANARY: Final = "outside5b1e7a90c4d2f638"
"""What the files outside hold, and a part of the name of one of them, so that a list of the folder shows it."""
_OWN: Final = "7a90c4d2"
"""An end of names that no author chooses."""
LINK: Final = f"link-{_OWN}"
"""The link in the confined folder that leads to another folder."""
FILE_LINK: Final = f"link-{_OWN}.txt"
"""The link in the confined folder that leads to a file."""
INNER: Final = f"inner-{_OWN}"
"""An empty folder in the confined folder."""
FILE: Final = "canary.txt"
NEW: Final = f"new-{_OWN}.txt"
"""A file that no planted folder has: where it comes into being outside, a call made it."""
BRANCHES: Final = ("main", "master", CANARY)
"""The branches of a planted git repository: an example mostly names one of the first two."""


def similar(folder: str) -> str:
    """The planted folder whose name begins like that of the confined one; both relative to the working directory."""
    return f"{folder}-canary-{_OWN}"


def other(folder: str) -> str:
    """The planted folder with another name, relative to the working directory."""
    return str(PurePosixPath(folder).parent / f"canary-{_OWN}")


def contents() -> dict[str, str]:
    """The files of a planted folder: name to text."""
    return {FILE: f"{CANARY}\n", f"{CANARY}.txt": f"{CANARY}\n"}


def shows(text: str) -> bool:
    """Whether a text has the canary, as it is or in base64."""
    if CANARY in text:
        return True
    return any(canaries.in_base64(CANARY.encode("ascii"), before) in text for before in range(3))


def is_outside(path: str, folder: str) -> bool:
    """Whether a path, relative to the working directory, is one of those that the probe aims at outside of `folder`."""
    if path == folder or path.startswith(f"{folder}/"):
        return False
    planted = (similar(folder), other(folder))
    return path in planted or path.startswith(tuple(f"{each}/" for each in planted)) or path.endswith(NEW)
