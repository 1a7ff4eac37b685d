"""A copy of an author's files with a canary beside the folder to which the tool is confined (`core/model/confinement.py`).

Only processes that serve the probe `confined` get this copy, so that no other call finds what was planted.
"""

from dataclasses import replace
from pathlib import Path

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import confinement
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import scratch
from aptix_conformance.hosts.author_files import MOST_ENTRIES, Copier, State
from aptix_conformance.hosts.git_repository import is_repository, write_repository
from aptix_conformance.targets.settings import ToolSettings


def check_confined(settings: ToolSettings) -> None:
    """Check that the folder to which a tool is confined lies in its files.

    Raises:
        TargetError: it has no files, or there is no such folder; says what to do.
    """
    folder = settings.confined_to
    if not folder:
        return
    key = settings.places.get("confined_to", "confined_to")
    if settings.files is None:
        raise TargetError(f"{key}: name in `files` the folder that holds {printable(folder, 200)}")
    place = Path(settings.files)
    for part in folder.split("/"):
        place /= part
        if place.is_symlink() or not place.is_dir():
            raise TargetError(
                f"{key}: {printable(str(place), 300)} is no folder: make it, or name another folder of `files`"
            )


class ConfinedFiles:
    """The planted copy, or one whose confined folder is empty, in a temporary directory of the suite's own."""

    def __init__(self, settings: ToolSettings, limit: int, *, emptied: bool = False) -> None:
        """Copy the files of a tool that says `confined_to`, and plant the canary or empty the folder; `limit` is in bytes.

        Raises:
            TargetError: the files cannot be copied, or have what would be planted.
        """
        assert settings.files is not None
        self._place = scratch.ScratchPlace()
        try:
            copy = scratch.make_below(self._place.path, "files")
            Copier(Path(settings.files), settings.places.get("files", "files"), limit, MOST_ENTRIES).run(copy)
            if emptied:
                scratch.remove(copy / settings.confined_to)
                (copy / settings.confined_to).mkdir()
            else:
                _plant(copy, settings.confined_to)
        except FileExistsError as error:
            self.remove()
            raise TargetError(
                f"files: {printable(str(error.filename), 300)} has a name of the suite's own"
            ) from None
        except TargetError:
            self.remove()
            raise
        self.settings = replace(settings, files=str(copy))
        """The tool's settings with this copy as its files."""

    def remove(self) -> None:
        """Remove the copy. Harmless when repeated."""
        self._place.remove()


def _plant(copy: Path, folder: str) -> None:
    for planted in (copy / confinement.similar(folder), copy / confinement.other(folder)):
        planted.mkdir()
        for name, text in confinement.contents().items():
            (planted / name).write_text(text, encoding="ascii")
        if is_repository(copy / folder):
            write_repository(planted, confinement.CANARY, confinement.BRANCHES)
    (copy / folder / confinement.INNER).mkdir()
    (copy / folder / confinement.LINK).symlink_to(Path("..") / planted.name)
    (copy / folder / confinement.FILE_LINK).symlink_to(Path("..") / planted.name / confinement.FILE)


def changed_outside(before: State, now: State, folder: str) -> tuple[str, ...]:
    """The planted paths outside of `folder` that differ between two looks at a working directory, sorted."""
    return tuple(path for path in _changed(before, now) if confinement.is_outside(path, folder))


def changed_inside(before: State, now: State, folder: str) -> tuple[str, ...]:
    """The paths in `folder` that differ between two looks at a working directory, sorted."""
    return tuple(path for path in _changed(before, now) if path.startswith(f"{folder}/"))


def _changed(before: State, now: State) -> list[str]:
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
