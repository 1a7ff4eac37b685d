"""The clauses that each test proves: `@pytest.mark.clause("AGN-005.9.2")`, read from the source without importing it.

The marker is on a test function or on a class of tests. Its arguments are clause ids, written out, so that a
search for an id finds its tests.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ContractDataError

_MARKER: Final = "pytest.mark.clause"


@dataclass(frozen=True, slots=True)
class Mark:
    """One clause that one test proves; `test` is its node id, without parameters."""

    clause: str
    test: str


def read_marks(tests: Path) -> tuple[Mark, ...]:
    """Every mark of the tests below a folder, sorted by clause and test; ids begin with the folder's name.

    Raises:
        ContractDataError: a marker has no arguments, or one that is not a string literal, or is not on a test.
    """
    found: set[Mark] = set()
    for path in sorted(tests.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if _MARKER in text:  # parsing all of them takes ten times as long
            where = path.relative_to(tests.parent).as_posix()
            found.update(_marks_in(ast.parse(text, filename=str(path)), where, ()))
    return tuple(sorted(found, key=lambda mark: (mark.clause, mark.test)))


def _marks_in(node: ast.Module | ast.ClassDef, where: str, inherited: tuple[str, ...]) -> Iterator[Mark]:
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from _marks_in(child, f"{where}::{child.name}", (*inherited, *_clauses(child, where)))
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for clause in (*inherited, *_clauses(child, where)):
                yield Mark(clause, f"{where}::{child.name}")


def _clauses(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, where: str) -> list[str]:
    clauses: list[str] = []
    for decorator in node.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(call) != _MARKER:
            continue
        arguments = decorator.args if isinstance(decorator, ast.Call) else []
        named = [
            argument.value
            for argument in arguments
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        if not named or len(named) < len(arguments):
            raise ContractDataError(
                f"{where}::{node.name}: pytest.mark.clause takes the ids of clauses, written out as texts"
            )
        clauses += named
        if not node.name.startswith("Test" if isinstance(node, ast.ClassDef) else "test"):
            raise ContractDataError(
                f"{where}::{node.name} is marked with clauses, but pytest does not collect it"
            )
    return clauses
