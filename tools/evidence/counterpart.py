"""The part of a conforming twin that corresponds to the fault of a nonconforming tool.

A nonconforming tool is mostly its twin with a few members replaced, so those members, shown beside the
same members of the twin, explain the fault better than both whole files.
"""

import ast
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from aptix_conformance.present.evidence import Form

_SHORT: Final = 0.6
"""A diff is shown if its length is less than this fraction of the length of both files."""

_WHOLE: Final = 60
"""Lines: a file of at most this length is shown whole."""


def counterpart(source: str, twin: str, bases: Iterable[str] = ()) -> tuple[Form, str]:
    """The form in which to show the twin, and the text.

    Functions and members of classes are looked up by name, whether inherited or not, in the twin and then in the files of
    its `bases`; without any, the two files are compared.
    """
    for text in (twin, *bases):
        parts = _same_parts(source, text)
        if parts:
            return "parts", parts
    difference = _difference(source, twin)
    if len(difference) < _SHORT * (len(source) + len(twin)):
        return "difference", difference
    return ("whole", twin.rstrip("\n")) if len(twin.splitlines()) <= _WHOLE else ("none", "")


def _same_parts(source: str, twin: str) -> str:
    """The twin's functions and members of classes that the nonconforming tool has by the same name and that differ."""
    try:
        ours, theirs = ast.parse(source), ast.parse(twin)
    except SyntaxError:
        return ""
    replaced = _texts(_functions(ours), source)
    for node in ours.body:
        if isinstance(node, ast.ClassDef):
            replaced |= _texts(_members(node), source)
    parts = []
    for node in theirs.body:
        if isinstance(node, ast.ClassDef):
            shared = _changed(_texts(_members(node), twin), replaced)
            if shared:
                head = twin.split("\n")[node.lineno - 1]
                parts.append("\n\n".join([head, *shared]))
    return "\n\n\n".join([*parts, *_changed(_texts(_functions(theirs), twin), replaced)])


def _changed(texts: Mapping[str, str], replaced: Mapping[str, str]) -> list[str]:
    return [text for name, text in texts.items() if replaced.get(name, text) != text]


def _functions(module: ast.Module) -> dict[str, ast.stmt]:
    return {
        node.name: node for node in module.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _texts(members: Mapping[str, ast.stmt], text: str) -> dict[str, str]:
    lines = text.split("\n")
    return {name: _lines(member, lines) for name, member in members.items()}


def _members(node: ast.ClassDef) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for child in node.body:
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[child.name] = child
        elif isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            found[child.target.id] = child
        elif isinstance(child, ast.Assign):
            found.update({target.id: child for target in child.targets if isinstance(target, ast.Name)})
    return found


def _lines(member: ast.stmt, lines: Sequence[str]) -> str:
    """The whole lines of a member, with its decorators."""
    decorators = getattr(member, "decorator_list", [])
    first = min([member.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : member.end_lineno])


def _difference(source: str, twin: str) -> str:
    lines = difflib.unified_diff(
        twin.splitlines(), source.splitlines(), "conforming", "nonconforming", n=2, lineterm=""
    )
    return "\n".join(lines)
