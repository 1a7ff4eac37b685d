"""Files and modules that stand near a name that nothing has, so that a message can suggest one of them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from aptix_conformance.core.files import is_file, is_taken
from aptix_conformance.core.text import nearest
from aptix_conformance.targets.spec import Spec, is_dotted

NODE_SUFFIXES: Final = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts")
DOTNET_SUFFIXES: Final = (".dll", ".csproj", ".cs")
_FILES: Final = frozenset({".py", ".json", *NODE_SUFFIXES, *DOTNET_SUFFIXES})
_RUN_MODULE: Final = "-m"


def near_target(spec: Spec, root: Path, sys_path: Sequence[str]) -> str:
    """A question that suggests the file or module closest to one that a target spec names and that is not there; empty for none.

    `sys_path` are the folders in which modules are looked for.
    """
    words = spec.module.split()
    for before, word in zip(
        [_RUN_MODULE if not spec.spelling.is_server else "", *words], words, strict=False
    ):
        if "/" in word or Path(word).suffix in _FILES:
            is_missing = not is_taken(root / word)
        elif before == _RUN_MODULE and is_dotted(word):
            places = map(Path, (str(root), str(root / "src"), *sys_path))
            is_missing = not any(module_file(place, word) for place in places)
        else:
            continue
        if is_missing and (hint := nearest(word, near_names(root, word))):
            return hint
    return ""


def near_names(root: Path, name: str) -> Iterator[str]:
    """The names of files and modules in a project that stand where `name` would."""
    folder, slash, _ = name.rpartition("/")
    if slash or "." not in name or Path(name).suffix in _FILES:
        yield from (f"{folder}{slash}{entry}" for entry in _entries(root / folder))
    package, dot, _ = name.rpartition(".")
    for place in (root, root / "src"):
        inside = place.joinpath(*package.split(".")) if package else place
        yield from (f"{package}{dot}{module}" for module in _modules(inside))


def module_file(folder: Path, name: str) -> Path | None:
    """The source file of a module below a folder; None where there is none."""
    place = folder.joinpath(*name.split("."))
    for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
        if is_file(file):
            return file
    return None


def _entries(folder: Path) -> Iterable[str]:
    try:
        return sorted(entry.name for entry in os.scandir(folder) if not entry.name.startswith("."))
    except (OSError, ValueError):
        return ()


def _modules(folder: Path) -> Iterator[str]:
    for name in _entries(folder):
        stem, dot, suffix = name.partition(".")
        if stem.isidentifier() and (
            suffix == "py" or (not dot and (folder / name / "__init__.py").is_file())
        ):
            yield stem
