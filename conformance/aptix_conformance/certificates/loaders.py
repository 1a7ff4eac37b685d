"""What else has a runtime load code: variables, paths outside of the project, packages without a lock."""

import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from aptix_conformance.targets import ToolSettings
from aptix_conformance.text import printable

_VARIABLE: Final = re.compile(
    r"(PYTHON|LD_|DYLD_|NODE_|npm_|DOTNET_|COMPlus_|CORECLR_|COR_|MONO_).*|PATH|HOME|XDG_.*|GCONV_PATH|BASH_ENV|ENV",
    re.IGNORECASE,
)
_HARMLESS: Final = frozenset(
    (
        *(
            "PYTHONUNBUFFERED",
            "PYTHONIOENCODING",
            "PYTHONUTF8",
            "PYTHONHASHSEED",
            "PYTHONDONTWRITEBYTECODE",
            "PYTHONOPTIMIZE",
        ),
        *(
            "NODE_ENV",
            "DOTNET_NOLOGO",
            "DOTNET_CLI_TELEMETRY_OPTOUT",
            "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT",
        ),
    )
)
_CODE: Final = ("references", "sources", "directory")
"""The settings that name code."""
_PACKAGES: Final = "node_modules"
_LOCKS: Final = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock")


def configured_code(settings: ToolSettings, root: Path) -> list[str]:
    """Why a tool's settings can have code loaded that no digest covers, a sentence for each reason."""
    found = [
        f"the variable {printable(name, 80)} of its configuration can have other code run: remove it from `env`"
        for name in sorted(settings.env)
        if _VARIABLE.fullmatch(name) and name not in _HARMLESS
    ]
    for name in _CODE:
        value = getattr(settings, name)
        found += [
            f"its {name} lead out of the project ({printable(Path(path).name, 80)}): copy that into it"
            for path in ([value] if isinstance(value, str) else value)
            if path and not Path(os.path.realpath(root / path)).is_relative_to(root)
        ]
    return found


def unlocked(names: Iterable[str]) -> tuple[str, ...]:
    """Why the packages of Node.js among some files are no known ones: no lock beside them says which they are."""
    files = set(names)
    roots = {name.partition(f"{_PACKAGES}/")[0] for name in files if _PACKAGES in PurePosixPath(name).parts}
    return tuple(
        f"{root}{_PACKAGES} has no lock beside it, such as {_LOCKS[0]}: make one by `npm install`, and have git track it"
        for root in sorted(roots)
        if not any(f"{root}{lock}" in files for lock in _LOCKS)
    )
