"""What was measured, as a table for people and as JSON for machines."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

FORMAT = "aptix-conformance-benchmarks/1"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    `value` is by the clock and `cpu` by processor time, both in `unit`; None where that says nothing. `goal` is
    DESIGN.md's, `peer` the row and the subject that this one is held against.
    """

    row: str
    subject: str
    unit: str
    value: float
    cpu: float | None = None
    goal: float | None = None
    better: Literal["more", "less"] = "less"
    peer: str | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached, by processor time where that is known; None where there is no goal."""
        if self.goal is None:
            return None
        shown = self.value if self.cpu is None else self.cpu
        return shown >= self.goal if self.better == "more" else shown <= self.goal


def ratio(figure: Figure, figures: Sequence[Figure]) -> float | None:
    """How many times as good as its peer a figure is, by processor time; None where it has none."""
    peer = next(
        (known for known in figures if known.subject == figure.peer and known.row == figure.row), None
    )
    if peer is None:
        return None
    own, other = figure.cpu or figure.value, peer.cpu or peer.value
    return own / other if figure.better == "more" else other / own


def table(figures: Sequence[Figure]) -> str:
    """One line a figure, under a heading."""
    rows = [("row", "what", "clock", "processor", "unit", "goal", "reached", "against its peer")]
    for figure in figures:
        times = ratio(figure, figures)
        rows.append(
            (
                figure.row,
                figure.subject + (f" ({figure.note})" if figure.note else ""),
                _number(figure.value),
                "" if figure.cpu is None else _number(figure.cpu),
                figure.unit,
                "" if figure.goal is None else f"{'≥' if figure.better == 'more' else '≤'} {figure.goal:,g}",
                {None: "", True: "yes", False: "no"}[figure.met],
                "" if times is None else f"{times:.1f} x {figure.peer}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def write(path: Path, figures: Sequence[Figure], *, quick: bool) -> None:
    """The figures with the machine that they were measured on."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "quick": quick,
        "machine": machine(),
        "figures": [
            {**asdict(figure), "met": figure.met, "ratio": ratio(figure, figures)} for figure in figures
        ],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next(
        (line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine()
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits
