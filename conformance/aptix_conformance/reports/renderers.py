"""Renderers: a report as another text. A third party adds one by an entry point."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Final, Protocol

from aptix_conformance.errors import ContractDataError
from aptix_conformance.extension import loaded
from aptix_conformance.model.report import Report
from aptix_conformance.reports import json_report, terminal

ENTRY_POINTS: Final = "aptix_conformance.renderers"
"""The group of entry points by which others add renderers: each names a `Renderer`."""


class Renderer(Protocol):
    """Turns a report into text."""

    @property
    def name(self) -> str:
        """The name by which `aptix-conformance render --as` selects it."""

    def render(self, report: Report) -> str:
        """The text of the whole report."""


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    render: Callable[[Report], str]


_OURS: Final[tuple[Renderer, ...]] = (_Form("json", json_report.render), _Form("summary", terminal.render))


def all_renderers(others: Iterable[EntryPoint] | None = None) -> Mapping[str, Renderer]:
    """Every renderer by its name: ours, and those of the entry points installed or given.

    Raises:
        ContractDataError: an entry point cannot be loaded, names no renderer, or one whose name is taken.
    """
    found: dict[str, Renderer] = {renderer.name: renderer for renderer in _OURS}
    for described, renderer in loaded(ENTRY_POINTS, others):
        if isinstance(renderer, type) or not (hasattr(renderer, "name") and hasattr(renderer, "render")):
            raise ContractDataError(f"{described} gives {renderer!r}; it should name a renderer.")
        if found.setdefault(renderer.name, renderer) is not renderer:
            raise ContractDataError(f"{described}: there is a renderer {renderer.name} already")
    return found
