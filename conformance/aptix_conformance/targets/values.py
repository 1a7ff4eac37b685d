"""Single values of the configuration: each reader returns the checked value or raises an error that says what is expected.

TOML values are typed, so nothing is converted; a value of the wrong type is refused. Every message names the file, the
dotted key, the expected and the given value, and shows a correct line.
"""

import datetime as dt
import difflib
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn, cast, get_args

from aptix_conformance.errors import ConfigurationError
from aptix_conformance.model.containment import ContainmentLevel
from aptix_conformance.targets.settings import EntryPoints, Example, SchemaGate, SideEffects, Waiver
from aptix_conformance.text import printable, seconds_of

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FACTORY = re.compile(f"{_DOTTED}:{_DOTTED}")
_RULE = re.compile(r"(?:[A-Z][A-Z0-9]*-)?[A-Z]{3}[0-9]{3}")
_TOML_NAMES = {dict: "a table", list: "an array", str: "a string", bool: "a boolean", int: "an integer"}


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

    def refuse(self, wrong: str) -> NoReturn:
        """Raise the `ConfigurationError` for this place; `wrong` completes the sentence."""
        raise ConfigurationError(f"{self.source}: {self.key}: {wrong}")

    def mismatch(self, expected: str, given: Any, example: str) -> NoReturn:
        """Raise the error of a value of the wrong type or form."""
        kind = _TOML_NAMES.get(type(given), type(given).__name__)
        value = "" if isinstance(given, (dict, list)) else f" {printable(repr(given), 60)}"
        self.refuse(f"expected {expected}, not {kind}{value}; for example `{example}`")

    def known(self, keys: Iterable[str], valid: Iterable[str]) -> None:
        """Check that all of `keys` are valid, and name the nearest valid one where one is not."""
        valid = sorted(valid)
        for key in sorted(set(keys) - set(valid)):
            near = difflib.get_close_matches(key, valid, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"the keys are {', '.join(valid)}"
            (self / key).refuse(f"unknown key; {hint}")


def table(value: Any, place: Place, example: str) -> Mapping[str, Any]:
    """A TOML table; its keys and values are not checked."""
    if not isinstance(value, dict):
        place.mismatch("a table", value, example)
    return value


def string(value: Any, place: Place, example: str) -> str:
    """A string that is not blank and has no NUL, which no path and no word of a command can have."""
    if not isinstance(value, str) or not value.strip():
        place.mismatch("a string that is not blank", value, example)
    if "\0" in value:
        place.mismatch("a string without NUL", value, example)
    return value


def strings(value: Any, place: Place, example: str) -> tuple[str, ...]:
    """An array of strings, none of them blank."""
    if not isinstance(value, list):
        place.mismatch("an array of strings", value, example)
    return tuple(string(item, place[index], example) for index, item in enumerate(value))


def modules(value: Any, place: Place) -> tuple[str, ...]:
    """An array of dotted module names."""
    names = strings(value, place, 'fault_modules = ["my_db"]')
    for index, name in enumerate(names):
        if not re.fullmatch(_DOTTED, name):
            place[index].mismatch("a dotted module name", name, 'fault_modules = ["my_db"]')
    return names


def entry_points(value: Any, place: Place) -> EntryPoints:
    """A TOML boolean, or an array of names of distributions."""
    example = 'entry_points = ["my-tools"]'
    if isinstance(value, bool):
        return value
    if not isinstance(value, list):
        place.mismatch("true, false or an array of distributions' names", value, example)
    return strings(value, place, example)


def boolean(value: Any, place: Place, example: str) -> bool:
    """A TOML boolean, and nothing that Python takes for one, such as 1."""
    if not isinstance(value, bool):
        place.mismatch("true or false", value, example)
    return value


def seconds(value: Any, place: Place, example: str) -> float:
    """A finite number of seconds above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        place.mismatch("a number of seconds above 0", value, example)
    if not 0 < value < math.inf:
        place.refuse(f"expected a finite number of seconds above 0, not {value}; for example `{example}`")
    return float(value)


def side_effects(value: Any, place: Place) -> SideEffects:
    """A level of side effects that the tool may have."""
    return cast("SideEffects", _word(value, get_args(SideEffects), place, 'side_effects = "contained"'))


def duration(value: Any, place: Place) -> float:
    """The seconds of a duration above 0, given as a text such as `10m`."""
    found = seconds_of(value) if isinstance(value, str) else None
    if found is None:
        place.mismatch("a duration above 0", value, 'deadline = "10m"')
    return found


def containment(value: Any, place: Place) -> ContainmentLevel:
    """The least containment that a run accepts."""
    return cast("ContainmentLevel", _word(value, get_args(ContainmentLevel), place, 'containment = "full"'))


def schema_gate(value: Any, place: Place) -> SchemaGate:
    """Which changes of a schema fail a run."""
    return cast("SchemaGate", _word(value, get_args(SchemaGate), place, 'schema_gate = "breaking"'))


def _word(value: Any, words: tuple[str, ...], place: Place, example: str) -> str:
    """One of some strings."""
    if value not in words:
        place.mismatch(f"one of {', '.join(words)}", value, example)
    return cast("str", value)


def interpreter(value: Any, place: Place) -> str:
    """A program that exists, as an absolute path; symbolic links stay, for a venv's interpreter is one."""
    example = 'python = "../other/.venv/bin/python"'
    path = place.directory / string(value, place, example)
    if not path.is_file():
        place.refuse(f"there is no interpreter at {printable(str(path), 300)}; for example `{example}`")
    if not os.access(path, os.X_OK):
        place.refuse(
            f"{printable(str(path), 300)} is not executable; name the interpreter of the tool's environment"
        )
    return str(path)


def folder(value: Any, place: Place) -> str:
    """A folder that exists, as an absolute path."""
    example = 'files = "testdata"'
    path = place.directory / string(value, place, example)
    if not path.is_dir():
        is_there = "is no folder" if path.exists() else "is not there"
        place.refuse(f"{printable(str(path), 300)} {is_there}; name a folder, for example `{example}`")
    return str(path)


def inner_folder(value: Any, place: Place) -> str:
    """A folder within another one, as a relative path without `.` and `..`."""
    example = 'confined_to = "notes"'
    path = PurePosixPath(string(value, place, example))
    if path.is_absolute() or not path.parts or ".." in path.parts or not str(path).isprintable():
        place.refuse(
            f"{printable(str(path), 300)} is no folder within `files`; name one, for example `{example}`, and start the "
            "tool on it"
        )
    return str(path)


def readable(value: Any, place: Place) -> tuple[str, ...]:
    """Files and folders that exist, as absolute paths."""
    example = 'reads = ["/srv/models"]'
    paths = [place.directory / each for each in strings(value, place, example)]
    for path in paths:
        if not path.exists():
            place.refuse(
                f"{printable(str(path), 300)} is not there; name a file or folder, for example `{example}`"
            )
    return tuple(str(path.absolute()) for path in paths)


def patterns(value: Any, place: Place, example: str) -> tuple[str, ...]:
    """Paths of files, which may have wildcards, as absolute ones."""
    return tuple(str(place.directory / each) for each in strings(value, place, example))


def method(value: Any, place: Place) -> str:
    """The name of a method, alone or with the types of its parameters in parentheses."""
    example = 'execute = "ExecuteAsync(string, ToolContext, CancellationToken)"'
    if not re.fullmatch(r"[^\W\d]\w*\s*(\([^()]*\))?", string(value, place, example)):
        place.mismatch("a method's name, with or without the types of its parameters", value, example)
    return cast("str", value)


def factory(value: Any, place: Place, example: str) -> str:
    """`place:name`, dotted names both."""
    if not isinstance(value, str) or not _FACTORY.fullmatch(value):
        place.mismatch("a method as `class:method`", value, example)
    return value


def environment(value: Any, place: Place) -> Mapping[str, str]:
    """Environment variables: names to texts."""
    example = 'env = { WEATHER_REGION = "test" }'
    read = {}
    for name, text in table(value, place, example).items():
        if not name or re.search(r"[=\0]", name):
            (place / name).refuse(f"no environment variable can have this name; for example `{example}`")
        if not isinstance(text, str) or "\0" in text:
            (place / name).mismatch("a string without NUL", text, example)
        read[name] = text
    return read


def services(value: Any, place: Place) -> Mapping[str, str]:
    """Constructor parameters to factories."""
    example = 'services = { catalog = "my_pkg.testing:make_catalog" }'
    read = {}
    for parameter, factory in table(value, place, example).items():
        if not parameter.isidentifier():
            (place / parameter).refuse(
                f"no constructor parameter can have this name; for example `{example}`"
            )
        if not isinstance(factory, str) or not _FACTORY.fullmatch(factory):
            (place / parameter).mismatch("a factory as `module:factory`", factory, example)
        read[parameter] = factory
    return read


def mount_config(value: Any, place: Place) -> Mapping[str, Any]:
    """The table `config` of a tool, as JSON values."""
    return cast("Mapping[str, Any]", json_value(table(value, place, 'config = { root = "notes" }'), place))


def examples(value: Any, place: Place) -> tuple[Example, ...]:
    """Calls that must succeed: an argument object each, or a table of `arguments` and `result` and nothing else."""
    example = 'examples = [{ city = "Oslo" }, { arguments = { city = "Rome" }, result = { celsius = 21 } }]'
    if not isinstance(value, list):
        place.mismatch("an array of tables", value, example)
    read = []
    for index, item in enumerate(value):
        entry = json_value(table(item, place[index], example), place[index])
        if isinstance(entry.get("arguments"), dict) and set(entry) <= {"arguments", "result"}:
            read.append(Example(entry["arguments"], entry.get("result"), has_result="result" in entry))
        else:
            read.append(Example(entry))
    return tuple(read)


def waivers(value: Any, place: Place) -> tuple[Waiver, ...]:
    """The array of tables `waive`; each needs all four of its keys."""
    if not isinstance(value, list):
        place.refuse(f"expected an array of tables, which is written `[[{place.key}]]`")
    read: dict[str, Waiver] = {}
    for index, entry in enumerate(value):
        waiver = _waiver(table(entry, place[index], f"[[{place.key}]]"), place[index])
        if waiver.rule in read:
            place[index].refuse(f"the rule {waiver.rule} is waived twice; keep one of the two")
        read[waiver.rule] = waiver
    return tuple(read.values())


def _waiver(entry: Mapping[str, Any], place: Place) -> Waiver:
    fields: dict[str, tuple[str, Callable[[Any, Place, str], Any]]] = {
        "rule": ('rule = "CAN003"', _rule),
        "owner": ('owner = "weather team"', string),
        "reason": ('reason = "the upstream client cannot be interrupted"', string),
        "expires": ("expires = 2027-03-31", _day),
    }
    place.known(entry, fields)
    for key, (example, _) in fields.items():
        if key not in entry:
            place.refuse(
                f"the key `{key}` is missing; a waiver needs all of {', '.join(fields)}: add `{example}`"
            )
    said = {key: read(entry[key], place / key, example) for key, (example, read) in fields.items()}
    return Waiver(**said, place=f"{Path(place.source).name}: {place.key}")


def _rule(value: Any, place: Place, example: str) -> str:
    if not isinstance(value, str) or not _RULE.fullmatch(value):
        place.mismatch("a rule's code, three capitals and three digits", value, example)
    return value


def _day(value: Any, place: Place, example: str) -> dt.date:
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date):
        place.mismatch("a day, without quotes and without a time", value, example)
    return value


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
