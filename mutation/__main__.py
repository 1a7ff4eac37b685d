"""Mutate the rules, the verdicts and the registry, and show which mutants no test notices; exit 1 if one is unexplained.

The session is kept: what was killed is not tried again, `--again` tries the survivors again, and cosmic-ray's own
reports read it (cr-report, cr-html). Delete it when a module has changed.
"""

import argparse
import importlib
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from cosmic_ray.config import load_config
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

from mutation import forks, report, selection
from mutation.mutants import Mutant, add_our_operators, make

_HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="these only (scope, registry)")
    parser.add_argument("--again", action="store_true", help="try what survived again")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="mutants at a time (default: 2)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=600,
        metavar="N",
        help="stop after so long; mutants are tried in random order",
    )
    parser.add_argument("--session", type=Path, default=Path("mutation.sqlite"), metavar="FILE")
    chosen = parser.parse_args(arguments)
    forks.find_packages()
    add_our_operators()
    config = load_config(str(_HERE / "cosmic-ray.toml"))
    with use_db(str(chosen.session)) as db, tempfile.TemporaryDirectory() as scratch:
        if not db.num_work_items:
            make(db, config)
        pending = [
            m for m in _pending(db, again=chosen.again) if not chosen.modules or m.path.stem in chosen.modules
        ]
        if pending:
            trial = _Trial(pending, db, chosen.jobs, chosen.minutes * 60, config.timeout, Path(scratch))
            forks.run_tests(shlex.split(config.test_command)[1:], [trial])
        return report.show(db, set(chosen.modules))


def _pending(db: WorkDB, *, again: bool) -> list[Mutant]:
    lived = [item for item, result in db.completed_work_items if result.test_outcome is TestOutcome.SURVIVED]
    items = [*(lived if again else ()), *db.pending_work_items]
    return [Mutant.of(item) for item in items]


class _Trial:
    """A plugin for pytest: once all tests are collected, they are run on one mutant after another, each in a fork."""

    def __init__(
        self, mutants: Sequence[Mutant], db: WorkDB, jobs: int, seconds: float, timeout: float, scratch: Path
    ) -> None:
        self._mutants, self._db, self._scratch = mutants, db, scratch
        self._jobs, self._seconds, self._timeout = jobs, seconds, timeout
        self._modules = sorted({mutant.path for mutant in mutants})
        self._watch = selection.Watch(self._modules)
        self._texts = {path: path.read_text(encoding="utf-8") for path in self._modules}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants; stands for the run of the tests."""
        self._on_import = {path: frozenset(map(int, lines)) for path, lines in self._watch.stop().items()}
        items = {item.nodeid: item for item in session.items}
        store, printed = self._scratch / "selection.json", self._scratch / "printed"

        def measure() -> int:
            selection.measure(list(items.values()), self._modules, store, _run)
            return int(session.testsfailed > 0)

        if os.waitpid(forks.fork(measure, 600, printed), 0)[1]:
            raise SystemExit(f"The tests fail without any mutant; fix them first.\n{printed.read_text()}")
        picked = selection.read(store)
        began, running, waiting = time.monotonic(), {}, list(reversed(self._mutants))
        importlib.import_module("mutation.patching")
        while waiting or running:
            if time.monotonic() - began > self._seconds:
                waiting.clear()
            while len(running) < self._jobs and waiting:
                mutant = waiting.pop()
                output = self._scratch / mutant.job
                tests = picked.tests_for(mutant, self._on_import[str(mutant.path)])
                work = partial(self._judge, mutant, session, [items[test] for test in tests])
                running[forks.fork(work, self._timeout, output)] = mutant, output
            pid, status = os.wait()
            mutant, output = running.pop(pid)
            self._db.set_result(mutant.job, _result(status, output))
            output.unlink()
            print(f"{len(waiting)} to go, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        return True

    def _judge(self, mutant: Mutant, session: pytest.Session, items: Sequence[pytest.Item]) -> int:
        from mutation import patching  # noqa: PLC0415 - it imports what is watched from the first import on

        if not items:
            return 0  # no test runs it
        text = mutant.source()
        module = importlib.import_module(forks.module_name(mutant.path))
        try:
            patching.patch(module, self._texts[mutant.path], text, self._on_import[str(mutant.path)])
        except patching.NeedsImportError:
            forks.change(mutant.path, text)
            return forks.run_tests(sorted({item.nodeid.partition("::")[0] for item in items}), ())
        for item in items:
            _run(item)
            if session.testsfailed:
                print(item.nodeid)
                return 1
        return 0


def _run(item: pytest.Item) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


def _result(status: int, output: Path) -> WorkResult:
    said = output.read_text(encoding="utf-8", errors="replace")[-2000:]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == forks.BROKEN:
        return WorkResult(WorkerOutcome.EXCEPTION, said, TestOutcome.INCOMPETENT)
    return WorkResult(WorkerOutcome.NORMAL, said, TestOutcome.KILLED if status else TestOutcome.SURVIVED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
