"""The order in which verdicts are read: a root cause first, and below it what follows from it."""

from collections.abc import Iterable, Iterator, Mapping

from aptix_conformance.core.model.report import VerdictReport


def by_cause(verdicts: Iterable[VerdictReport]) -> Iterator[tuple[VerdictReport, int]]:
    """(verdict, depth) for each verdict: 0 for a root, 1 for what follows from it, and so on.

    Broken MUSTs come first, then broken rules that bind less; among them those from which most follows. Otherwise the order
    is that of the verdicts. A verdict whose root is not among them is a root.
    """
    known = list(verdicts)
    codes = {verdict.rule for verdict in known}
    below: dict[str, list[VerdictReport]] = {}
    for verdict in known:
        root = verdict.follows_from if verdict.follows_from in codes - {verdict.rule} else ""
        below.setdefault(root, []).append(verdict)
    return _with_depth(below, "", 0)


def _with_depth(
    below: Mapping[str, list[VerdictReport]], root: str, depth: int
) -> Iterator[tuple[VerdictReport, int]]:
    def rank(verdict: VerdictReport) -> tuple[bool, bool, int]:
        return (not verdict.blocks, not verdict.is_advice, -len(below.get(verdict.rule, ())))

    for verdict in sorted(below.get(root, ()), key=rank):
        yield verdict, depth
        yield from _with_depth(below, verdict.rule, depth + 1)
