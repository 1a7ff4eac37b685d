"""Single values of the configuration: a value is read in a form, which is a type of msgspec with the words for it.

TOML values are typed, so nothing is converted; a value of the wrong type is refused. Every message names the file, the
dotted key, the expected and the given value, and shows a correct line.
"""

import datetime as dt
import difflib
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, NoReturn, get_args

import msgspec
from msgspec import Meta

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable, seconds_of
from aptix_conformance.targets.settings import EntryPoints, Example, Waiver

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FACTORY: Final = rf"\A{_DOTTED}:{_DOTTED}\Z"
_TOML_NAMES = {dict: "a table", list: "an array", str: "a string", bool: "a boolean", int: "an integer"}

Table = Annotated[dict[str, Any], Meta(description="a table")]
"""A TOML table; its keys and values are not checked."""
Text = Annotated[str, Meta(pattern=r"\S", description="a string that is not blank")]
ModuleName = Annotated[str, Meta(pattern=rf"\A{_DOTTED}\Z", description="a dotted module name")]
_SCRIPT: Final = r"[\w@./ +-]+\.[cm]?[jt]sx?:[A-Za-z_$][\w$]*"
Factory = Annotated[
    str, Meta(pattern=rf"{_FACTORY}|\A{_SCRIPT}\Z", description="a factory as `module:factory`")
]
FactoryMethod = Annotated[str, Meta(pattern=_FACTORY, description="a method as `class:method`")]
Method = Annotated[
    str,
    Meta(
        pattern=r"\A[^\W\d]\w*\s*(\([^()]*\))?\Z",
        description="a method's name, with or without the types of its parameters",
    ),
]
Boolean = Annotated[bool, Meta(description="true or false")]
_Array = Annotated[list[Any], Meta(description="an array of strings")]
_Tables = Annotated[list[Any], Meta(description="an array of tables")]
_AnyText = Annotated[str, Meta(description="a string without NUL")]
_Number = Annotated[float, Meta(description="a number of seconds above 0")]
_Rule = Annotated[
    str,
    Meta(
        pattern=r"\A(?:[A-Z][A-Z0-9]*-)?[A-Z]{3}[0-9]{3}\Z",
        description="a rule's code, three capitals and three digits",
    ),
]
_Day = Annotated[dt.date, Meta(description="a day, without quotes and without a time")]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a value: the file, the dotted key, and the base directory of relative paths."""

    source: str
    key: str
    directory: Path

    def __truediv__(self, key: str) -> "Place":
        bare = re.fullmatch(r"[A-Za-z0-9_-]+", key)
        return Place(self.source, f"{self.key}.{key if bare else repr(key)}", self.directory)

    def __getitem__(self, index: int) -> "Place":
        return Place(self.source, f"{self.key}[{index}]", self.directory)

    def refuse(self, fault: str) -> NoReturn:
        """Raise the `ConfigurationError` for this place; `fault` completes the sentence."""
        raise ConfigurationError(f"{self.source}: {self.key}: {fault}")

    def mismatch(self, expected: str, actual: Any, example: str) -> NoReturn:
        """Raise the error of a value of the wrong type or form."""
        kind = _TOML_NAMES.get(type(actual), type(actual).__name__)
        value = "" if isinstance(actual, (dict, list)) else f" {printable(repr(actual), 60)}"
        self.refuse(f"expected {expected}, not {kind}{value}; for example `{example}`")

    def known(self, keys: Iterable[str], valid: Iterable[str]) -> None:
        """Check that all of `keys` are valid, and name the nearest valid one where one is not."""
        valid = sorted(valid)
        for key in sorted(set(keys) - set(valid)):
            near = difflib.get_close_matches(key, valid, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"the keys are {', '.join(valid)}"
            (self / key).refuse(f"unknown key; {hint}")


def read(value: Any, place: Place, form: Any, example: str) -> Any:
    """A value in a form: one of the types above, or a `Literal`. No string has a NUL, which no path and no command can have.

    Raises:
        ConfigurationError: it has another form; shows the example.
    """
    try:
        converted = msgspec.convert(value, form, builtin_types=(dt.date,))
    except msgspec.ValidationError:
        described = getattr(form, "__metadata__", None)
        expected = described[0].description if described else f"one of {', '.join(get_args(form))}"
        place.mismatch(expected, value, example)
    if isinstance(converted, str) and "\0" in converted:
        place.mismatch("a string without NUL", value, example)
    return converted


def read_array(value: Any, place: Place, form: Any, example: str) -> tuple[Any, ...]:
    """An array of strings in a form."""
    items = read(value, place, _Array, example)
    return tuple(read(item, place[index], form, example) for index, item in enumerate(items))


def read_table(
    value: Any, place: Place, keys: Mapping[str, Callable[[Any, Place], Any]], example: str
) -> dict[str, Any]:
    """A table that may have some keys, each with what reads its value."""
    table = read(value, place, Table, example)
    place.known(table, keys)
    return {key: keys[key](item, place / key) for key, item in table.items()}


def entries(
    value: Any, place: Place, is_name: Callable[[str], object], kind: str, example: str
) -> Iterator[tuple[str, Any, Place]]:
    """The entries of a table whose keys are names of a kind of thing, each with its place."""
    for name, item in read(value, place, Table, example).items():
        if not is_name(name):
            (place / name).refuse(f"no {kind} can have this name; for example `{example}`")
        yield name, item, place / name


strings = partial(read_array, form=Text)


def entry_points(value: Any, place: Place) -> EntryPoints:
    """A TOML boolean, or an array of names of distributions."""
    example = 'entry_points = ["my-tools"]'
    if isinstance(value, bool):
        return value
    if not isinstance(value, list):
        place.mismatch("true, false or an array of distributions' names", value, example)
    return strings(value, place, example=example)


def seconds(value: Any, place: Place, example: str) -> float:
    """A finite number of seconds above 0."""
    number: float = read(value, place, _Number, example)
    if not 0 < number < math.inf:
        place.refuse(f"expected a finite number of seconds above 0, not {value}; for example `{example}`")
    return number


def duration(value: Any, place: Place) -> float:
    """The seconds of a duration above 0, given as a text such as `10m`."""
    length = seconds_of(value) if isinstance(value, str) else None
    if length is None:
        place.mismatch("a duration above 0", value, 'deadline = "10m"')
    return length


def absolute(value: Any, place: Place, example: str) -> str:
    """A path from the folder of the configuration, which need not be there."""
    return str(place.directory / read(value, place, Text, example))


def interpreter(value: Any, place: Place, example: str) -> str:
    """A program that exists, as an absolute path; symbolic links stay, for a venv's interpreter is one."""
    path = place.directory / read(value, place, Text, example)
    if not path.is_file():
        place.refuse(f"there is no interpreter at {printable(str(path), 300)}; for example `{example}`")
    if not os.access(path, os.X_OK):
        place.refuse(
            f"{printable(str(path), 300)} is not executable; name the interpreter of the tool's environment"
        )
    return str(path)


