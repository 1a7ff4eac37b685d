"""Examine fixtures and reference tools as usual, and again with less time or fewer calls: each verdict is the same, or inconclusive.

    python -m tests.acceptance.matrix.speeds slow 'reference/*' 'nonconforming/ARG*'
    taskset -c 0,1 python -m tests.acceptance.matrix.speeds busy 'clean/*'

`slow`: each call takes 0.3 s more, as far as the suite can see. `cut`: the deadline of the tool is reached after half of its calls.
`busy`: eight processes beside it take all the processor time that they get; on one processor that leaves less than a quarter.
`quick`: the plan of `--aptix-thoroughness quick`; how many of the broken rules it finds, and with how many calls, is printed too.
`all`: each of these ways, beside one usual examination.

Without titles, all of them. Exit status 1 if a verdict is another one.
"""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final

from tests.acceptance.matrix.laboratory import Examined, Laboratory, laboratory
from tests.acceptance.matrix.specimens import Specimen, matching

from aptix_conformance.core.model import Call, Stimulus
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.hosts import ToolHost

SLOWER: Final = 0.3
"""Seconds that each call takes more."""
LOOPS: Final = 8
HOW: Final = ("slow", "cut", "busy", "quick")


class _Proxy:
    """A host that passes all on to another one."""

    def __init__(self, host: ToolHost) -> None:
        self._host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)


class Slow(_Proxy):
    """A host whose calls take longer."""

    def another(self, number: int) -> Any:
        """See `ToolHost`."""
        return Slow(self._host.another(number))

    def execute(self, *asked: Any, **how: Any) -> Call:
        """See `ToolHost`."""
        return _slower(self._host.execute(*asked, **how))

    def execute_patiently(self, *asked: Any, **how: Any) -> Call:
        """See `ToolHost`."""
        return _slower(self._host.execute_patiently(*asked, **how))

    def execute_together(self, *asked: Any, **how: Any) -> tuple[Call, ...]:
        """See `ToolHost`."""
        return tuple(map(_slower, self._host.execute_together(*asked, **how)))


class _Counted(_Proxy):
    """A host each of whose calls is counted."""

    def __init__(self, host: ToolHost, count: Callable[[], None]) -> None:
        super().__init__(host)
        self._count = count

    def another(self, number: int) -> Any:
        """See `ToolHost`."""
        return _Counted(self._host.another(number), self._count)

    def execute(self, *asked: Any, **how: Any) -> Call:
        """See `ToolHost`."""
        self._count()
        return self._host.execute(*asked, **how)

    def execute_together(self, plans: Sequence[Stimulus], *asked: Any, **how: Any) -> tuple[Call, ...]:
        """See `ToolHost`."""
        for _ in plans:
            self._count()
        return self._host.execute_together(plans, *asked, **how)


class Cut(_Counted):
    """A host behind so many of whose calls the clock of the tool's deadline has run out."""

    def __init__(self, host: ToolHost, calls: int) -> None:
        super().__init__(host, self._use)
        self._left = calls

    def _use(self) -> None:
        self._left -= 1

    @property
    def waited(self) -> float:
        """Seconds that do not count: from then on, all that there are do."""
        return self._host.waited if self._left > 0 else -1e9


def _slower(call: Call) -> Call:
    """The call, later by `SLOWER`; as it is where its host cut a block of the event loop to it, since both would be longer."""
    if call.disturbed is not None and call.disturbed.blocked >= call.elapsed:
        return call
    return replace(call, elapsed=call.elapsed + SLOWER)


def examined(
    own: Laboratory, specimen: Specimen, how: str, usual: Sequence[Examined]
) -> tuple[Examined, ...]:
    """A specimen, examined in a laboratory with something slower."""
    half = min(len(each.examination.exploration.calls) for each in usual) // 2
    wraps: dict[str, Callable[[ToolHost], Any]] = {"slow": Slow, "cut": lambda host: Cut(host, half)}
    return own.examine(specimen, wrap=wraps.get(how))


def differences(usual: Sequence[Examined], slower: Sequence[Examined], how: str = "") -> Iterator[str]:
    """A line for each verdict that is another one and not inconclusive.

    A quick plan may show what the standard one masks by a rule that it shows too.
    """
    for before, after in zip(usual, slower, strict=True):
        for one, other in zip(before.examination.verdicts, after.examination.verdicts, strict=True):
            if how == "quick" and one.masked_by:
                continue
            if other.verdict not in {one.verdict, VerdictKind.INCONCLUSIVE}:
                yield f"{before.title}: {one.rule} is {one.verdict.value}, and {other.verdict.value} ({other.reason})"


def _again(
    labs: Sequence[Laboratory], specimen: Specimen, how: str, usual: Sequence[Examined]
) -> tuple[Examined, ...]:
    """A specimen, examined once more in one of these ways: in the first laboratory, or in that of quick plans."""
    with ExitStack() as stack:
        for _ in range(LOOPS if how == "busy" else 0):
            loop = subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        return examined(labs[how == "quick"], specimen, how, usual)


def _counts(examinations: Sequence[Examined]) -> list[int]:
    """How many rules are broken, are inconclusive, and how many calls were made."""
    verdicts = [verdict.verdict for each in examinations for verdict in each.examination.verdicts]
    calls = sum(len(each.examination.exploration.calls) for each in examinations)
    return [verdicts.count(VerdictKind.FAIL), verdicts.count(VerdictKind.INCONCLUSIVE), calls]


def main(arguments: list[str]) -> int:
    """Run the command; gives its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.acceptance.matrix.speeds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("how", choices=(*HOW, "all"), metavar="HOW", help="slow, cut, busy, quick or all")
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="examine these only")
    chosen = parser.parse_args(arguments)
    specimens = matching(chosen.titles)
    if not specimens:
        parser.error("no fixture has such a title")
    count = 0
    totals = {how: [0, 0, 0] for how in ("usual", *(HOW if chosen.how == "all" else (chosen.how,)))}
    with laboratory() as own, laboratory(thoroughness="quick") as quick:
        for specimen in specimens:
            usual = own.examine(specimen)
            for how, sums in totals.items():
                now = usual if how == "usual" else _again((own, quick), specimen, how, usual)
                for at, number in enumerate(_counts(now)):
                    sums[at] += number
                for line in differences(usual, now, how):
                    count += 1
                    print(f"{how}: {line}", flush=True)  # noqa: T201 - a command
    print(f"{len(specimens)} specimens, {count} verdicts are others")  # noqa: T201
    for how, (broken, inconclusive, calls) in totals.items():
        print(f"{how:6} {broken:5} broken rules {inconclusive:6} inconclusive {calls:7} calls")  # noqa: T201
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
