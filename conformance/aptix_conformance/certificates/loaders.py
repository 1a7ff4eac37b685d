"""What else has a runtime load code: variables, paths outside of the project, packages without a lock."""

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from aptix_conformance.certificates.safe_files import parse_json, read_bytes
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
_PACKAGE: Final = re.compile(
    r"((?:(?!node_modules/).)*?)node_modules/(?!\.bin/|\.package-lock\.json$)(?:@[^/]+/)?[^/]+"
)
"""The first package on a path, and the folder in which its lock is."""
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


def unlocked(root: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Why the packages of Node.js among some files of a folder are no known ones: no lock beside them lists them."""
    files = sorted(names)
    packages = {match[0]: match[1] for match in map(_PACKAGE.match, files) if match}
    found = []
    for place in sorted(set(packages.values())):
        locks = [f"{place}{lock}" for lock in _LOCKS if f"{place}{lock}" in files]
        if not locks:
            found.append(
                f"{place}{_PACKAGES} has no lock beside it, such as {_LOCKS[0]}: make one by `npm install`, and have git track it"
            )
        elif locks[0].endswith(".json"):
            listed = _listed(root / locks[0])
            found += [
                f"{printable(package, 200)} is not in {locks[0]}: remove it, or make both by `npm install`"
                for package, beside in packages.items()
                if beside == place and package.removeprefix(place).rstrip("/") not in listed
            ]
    return tuple(found)


def _listed(lock: Path) -> Collection[str]:
    """The packages of a lock of npm, by their places."""
    document = parse_json(read_bytes(lock, "lock"), str(lock))
    packages = document.get("packages") if isinstance(document, dict) else None
    return packages if isinstance(packages, dict) else ()