def folder(value: Any, place: Place, example: str) -> str:
    """A folder that exists, as an absolute path."""
    path = place.directory / read(value, place, Text, example)
    if not path.is_dir():
        is_there = "is no folder" if path.exists() else "is not there"
        place.refuse(f"{printable(str(path), 300)} {is_there}; name a folder, for example `{example}`")
    return str(path)


def inner_folder(value: Any, place: Place) -> str:
    """A folder within another one, as a relative path without `.` and `..`."""
    example = 'confined_to = "notes"'
    path = PurePosixPath(read(value, place, Text, example))
    if path.is_absolute() or not path.parts or ".." in path.parts or not str(path).isprintable():
        place.refuse(
            f"{printable(str(path), 300)} is not a folder within `files`; name one, for example `{example}`, and start the "
            "tool on it"
        )
    return str(path)


def readable(value: Any, place: Place) -> tuple[str, ...]:
    """Files and folders that exist, as absolute paths."""
    example = 'reads = ["/srv/models"]'
    paths = [place.directory / each for each in strings(value, place, example=example)]
    for path in paths:
        if not path.exists():
            place.refuse(
                f"{printable(str(path), 300)} is not there; name a file or folder, for example `{example}`"
            )
    return tuple(str(path.absolute()) for path in paths)


