"""Which mutants there are: cosmic-ray's and ours, less those that test nothing."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from cosmic_ray import plugins
from cosmic_ray.commands import init
from cosmic_ray.config import ConfigDict
from cosmic_ray.modules import filter_paths, find_modules
from cosmic_ray.mutating import mutate_code
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkItem, WorkResult

from aptix_conformance.core.text import printable, quoted, readable
from mutation.operators import OPERATORS

SETTLED_AT_IMPORT: Final = ("dataclass", "field", "lru_cache")
"""Decorators whose arguments are about how something is stored."""

QUOTING: Final = (printable.__name__, quoted.__name__, readable.__name__)
"""Functions whose second argument is the length at which a quotation is cut."""


@dataclass(frozen=True)
class Mutant:
    """One change to one module."""

    job: str
    path: Path
    operator: str
    first_line: int
    last_line: int
    spec: MutationSpec

    @classmethod
    def of(cls, item: WorkItem) -> "Mutant":
        """The mutant of a work item of cosmic-ray's, which has one mutation here."""
        (spec,) = item.mutations
        return cls(
            item.job_id, spec.module_path, spec.operator_name, spec.start_pos[0], spec.end_pos[0], spec
        )

    def source(self) -> str:
        """The module's text with the change.

        Raises:
            LookupError: the module is no longer the one that the mutant was made of.
        """
        operator = plugins.get_operator(self.operator)(**self.spec.operator_args)
        text: str | None = mutate_code(self.path.read_text(encoding="utf-8"), operator, self.spec.occurrence)
        if text is None:
            raise LookupError(f"{self.path} has changed since the mutants were made: delete the session")
        return text


def make(db: WorkDB, config: ConfigDict) -> None:
    """Fill an empty session with every mutant; those that are left out are marked as skipped."""
    paths = find_modules(Path(path) for path in config["module-path"])
    chosen = sorted(filter_paths(paths, config.get("excluded-modules", ())))
    init(chosen, db, {})
    excluded = re.compile("|".join(config.sub("filters", "operators-filter")["exclude-operators"]))
    made = [Mutant.of(item) for item in db.work_items]
    idle = [each.job for each in made if excluded.match(each.operator) or _tests_nothing(each)]
    db.set_multiple_results(idle, WorkResult(WorkerOutcome.SKIPPED))


def _tests_nothing(mutant: Mutant) -> bool:
    return any(start <= mutant.spec.start_pos < end for start, end in _idle_spans(mutant.path))


@cache
def _idle_spans(path: Path) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
    """Where annotations, the settings of dataclasses and the lengths of quotations stand, as (line, column) from and to."""
    text = path.read_text(encoding="utf-8")
    lines = [line.encode() for line in text.splitlines()]

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1][:offset].decode())  # ast counts bytes, cosmic-ray characters

    return tuple(
        (
            (node.lineno, column(node.lineno, node.col_offset)),
            (node.end_lineno or 0, column(node.end_lineno or 0, node.end_col_offset or 0)),
        )
        for node in _idle(ast.parse(text))
    )


def _idle(tree: ast.AST) -> Iterator[ast.expr]:
    # The suite is found only when the command has put this checkout on the path.
    from aptix_conformance.core.text import printable, quoted  # noqa: PLC0415

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns:
                yield node.returns
        elif isinstance(node, ast.arg | ast.AnnAssign):
            if node.annotation:
                yield node.annotation
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in SETTLED_AT_IMPORT:
                yield node
            elif node.func.id in (printable.__name__, quoted.__name__):
                yield from node.args[1:]


class _Ours:
    """cosmic-ray's protocol for whoever adds operators."""

    def __iter__(self) -> Iterator[str]:
        return iter(OPERATORS)

    def __getitem__(self, name: str) -> type:
        return OPERATORS[name]


def add_our_operators() -> None:
    """Make cosmic-ray know our operators; an entry point would need an installed distribution."""
    plugins.OPERATOR_PROVIDERS["aptix"] = _Ours()
