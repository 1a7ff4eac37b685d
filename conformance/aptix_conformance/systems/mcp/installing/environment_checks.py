"""What an environment must not hold before the suite uses it.

Outside of the containment the suite reads some of its files to know what to show a server (`hosts/readable_paths.py`), and asks its
interpreter for its prefixes. So no package may put something in the place of the interpreter, nor name a place outside.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import readable_paths

_FIRST_LINE: Final = 4096
_MACHINE: Final = (Path("/bin"), Path("/usr/bin"))


def check_python(place: Path, template: Path) -> None:
    """Look at a virtual environment after an installation; `template` is an equal environment without packages.

    Raises:
        TargetError: what the suite made was changed, a program has another interpreter, or something leads outside.
    """
    before = {path.relative_to(template) for path in _below(template)}
    for path in before:
        if not _is_same(template / path, place / path):
            _refuse(f"replaced {path} of its environment")
    check_links(place, frozenset(place / path for path in before if (template / path).is_symlink()))
    own = place / "bin" / "python"
    for program in sorted((place / "bin").iterdir()):
        if program.name.startswith("python") and program.relative_to(place) not in before:
            _refuse(f"put the program {program.name} beside its interpreter")
        if not program.is_symlink() and not _has_interpreter(program, own):
            _refuse(f"put a program with another interpreter into its environment: {program.name}")
    for site in place.glob("lib*/python*/site-packages"):
        for entry in readable_paths.beyond(site):
            if not Path(os.path.realpath(entry.path)).is_relative_to(os.path.realpath(place)):
                _refuse(f"would make {entry.path} visible to it, which is outside")


def check_links(place: Path, own: frozenset[Path]) -> None:
    """Look at the links below a directory, less those that the suite made itself.

    Raises:
        TargetError: one leads outside.
    """
    root = os.path.realpath(place)
    for path in _below(place):
        if path.is_symlink() and path not in own and not Path(os.path.realpath(path)).is_relative_to(root):
            _refuse(f"made {path.relative_to(place)} a link that leads outside")


def _below(place: Path) -> Iterator[Path]:
    """All files and links below a directory; links are not followed."""
    for folder, folders, files in os.walk(place):
        for name in (*files, *(each for each in folders if Path(folder, each).is_symlink())):
            yield Path(folder, name)


def _is_same(old: Path, new: Path) -> bool:
    if old.is_symlink() or new.is_symlink():
        return old.is_symlink() and new.is_symlink() and old.readlink() == new.readlink()
    try:
        return old.read_bytes() == new.read_bytes()
    except OSError:
        return False


def _has_interpreter(program: Path, own: Path) -> bool:
    """Whether a program is no script, or one of the environment's interpreter or of the machine's."""
    try:
        with program.open("rb") as stream:
            line = stream.read(_FIRST_LINE).partition(b"\n")[0]
    except OSError:
        return True
    words = os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []
    return not words or words[0] == str(own) or Path(words[0]).parent in _MACHINE


def _refuse(what: str) -> NoReturn:
    raise TargetError(f"a package {printable(what, 200)}: nothing was installed")