def patterns(value: Any, place: Place, example: str) -> tuple[str, ...]:
    """Paths of files, which may have wildcards, as absolute ones."""
    return tuple(str(place.directory / each) for each in strings(value, place, example=example))


def environment(value: Any, place: Place) -> Mapping[str, str]:
    """Environment variables: names to texts."""
    example = 'env = { WEATHER_REGION = "test" }'
    named = entries(value, place, re.compile(r"[^=\0]+").fullmatch, "environment variable", example)
    return {name: read(text, of_name, _AnyText, example) for name, text, of_name in named}


def services(value: Any, place: Place) -> Mapping[str, str]:
    """Constructor parameters to factories."""
    example = 'services = { catalog = "my_pkg.testing:make_catalog" }'
    named = entries(value, place, str.isidentifier, "constructor parameter", example)
    return {name: read(factory, of_name, Factory, example) for name, factory, of_name in named}


def mount_config(value: Any, place: Place) -> Any:
    """The table `config` of a tool, as JSON values."""
    return json_value(read(value, place, Table, 'config = { root = "notes" }'), place)


def examples(value: Any, place: Place) -> tuple[Example, ...]:
    """Calls that must succeed: an argument object each, or a table of `arguments` and `result` and nothing else."""
    example = 'examples = [{ city = "Oslo" }, { arguments = { city = "Rome" }, result = { celsius = 21 } }]'
    calls = []
    for index, item in enumerate(read(value, place, _Tables, example)):
        entry = json_value(read(item, place[index], Table, example), place[index])
        if isinstance(entry.get("arguments"), dict) and set(entry) <= {"arguments", "result"}:
            calls.append(Example(entry["arguments"], entry.get("result"), has_result="result" in entry))
        else:
            calls.append(Example(entry))
    return tuple(calls)


def waivers(value: Any, place: Place) -> tuple[Waiver, ...]:
    """The array of tables `waive`; each needs all four of its keys."""
    if not isinstance(value, list):
        place.refuse(f"expected an array of tables, which is written `[[{place.key}]]`")
    by_rule: dict[str, Waiver] = {}
    for index, entry in enumerate(value):
        waiver = _waiver(entry, place[index], f"[[{place.key}]]")
        if waiver.rule in by_rule:
            place[index].refuse(f"the rule {waiver.rule} is waived twice; keep one of the two")
        by_rule[waiver.rule] = waiver
    return tuple(by_rule.values())


def _waiver(value: Any, place: Place, example: str) -> Waiver:
    entry = read_table(value, place, _WAIVER_KEYS, example)
    for key, reader in _WAIVER_KEYS.items():
        if key not in entry:
            keys = ", ".join(_WAIVER_KEYS)
            place.refuse(
                f"the key `{key}` is missing; a waiver needs all of {keys}: add `{reader.keywords['example']}`"
            )
    return Waiver(**entry, place=f"{Path(place.source).name}: {place.key}")


_WAIVER_KEYS: Final = {
    "rule": partial(read, form=_Rule, example='rule = "CAN003"'),
    "owner": partial(read, form=Text, example='owner = "weather team"'),
    "reason": partial(read, form=Text, example='reason = "the upstream client cannot be interrupted"'),
    "expires": partial(read, form=_Day, example="expires = 2027-03-31"),
}


def json_value(value: Any, place: Place) -> Any:
    """A TOML value that JSON can represent: no dates, no infinities."""
    if isinstance(value, dict):
        return {key: json_value(item, place / key) for key, item in value.items()}
    if isinstance(value, list):
        return [json_value(item, place[index]) for index, item in enumerate(value)]
    if isinstance(value, (dt.date, dt.time)):
        place.refuse(f'JSON has no dates: put it between quotes, "{value.isoformat()}"')
    if isinstance(value, float) and not math.isfinite(value):
        place.refuse(f"JSON has no number {value}: write a finite one")
    return value
