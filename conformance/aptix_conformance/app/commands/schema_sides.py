"""One side of `schema diff`: lock files and folders, function schemas, reports, git revisions, targets."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from aptix_conformance.app.run import Run
from aptix_conformance.core.errors import ConfigurationError, ConformanceError, RecordError, TargetError
from aptix_conformance.core.files import is_taken, read_text
from aptix_conformance.core.model import Declaration
from aptix_conformance.core.model.report import Report
from aptix_conformance.core.schemas import LockRecord, parse_schema, read_lock
from aptix_conformance.core.schemas.diff import PARAMETER_MEMBERS, ToolSchema
from aptix_conformance.core.schemas.lock import LARGEST
from aptix_conformance.core.text import printable
from aptix_conformance.present.reports import json_report
from aptix_conformance.systems.registry import installed
from aptix_conformance.targets.git import git


@dataclass(frozen=True, slots=True)
class Side:
    """The tools of one side by name, with the files that they were read from.

    `is_collection` is for what can hold several tools, however many there are: a folder, a report, a module.
    """

    tools: Mapping[str, ToolSchema]
    files: Mapping[str, str]
    is_collection: bool


def read_side(text: str, directory: Path) -> Side:
    """Read one side: a path, then a git revision with or without a path, then a target spec.

    Raises:
        ConfigurationError: it is not one of these, or holds no tool.
        RecordError: a file is no JSON, or of no form that is known.
        TargetError: a target cannot be loaded.
        HostError: no process could be started.
    """
    path = directory / text
    if text and is_taken(path):
        side = _folder(path, text) if path.is_dir() else _file(path, text)
    elif (revision := _revision(text, directory)) is not None:
        side = _committed(revision, text, directory)
    else:
        side = _target(text, directory)
    if not side.tools:
        raise ConfigurationError(
            f"{printable(text)} holds no tool's schema; name a lock file, or the folder of the locks"
        )
    return side


# ---- files


def _folder(path: Path, name: str) -> Side:
    """The files of a folder, named as the folder was: GitHub wants paths from the root of the repository."""
    files = ((str(PurePosixPath(name) / file.name), _text(file)) for file in sorted(path.glob("*.json")))
    return _side(files, is_collection=True)


def _file(path: Path, name: str) -> Side:
    return _side([(name, _text(path))], is_collection=False)


def _text(path: Path) -> str:
    try:
        return read_text(path, LARGEST)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(f"{path} cannot be read ({reason})") from None


def _side(files: Iterable[tuple[str, str]], *, is_collection: bool) -> Side:
    tools: dict[str, ToolSchema] = {}
    places: dict[str, str] = {}
    for where, text in files:
        file_tools = _tools(text, where)
        is_collection = is_collection or len(file_tools) > 1
        for name, tool in file_tools:
            if name in tools:
                raise RecordError(
                    f"{where} and {places[name]} both hold the tool {printable(name)}; remove one"
                )
            tools[name], places[name] = tool, where
    return Side(tools, places, is_collection)


def _tools(text: str, where: str) -> list[tuple[str, ToolSchema]]:
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{where} is not valid JSON ({error})") from None
    if isinstance(data, dict) and {"schema", "fingerprint"} <= data.keys():
        lock = read_lock(text, where)
        return [(lock.tool, of_lock(lock))]
    form = data.get("format") if isinstance(data, dict) else None
    if isinstance(form, str) and form.startswith("aptix-conformance-report/"):
        return list(_reported(json_report.report_of(data, where), where))
    listed = data.get("tools") if isinstance(data, dict) and isinstance(data.get("tools"), list) else data
    listed = listed if isinstance(listed, list) else [listed]
    return [tool for item in listed for tool in _functions(item, where)]


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys: JSON readers disagree about what a repeated key means.

    Raises:
        ValueError: a key is repeated.
    """
    known: dict[str, Any] = {}
    for key, value in members:
        if key in known:
            raise ValueError(f"the key {printable(key, 60)!r} stands twice in one object; remove one")
        known[key] = value
    return known


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number; write another, or leave it out")


def _reported(report: Report, where: str) -> Iterator[tuple[str, ToolSchema]]:
    for tool in report.tools:
        known = tool.declared
        if known is None or known.schema is None:
            raise RecordError(
                f"{where}: the report keeps no schema of {printable(tool.tool)}; make a new one"
            )
        yield tool.tool, ToolSchema(known.schema, known.usage_text, known.result_shape)


