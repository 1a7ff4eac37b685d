"""Renderers: a report as another text, one for each format. A third party adds one by an entry point."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Final, Protocol

from aptix_conformance.core.errors import ContractDataError, ReportError
from aptix_conformance.core.extension import loaded
from aptix_conformance.core.model.report import Report
from aptix_conformance.core.text import nearest, printable
from aptix_conformance.present.reports import (
    badge,
    github,
    gitlab,
    json_report,
    junit,
    lines,
    sarif,
    terminal,
)

ENTRY_POINTS: Final = "aptix_conformance.renderers"
"""The group of entry points by which others add renderers: each names a `Renderer`."""


class Renderer(Protocol):
    """Turns a report into text."""

    @property
    def name(self) -> str:
        """The name of its format, by which `aptix-conformance report` and `--aptix-report` select it."""

    def render(self, report: Report) -> str:
        """The text of the whole report; it has a form in UTF-8."""


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    render: Callable[[Report], str]


JSON: Final = "json"
"""The format that the suite reads."""
LINES: Final = "jsonl"
"""The same in lines, which the suite reads, too."""


def _html(report: Report) -> str:
    from aptix_conformance.present.reports import html  # noqa: PLC0415 - it alone needs the rules' pages and their evidence

    return html.render(report)


_OURS: Final[tuple[Renderer, ...]] = (
    _Form("badge", badge.svg),
    _Form("github", github.annotations),
    _Form("github-summary", github.summary),
    _Form("gitlab", gitlab.render),
    _Form("html", _html),
    _Form(JSON, json_report.render),
    _Form(LINES, lines.render),
    _Form("junit", junit.render),
    _Form("sarif", sarif.render),
    _Form("shields", badge.shields),
    _Form("summary", terminal.render),
)


def render(form: str, report: Report) -> str:
    """A report in the format of that name.

    Raises:
        ReportError: there is no such format, or its renderer failed.
        ContractDataError: as `all_renderers`.
    """
    renderer = find_renderer(form)
    try:
        text = renderer.render(report)
        text.encode()
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever a third party's renderer does, other formats are still made
        reason = f"{type(error).__name__}: {printable(str(error), 300)}"
        raise ReportError(f"the renderer {form} failed: {reason}") from error
    return text


def find_renderer(form: str) -> Renderer:
    """The renderer of that name.

    Raises:
        ReportError: there is no such format; the message lists those that exist.
        ContractDataError: as `all_renderers`.
    """
    renderers = all_renderers()
    if form not in renderers:
        known = ", ".join(sorted(renderers))
        raise ReportError(
            f"there is no report format {form!r}{nearest(form, renderers)}: it is one of {known}"
        )
    return renderers[form]


def all_renderers(others: Iterable[EntryPoint] | None = None) -> Mapping[str, Renderer]:
    """Every renderer by its name: ours, and those of the entry points installed or given.

    Raises:
        ContractDataError: an entry point cannot be loaded, names no renderer, or one whose name is taken.
    """
    renderers: dict[str, Renderer] = {renderer.name: renderer for renderer in _OURS}
    for described, renderer in loaded(ENTRY_POINTS, others):
        if isinstance(renderer, type) or not (hasattr(renderer, "name") and hasattr(renderer, "render")):
            raise ContractDataError(f"{described} gives {renderer!r}; it should name a renderer.")
        if renderers.setdefault(renderer.name, renderer) is not renderer:
            raise ContractDataError(f"{described}: there is a renderer {renderer.name} already")
    return renderers
