"""The grammar of a target spec: `[system:]locator`.

What stands before the first colon is a system only where it is the name of one, so `amplifier:tool-notes` is
Amplifier's and `my_pkg.tools:WeatherTool` is a module and a class. A module that has the name of a system is
written with its own system in front: `aptix:host:MyTool`. A system is a line in `_SYSTEMS`: the function that
reads its locators.

`amplifier:tool-notes` is an entry point, a module or a path, `art:./tools/weather.mjs#WeatherTool` a module of
JavaScript or TypeScript and what it exports, `host:./my-host --flag` a command. In all three what follows the last
`#` is one tool of those found there.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from aptix_conformance.errors import SpecError
from aptix_conformance.text import shown

EXAMPLE = "my_pkg.tools:WeatherTool"
SPEC_SOURCE = "--aptix-tools"


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec as parsed: `module` is where the tools are, `qualname` the one of them, None for all.

    For Aptix a dotted module and a class; for Amplifier an entry point, module or path and a tool's name; for ART a
    file or package and an export; for a host of one's own the command and a tool's name.
    """

    system: str
    module: str
    qualname: str | None = None

    @property
    def canonical(self) -> str:
        """The one spelling of this spec, which parses to it again; for Aptix, without the system."""
        part = ":" if self.system == "aptix" else "#"
        locator = f"{self.module}{part}{self.qualname}" if self.qualname else self.module
        return f"{self.system}:{locator}" if self.system != "aptix" or self.module in _SYSTEMS else locator


@dataclass(frozen=True, slots=True)
class _Text:
    """A spec as written and who wrote it, for messages."""

    text: str
    origin: str

    def refuse(self, wrong: str, example: str = EXAMPLE) -> NoReturn:
        spec = shown(self.text) or "(empty)"
        raise SpecError(f"{self.origin}: the target spec `{spec}` {wrong}; a correct one is `{example}`")


def parse(text: str, origin: str = SPEC_SOURCE) -> Spec:
    """Read a spec; `origin` says where it was written.

    Raises:
        SpecError: it does not follow the grammar.
    """
    written = _Text(text, origin)
    if not text.strip():
        written.refuse("names nothing")
    system, locator = _parted(text)
    return _SYSTEMS[system](system, locator, written)


def system_of(text: str) -> str:
    """The system of a spec, which need not be a correct one."""
    return _parted(text)[0]


def _parted(text: str) -> tuple[str, str]:
    head, colon, rest = text.partition(":")
    named = colon and head in _SYSTEMS and not rest.startswith(":")
    return (head, rest) if named else ("aptix", text)


def _aptix(_system: str, locator: str, written: _Text) -> Spec:
    """`module` or `module:QualName`, both of dotted identifiers."""
    if not locator:
        written.refuse("names no module after the system")
    _refuse_file_path(locator, written)
    if re.search(r"\s", locator):
        written.refuse("holds a blank", re.sub(r"\s+", "", locator) if _is_aptix(locator) else EXAMPLE)
    if "::" in locator:
        mended = locator.replace("::", ":")
        written.refuse("holds a double colon", mended if _is_aptix(mended) else EXAMPLE)
    module, colon, qualname = locator.partition(":")
    if ":" in qualname:
        written.refuse("holds two colons: one parts the module from the class")
    if not _is_dotted(module):
        written.refuse(f"has no dotted module path, but `{shown(module)}`")
    if colon and not _is_dotted(qualname):
        likely = difflib.get_close_matches(module, _SYSTEMS, n=1)
        hint = f" (is `{likely[0]}` the system that is meant?)" if likely and "." not in module else ""
        written.refuse(f"has no class name after its colon, but `{shown(qualname)}`{hint}")
    return Spec("aptix", module, qualname if colon else None)


def _marked(system: str, locator: str, written: _Text) -> Spec:
    """`where` or `where#tool`: what stands before the last `#` is for the system's own host to read."""
    where, mark, tool = locator.strip().rpartition("#")
    if not mark or re.search(r"\s", tool):
        where, mark, tool = locator.strip(), "", ""
    if not where:
        written.refuse("says nothing after the system", _EXAMPLES[system])
    if mark and not tool:
        written.refuse("names no tool after its `#`", _EXAMPLES[system])
    return Spec(system, where, tool or None)


def _refuse_file_path(locator: str, written: _Text) -> None:
    path, colon, qualname = locator.replace("::", ":").partition(":")
    is_file = re.search(r"\.pyi?$", path)
    if not (is_file or re.search(r"[/\\]", locator)):
        return
    parts = [
        part for part in re.split(r"[/\\]+", re.sub(r"\.pyi?$", "", path)) if part not in ("", ".", "..")
    ]
    # A `src` folder is on the path, not in the package.
    module = ".".join(parts[1:] if parts[:1] == ["src"] else parts)
    module = module.removesuffix(".__init__")
    likely = f"{module}:{qualname}" if colon else module
    written.refuse("is a path of a file, where a module is wanted", likely if _is_aptix(likely) else EXAMPLE)


def _is_aptix(locator: str) -> bool:
    module, colon, qualname = re.sub(r"\s+", "", locator).partition(":")
    return _is_dotted(module) and (not colon or _is_dotted(qualname))


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


_SYSTEMS: Mapping[str, Callable[[str, str, _Text], Spec]] = {
    "aptix": _aptix,
    "amplifier": _marked,
    "aptix-cs": _marked,
    "art": _marked,
    "host": _marked,
}
_EXAMPLES: Mapping[str, str] = {
    "amplifier": "amplifier:tool-notes",
    "aptix-cs": "aptix-cs:./build/Tools.dll#My.Tools.WeatherTool",
    "art": "art:./tools/weather.mjs#WeatherTool",
    "host": "host:./my-host --flag",
}