def _functions(item: Any, where: str) -> Iterator[tuple[str, ToolSchema]]:
    """A function schema in any form, a Gemini tool of several, or the schema of the parameters alone."""
    if isinstance(item, dict) and isinstance(item.get("functionDeclarations"), list):
        for inner in item["functionDeclarations"]:
            yield from _functions(inner, where)
        return
    tool = ToolSchema(item)
    both = [key for key in PARAMETER_MEMBERS if tool.flat.get(key) is not None]
    if len(both) > 1:
        raise RecordError(
            f"{where}: {printable(tool.name or 'a tool')} has {' and '.join(both)}; keep one of them"
        )
    if tool.name:
        yield tool.name, tool
    elif isinstance(item, dict) and item.keys() & {"properties", "type", "$ref", "allOf", "anyOf"}:
        yield PurePosixPath(where).stem, ToolSchema({"parameters": item})
    else:
        raise RecordError(f"{where} is neither a lock, a report nor a function schema with a name")


def of_lock(lock: LockRecord) -> ToolSchema:
    """The schema of a lock; a lock without a shape of results promises none."""
    return ToolSchema(lock.schema, "\n".join(lock.usage_text), lock.result_shape or {})


# ---- git


def _revision(text: str, directory: Path) -> str | None:
    """The commit that a text names up to its first colon; None where it names none."""
    name = text.partition(":")[0]
    if not name or name.startswith("-"):
        return None
    answer = git(directory, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return answer.decode("ascii", "replace").strip() if answer is not None else None


def _committed(commit: str, text: str, directory: Path) -> Side:
    """The locks in a commit: at a path from the root of the repository, or in the folder of the locks."""
    path = text.partition(":")[2].rstrip("/")
    if not path:
        settings = installed().load_settings(directory / "pyproject.toml")
        prefix = (git(directory, "rev-parse", "--show-prefix") or b"").decode().strip()
        path = str(PurePosixPath(prefix) / settings.snapshots)
    kind = git(directory, "cat-file", "-t", f"{commit}:{path}")
    if kind is None:
        raise ConfigurationError(f"{printable(text)}: the commit {commit[:12]} has no {path}")
    if kind.strip() == b"blob":
        return _side([(path, _blob(directory, commit, path))], is_collection=False)
    listed = git(
        directory, "ls-tree", "-z", "--name-only", "--full-tree", commit, f"{path}/" if path != "." else "."
    )
    names = [
        name for name in (listed or b"").decode("utf-8", "replace").split("\0") if name.endswith(".json")
    ]
    return _side(((name, _blob(directory, commit, name)) for name in sorted(names)), is_collection=True)


def _blob(directory: Path, commit: str, path: str) -> str:
    content = git(directory, "cat-file", "blob", f"{commit}:{path}")
    if content is None or len(content) > LARGEST:
        raise RecordError(f"{commit[:12]}:{path} cannot be read")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"{commit[:12]}:{path} is not a text ({error})") from None


# ---- targets


def _target(text: str, directory: Path) -> Side:
    try:
        spec = installed().specs.parse(text, "schema")
    except ConformanceError as error:
        raise ConfigurationError(
            f"{printable(text) or 'an empty text'} is not a file, a git revision or a target: {error}"
        ) from None
    try:
        declarations = read_declarations([text], directory)
    except TargetError as error:
        raise TargetError(
            f"{printable(text)} is not a file or a git revision, and as a target: {error}"
        ) from None
    tools = {name: of_declaration(name, declaration) for name, declaration in declarations.items()}
    return Side(tools, {}, is_collection=spec.qualname is None)


def of_declaration(name: str, declaration: Declaration) -> ToolSchema:
    """The schema that a tool declares now.

    Raises:
        TargetError: it has no schema.
    """
    if declaration.schema.text is None:
        reason = declaration.schema.error or declaration.schema.outcome
        raise TargetError(f"{printable(name)} has no schema to compare ({printable(reason, 300)})")
    return ToolSchema(parse_schema(declaration.schema.text), declaration.usage_text.value or "")


def read_declarations(specs: Iterable[str], directory: Path) -> dict[str, Declaration]:
    """The declarations of the tools that some target specs name, by the tools' names; no call is made.

    Raises:
        SpecError, TargetError, HostError: a target is not there, or cannot be read.
    """
    with Run.open(directory) as run:
        return {tool.name: tool.declaration for tool in run.find(*specs).all_found()}
