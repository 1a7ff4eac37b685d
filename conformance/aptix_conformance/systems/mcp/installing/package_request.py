"""What the command of a server asks for: `uvx NAME …` a distribution of Python, `npx PACKAGE …` a package of npm."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import quoted

Kind = Literal["python", "npm"]

_AT: Final = re.compile(r"(?P<name>[\w.-]+(?:\[[\w.,\s-]*\])?)@(?P<version>[\w.+!-]+)", re.ASCII)
_PACKAGE: Final = re.compile(
    r"(?P<name>(?:@[a-z0-9~_-][a-z0-9._~-]*/)?[a-z0-9~_-][a-z0-9._~-]*)(?:@(?P<spec>[0-9A-Za-z.+^~<>=*| -]+))?",
    re.IGNORECASE | re.ASCII,
)
_PARTIAL: Final = re.compile(r"\d+(\.\d+)?")
_LATEST: Final = "latest"
_YES: Final = ("-y", "--yes")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A package that a command starts.

    Attributes:
        kind: which index it is from.
        name: its name, for Python in the canonical form.
        spec: the version that is written, as `==1.0`, `>=1,<2`, `1.2.3`, `^1.2` or a tag; empty where any will do.
        extras: the extras of a distribution.
        program: the program that is started; empty for the package's own.
        needs: requirements of further distributions, as `mcp<2`: what is installed with a server of Python.
    """

    kind: Kind
    name: str
    spec: str = ""
    extras: tuple[str, ...] = ()
    program: str = ""
    needs: tuple[str, ...] = ()

    @property
    def requirement(self) -> str:
        """The requirement in the words of its installer."""
        if self.kind == "npm":
            return f"{self.name}@{self.spec}" if self.spec else self.name
        return f"{self.name}[{','.join(self.extras)}]{self.spec}" if self.extras else self.name + self.spec

    @property
    def asking(self) -> str:
        """All that is asked for, for messages."""
        return " with ".join((self.requirement, *self.needs))

    def allows(self, version: str, earlier_spec: str) -> bool:
        """Whether a version is one of those asked for. `earlier_spec` is the `spec` that version was chosen for.

        Ranges and tags of npm are not compared with a version, but with `earlier_spec`.
        """
        if self.kind == "npm":
            spec = self.spec.removeprefix("=").removeprefix("v")
            if not spec[:1].isdigit():
                return self.spec in ("", earlier_spec)
            return version == spec or (
                _PARTIAL.fullmatch(spec) is not None and version.startswith(f"{spec}.")
            )
        try:
            return SpecifierSet(self.spec).contains(Version(version), prereleases=True)
        except InvalidVersion:
            return False

    def has_needs(self, versions: Mapping[str, str]) -> bool:
        """Whether versions of distributions, by their names, are what is to be installed with it."""
        needs = [Requirement(text) for text in self.needs]
        return all(
            each.specifier.contains(versions.get(canonicalize_name(each.name), "none"), prereleases=True)
            for each in needs
        )


def wanted_by(words: tuple[str, ...]) -> tuple[Wanted, int] | None:
    """The package that a command asks for, and the number of words that name it; None where it is neither `uvx` nor `npx`.

    Raises:
        TargetError: it is one of them, with what does not name a package of an index.
    """
    if words[:1] == ("uvx",):
        return _python(words)
    if words[:1] == ("npx",):
        first = 2 if words[1:2] and words[1] in _YES else 1
        return _npm(_word(words, first)), first + 1
    return None


def _word(words: tuple[str, ...], place: int) -> str:
    if len(words) <= place or words[place].startswith("-"):
        raise TargetError(f"write the installed program in place of {words[0]} with options")
    return words[place]


def _python(words: tuple[str, ...]) -> tuple[Wanted, int]:
    first, needs = 1, list[str]()
    while words[first : first + 1] == ("--with",):
        needs.append(need(_word(words, first + 1)))
        first += 2
    is_from = words[first : first + 1] == ("--from",)
    requirement = _requirement(_word(words, first + 1 if is_from else first))
    program = _word(words, first + 2) if is_from else requirement.name
    if "/" in program:
        raise TargetError(f"{quoted(program)} is not the name of a program")
    extras, spec = tuple(sorted(map(canonicalize_name, requirement.extras))), str(requirement.specifier)
    name = canonicalize_name(requirement.name)
    return Wanted("python", name, spec, extras, program, tuple(needs)), first + 3 if is_from else first + 1


def need(text: str) -> str:
    """A requirement of a distribution of the index, in one form.

    Raises:
        TargetError: it is none.
    """
    return str(_requirement(text))


def _requirement(text: str) -> Requirement:
    at = _AT.fullmatch(text)
    if at is not None:
        text = at["name"] if at["version"] == _LATEST else f"{at['name']}=={at['version']}"
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        requirement = None
    if requirement is None or requirement.url or requirement.marker:
        raise TargetError(
            f"{quoted(text)} names no package of an index: only NAME and NAME==VERSION are installed"
        )
    return requirement


def _npm(text: str) -> Wanted:
    match = _PACKAGE.fullmatch(text)
    if match is None or match["name"] in ("node_modules", "favicon.ico"):
        raise TargetError(
            f"{quoted(text)} names no package of an index: only NAME and NAME@VERSION are installed"
        )
    spec = match["spec"] or ""
    return Wanted("npm", match["name"], "" if spec == _LATEST else spec)
