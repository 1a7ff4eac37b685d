"""The grammar of target specs: `[prefix:]locator`.

A prefix names a system and, if the system has several runtimes, the runtime. The text before the first colon is a prefix
only if the table contains it: `amplifier:tool-notes` is Amplifier's, `my_pkg.tools:WeatherTool` is a module and a class.
The prefix of the first spelling may be left out. A module with the name of a prefix needs that prefix in front:
`aptix:host:MyTool`.

`read_module` and `read_place` are the two grammars of locators. The systems define the spellings.
"""

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from aptix_conformance.core.errors import ContractDataError, SpecError
from aptix_conformance.core.text import printable

SPEC_SOURCE = "--aptix-tools"


@dataclass(frozen=True, slots=True)
class Written:
    """A spec as it was written, for messages; `example` is a correct one."""

    text: str
    origin: str
    example: str
    prefixes: tuple[str, ...]

    def refuse(self, fault: str, example: str | None = None) -> NoReturn:
        """Raise the `SpecError`; `fault` completes the sentence, `example` is a correct spec."""
        spec = printable(self.text) or "(empty)"
        right = example or self.example
        raise SpecError(f"{self.origin}: the target spec `{spec}` {fault}; a correct one is `{right}`")

    def meant(self, module: str) -> str:
        """A question that suggests the prefix closest to a module's name; empty if none is close."""
        likely = difflib.get_close_matches(module, self.prefixes, n=1)
        return f" (is `{likely[0]}` the system that is meant?)" if likely and "." not in module else ""


Locate = Callable[[str, Written], tuple[str, str | None]]
"""Parses a locator into the place of the tools and the name of one tool there; None for all tools."""


@dataclass(frozen=True, slots=True, eq=False)
class Spelling:
    """One prefix of target specs.

    `system` is the system of its tools; empty if only the tools' declarations name it. `mark` separates the place from
    the tool. `lists_places`: a listing names each tool with its place (`module:qualname`), and places nest like Python
    packages. `no_tool` says, for messages, why an existing place has no tool. `is_server`: a place is a server, which is
    judged beside its tools. `runtimes` are the values of the key `runtime`, by which a project chooses what runs its tools.
    """

    prefix: str
    system: str
    example: str
    locate: Locate
    mark: str = "#"
    lists_places: bool = False
    no_tool: str = "offers no tool{reasons}"
    is_server: bool = False
    runtimes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spec:
    """A parsed spec: `module` is the place of the tools, `qualname` is one tool there, None for all.

    `canonical` is its canonical text; parsing it gives an equal spec.
    """

    spelling: Spelling
    module: str
    qualname: str | None
    canonical: str


@dataclass(frozen=True, slots=True, eq=False)
class SpecTable:
    """The spellings that there are; the prefix of the first may be left out.

    Raises:
        ContractDataError: two have one prefix.
    """

    spellings: tuple[Spelling, ...] = ()

    def __post_init__(self) -> None:
        prefixes = [spelling.prefix for spelling in self.spellings]
        for prefix in prefixes:
            if prefixes.count(prefix) > 1:
                raise ContractDataError(f"two systems claim the prefix {prefix!r} of target specs")

    @property
    def runtimes(self) -> tuple[str, ...]:
        """The values that the key `runtime` of a tool's settings may have."""
        return tuple(name for spelling in self.spellings for name in spelling.runtimes)

    def parse(self, text: str, origin: str = SPEC_SOURCE) -> Spec:
        """Read a spec; `origin` says where it was written.

        Raises:
            SpecError: it does not follow the grammar.
        """
        if not self.spellings:
            raise SpecError(f"{origin}: no system is known")
        spelling, locator = self._parted(text)
        written = Written(text, origin, spelling.example, tuple(known.prefix for known in self.spellings))
        if not text.strip():
            written.refuse("names nothing", self.spellings[0].example)
        return self.spec(spelling, *spelling.locate(locator, written))

    def read(self, text: str) -> Spec | None:
        """The spec that a text is; None for one that does not follow the grammar, such as a tool's name."""
        try:
            return self.parse(text)
        except SpecError:
            return None

    def spec(self, spelling: Spelling, module: str, qualname: str | None) -> Spec:
        """The spec of a place, or of a tool there."""
        locator = f"{module}{spelling.mark}{qualname}" if qualname else module
        is_plain = spelling is self.spellings[0] and module not in (known.prefix for known in self.spellings)
        return Spec(spelling, module, qualname, locator if is_plain else f"{spelling.prefix}:{locator}")

    def spelling_of(self, text: str) -> Spelling:
        """The spelling of a spec, which need not be a correct one."""
        return self._parted(text)[0]

    @property
    def server_prefixes(self) -> tuple[str, ...]:
        """The prefixes of specs of servers."""
        return tuple(spelling.prefix for spelling in self.spellings if spelling.is_server)

    def names_server(self, text: str) -> bool:
        """Whether a spec names a server, and no tool of it; an incorrect spec names none."""
        spec = self.read(text)
        return spec is not None and spec.spelling.is_server and spec.qualname is None

    def _parted(self, text: str) -> tuple[Spelling, str]:
        head, colon, rest = text.partition(":")
        for spelling in self.spellings if colon and not rest.startswith(":") else ():
            if spelling.prefix == head:
                return spelling, rest
        return self.spellings[0], text


def read_module(locator: str, written: Written) -> tuple[str, str | None]:
    """`module` or `module:QualName`, both of dotted identifiers."""
    if not locator:
        written.refuse("names no module after the system")
    _refuse_file_path(locator, written)
    if re.search(r"\s", locator):
        corrected, head = _without_blanks(locator), locator.partition(":")[0]
        meant = written.meant(head) if head != locator else ""
        written.refuse(f"holds a blank{meant}", corrected if _is_module(corrected) and not meant else None)
    if "::" in locator:
        corrected = locator.replace("::", ":")
        written.refuse("holds a double colon", corrected if _is_module(corrected) else None)
    module, colon, qualname = locator.partition(":")
    if ":" in qualname:
        written.refuse("holds two colons: one parts the module from the class")
    if not is_dotted(module):
        written.refuse(f"has no dotted module path, but `{printable(module)}`")
    if colon and not is_dotted(qualname):
        written.refuse(
            f"has no class name after its colon, but `{printable(qualname)}`{written.meant(module)}"
        )
    return module, qualname if colon else None


def read_place(locator: str, written: Written) -> tuple[str, str | None]:
    """`where` or `where#tool`: the system's host interprets the text before the last `#`."""
    where, mark, tool = locator.strip().rpartition("#")
    if not mark or re.search(r"\s", tool):
        where, mark, tool = locator.strip(), "", ""
    if not where:
        written.refuse("says nothing after the system")
    if mark and not tool:
        written.refuse("names no tool after its `#`")
    return where, tool or None


def _refuse_file_path(locator: str, written: Written) -> None:
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
    likely = _without_blanks(f"{module}:{qualname}" if colon else module)
    written.refuse("is a path of a file, where a module is wanted", likely if _is_module(likely) else None)


def _without_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _is_module(locator: str) -> bool:
    module, colon, qualname = locator.partition(":")
    return is_dotted(module) and (not colon or is_dotted(qualname))


def is_dotted(name: str) -> bool:
    """Whether a name can be that of a module of Python."""
    return all(part.isidentifier() for part in name.split("."))
