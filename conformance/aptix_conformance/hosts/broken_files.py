"""A copy of an author's files in which each one is broken in one form (`BrokenFiles`): what may become of a file while a tool is in use.

Only the process of one call gets this copy. What the tool needs to be loaded at all, its code and what describes its package,
stays as it is.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import BrokenForm
from aptix_conformance.hosts import scratch
from aptix_conformance.hosts.author_files import MOST_ENTRIES, Copier
from aptix_conformance.targets.settings import ToolSettings

_NO_UTF_8: Final = b"\xe9\xff\xfe\x80"
_CODE: Final = frozenset(
    {
        *(".py", ".pyi", ".pyc", ".so", ".pyd", ".pth", ".sh"),
        *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".node", ".wasm"),
        *(".cs", ".csproj", ".sln", ".dll", ".exe", ".jar", ".rb", ".php"),
    }
)
_OF_PACKAGES: Final = frozenset(
    {
        *("pyproject.toml", "setup.cfg", "__pycache__", "site-packages", ".git"),
        *("package.json", "package-lock.json", "tsconfig.json", "node_modules"),
    }
)


class BrokenCopy:
    """The broken copy, in a temporary directory of the suite's own."""

    def __init__(self, settings: ToolSettings, form: BrokenForm, limit: int) -> None:
        """Copy the `files` of a tool and break them; `limit` is in bytes.

        Raises:
            TargetError: the files cannot be copied.
        """
        assert settings.files is not None
        self._place = scratch.ScratchPlace()
        try:
            copy = scratch.make_below(self._place.path, "files")
            Copier(Path(settings.files), settings.places.get("files", "files"), limit, MOST_ENTRIES).run(copy)
        except TargetError:
            self.remove()
            raise
        _break(copy, _BREAKS[form])
        self.settings = replace(settings, files=str(copy))
        """The tool's settings with this copy as its files."""

    def remove(self) -> None:
        """Remove the copy. Harmless when repeated."""
        self._place.remove()


def _break(folder: Path, break_one: Callable[[Path], None]) -> None:
    """Break each file below a folder. Links are left: what they lead to is broken."""
    for place, folders, names in os.walk(folder):
        is_environment = "pyvenv.cfg" in names
        folders[:] = sorted(name for name in folders if not (is_environment or name in _OF_PACKAGES))
        for name in () if is_environment else sorted(names):
            path = Path(place, name)
            if not path.is_symlink() and path.suffix not in _CODE and name not in _OF_PACKAGES:
                break_one(path)


def _put_bytes(path: Path) -> None:
    content = path.read_bytes()
    half = len(content) // 2
    path.write_bytes(content[:half] + _NO_UTF_8 + content[half:])


def _put_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _put_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


_BREAKS: Final[Mapping[BrokenForm, Callable[[Path], None]]] = {
    "not-utf-8": _put_bytes,
    "empty": lambda path: os.truncate(path, 0),
    "folder": _put_folder,
    "link": _put_link,
}
