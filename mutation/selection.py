"""Which tests can tell a mutant from the module: those that run its lines, the quickest first."""

import ast
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import coverage

from mutation.mutants import Mutant

Lines = Mapping[str, list[str]]

_QUICK: Final = 0.02
"""Seconds of a test that is run to be sure."""


@dataclass(frozen=True)
class Selection:
    """What each test took, and which tests ran each line of each module.

    `seconds` is by test id; `ran` by module path and then by line number, written out.
    """

    seconds: Mapping[str, float]
    ran: Mapping[str, Lines]

    def tests_for(self, mutant: Mutant, on_import: frozenset[int]) -> list[str]:
        """The tests for a mutant: first those that ran its lines, then those that its effect may reach.

        What stands in a function acts where the function runs. What stands outside, or in a function that runs on
        import (its lines are among `on_import`), acts everywhere, so that any test may notice.
        """
        lines = self.ran.get(str(mutant.path), {})
        own = self._by_speed(lines, range(mutant.first_line, mutant.last_line + 1))
        span = _function_around(mutant)
        is_local = span is not None and on_import.isdisjoint(span)
        wider = self._by_speed(lines, span) if span and is_local else self._everything(lines)
        return list(dict.fromkeys((*own, *wider)))

    def _everything(self, lines: Lines) -> list[str]:
        """The tests of a module, then those that look at rules from outside, as at their levels."""
        touching = sorted({test for tests in lines.values() for test in tests}, key=self._cost)
        return [*touching, *(test for test, cost in self.seconds.items() if cost < _QUICK)]

    def _by_speed(self, lines: Lines, numbers: range) -> list[str]:
        return sorted({test for n in numbers for test in lines.get(str(n), ())}, key=self._cost)

    def _cost(self, test: str) -> float:
        return self.seconds.get(test, 0.0)


class Watch:
    """Coverage of some modules, by a context that is named while it goes on."""

    def __init__(self, modules: Sequence[Path]) -> None:
        self._modules = modules
        self._coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(path.absolute()) for path in modules]
        )
        self._coverage.start()

    def name(self, context: str) -> None:
        """What runs from now on runs for this."""
        self._coverage.switch_context(context)

    def stop(self) -> dict[str, dict[str, list[str]]]:
        """By module path and by line number, written out, what ran it."""
        self._coverage.stop()
        data = self._coverage.get_data()
        return {
            str(path): {str(n): names for n, names in data.contexts_by_lineno(str(path.absolute())).items()}
            for path in self._modules
        }


def measure(items: Sequence[Any], modules: Sequence[Path], store: Path, run: Callable[[Any], None]) -> None:
    """Run each test on the modules as they are, and write down which ran what."""
    watch, seconds = Watch(modules), {}
    for item in items:
        began = time.process_time()
        watch.name(item.nodeid)
        run(item)
        seconds[item.nodeid] = time.process_time() - began
    store.write_text(json.dumps({"seconds": seconds, "ran": watch.stop()}), encoding="utf-8")


def read(store: Path) -> Selection:
    """What `measure` wrote."""
    return Selection(**json.loads(store.read_text(encoding="utf-8")))


def _function_around(mutant: Mutant) -> range | None:
    """The lines of the function that a mutant is in; None for what is outside, decorators and defaults included."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, last = node.body[0].lineno, node.body[-1].end_lineno or 0
            if first <= mutant.first_line <= last:
                return range(first, last + 1)
    return None
