"""Other ways to have a runtime load code: variables, paths outside of the project, settings that name further places."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.parsers import expat

from aptix_conformance.app.certificates.safe_files import read_bytes
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.text import printable
from aptix_conformance.targets import ToolSettings

_VARIABLE: Final = re.compile(
    r"(PYTHON|__PYVENV|LD_|DYLD_|NODE_|npm_|DOTNET_|COMPlus_|CORECLR_|COR_|MONO_|OPENSSL_).*|PATH|HOME|XDG_.*|GCONV_PATH"
    r"|BASH_ENV|ENV",
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
_CODE: Final = ("references", "sources", "directory", "recording")
"""The settings that name code, or the recorded answers of services."""
_LEADS_OUT: Final = re.compile(
    r"[/\\]|[a-z][a-z0-9+.-]*:|(.*[/\\])?\.\.([/\\].*)?\Z", re.DOTALL | re.IGNORECASE
)
_LOADING: Final = ("STARTUP_HOOKS", "APP_PATHS", "NATIVE_DLL_SEARCH_DIRECTORIES")
"""The properties in a `runtimeconfig.json` that have more code loaded."""
_ASSEMBLIES: Final = (".dll.config", ".exe.config")
"""How the names of files end that .NET or Mono reads for an assembly."""
_NOT_KNOWN: Final = "not known, since it cannot be read"
_ATTRIBUTES: Final = {"probing": "privatePath", "codeBase": "href", "dllmap": "target", "dllentry": "dll"}
"""The elements of a `.config` that name where code is, each with its attribute."""


def configured_code(settings: ToolSettings, root: Path) -> list[str]:
    """Why a tool's settings can have code loaded that no digest covers, a sentence for each reason."""
    reasons = [
        f"the variable {printable(name, 80)} of its configuration can have other code run: remove it from `env`"
        for name in sorted(settings.env)
        if _VARIABLE.fullmatch(name) and name not in _HARMLESS
    ]
    for name in _CODE:
        value = getattr(settings, name)
        reasons += [
            f"its `{name}` is outside of the project ({printable(Path(path).name, 80)}): copy that into it"
            for path in ([value] if isinstance(value, str) else value)
            if path and not Path(os.path.realpath(root / path)).is_relative_to(root)
        ]
    return reasons


def redirected(root: Path, names: Iterable[str]) -> list[str]:
    """Where settings of .NET or Mono among some files of a folder have code loaded from outside of it, a sentence for each."""
    reasons = []
    for name in names:
        named: Iterable[str] = ()
        if name.endswith((".runtimeconfig.json", ".runtimeconfig.dev.json")):
            named = _probed(root / name)
        elif name.endswith(".config"):
            named = _configured(root / name)
        reasons += [
            f"{printable(name, 200)} has code loaded from elsewhere ({printable(place, 200)}): remove that, or publish the tool with "
            "all that it needs into the project"
            for place in named
        ]
    return reasons


def _probed(path: Path) -> Iterator[str]:
    """The places outside that a `runtimeconfig.json` names, and the properties by which it has more code loaded."""
    try:
        options = json.loads(read_bytes(path, "file").decode("utf-8-sig"))["runtimeOptions"]
        places = options.get("additionalProbingPaths", [])
        properties = options.get("configProperties", {})
        yield from (place for place in places if _LEADS_OUT.match(place))
        yield from (name for name in _LOADING if name in properties)
    except (CertificateError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        yield _NOT_KNOWN


def _configured(path: Path) -> Iterator[str]:
    """The places outside that a `.config` in XML names, also before it ends to be XML; no other kind names any."""
    named: list[str] = []

    def start(element: str, attributes: Mapping[str, str]) -> None:
        named.extend(attributes.get(_ATTRIBUTES.get(element.rpartition(":")[2], ""), "").split(";"))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    try:
        parser.Parse(read_bytes(path, "file"), True)  # noqa: FBT003 - bounded, and expat bounds what entities grow to
    except (CertificateError, expat.ExpatError, ValueError):
        if path.name.endswith(_ASSEMBLIES):
            yield _NOT_KNOWN
    yield from (place for place in named if _LEADS_OUT.match(place))
