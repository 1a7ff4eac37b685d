"""Make the documentation as a site: `python -m tools.site FOLDER`. It needs no network, to be made or to be read.

Sphinx renders the hand-written pages, a page for each rule and clause, and each source file to which one of them links. A warning
fails, and so do a link that leads nowhere and a page that would load something from another host. The search runs in the browser.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sphinx.cmd.build import build_main

from aptix_conformance.core.contracts import load
from aptix_conformance.systems.rulebook import all_rules
from tools.evidence import CHECKOUT, Checkout, gather
from tools.pages import LINK, all_pages
from tools.remote import in_page, in_style

_PARTS: Final = {
    "First steps": ("README", "docs/check", "docs/init", "docs/first-mcp-server", "docs/mcp", "docs/art", "docs/amplifier", "docs/dotnet", "docs/langchain", "docs/openai-agents", "docs/pydantic-ai", "docs/ai-sdk"),
    "What a tool needs": ("docs/configuration", "docs/services", "docs/recording"),
    "Results": (
        "docs/ci", "docs/shards", "docs/scale", "docs/cache", "docs/recipes", "docs/upgrading", "docs/troubleshooting", "docs/report", "docs/html-report", "docs/baseline", "docs/schema-changes", "docs/kept-tests", "docs/certificates",
    ),
}  # fmt: skip
"""The contents of the site, in this order; every other page follows in alphabetical order."""
_LANGUAGES: Final = {".cs": "csharp", ".js": "js", ".json": "json", ".mjs": "js", ".py": "python", ".toml": "toml", ".ts": "ts", ".yml": "yaml"}  # fmt: skip
_RULE: Final = re.compile(r"rules/[A-Z]+\d+\.md")
_ORPHAN: Final = "---\norphan: true\n---\n\n"
"""At the head of a page that is in no table of contents: hundreds of entries beside each page would take minutes to make."""
_CONFIGURATION: Final = """\
project = "aptix-conformance"
extensions = ["myst_parser"]
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 5
suppress_warnings = ["misc.highlighting_failure"]
"""


def main(arguments: list[str]) -> int:
    """Make the site; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="receives the site; open its index.html")
    folder = parser.parse_args(arguments).folder
    with tempfile.TemporaryDirectory() as name:
        stage(Path(name), CHECKOUT)
        status = build_main(["-q", "-W", "--keep-going", "-n", "-j", "auto", name, str(folder)])
    remote = [*_loaded_elsewhere(folder)]
    for line in remote:
        print(line, file=sys.stderr)
    return 1 if status or remote else 0


def _loaded_elsewhere(folder: Path) -> Iterator[str]:
    for ending, find in ((".html", in_page), (".css", in_style)):
        for file in sorted(folder.rglob(f"*{ending}")):
            for each in find(file.read_text(encoding="utf-8")):
                yield f"{file} loads from another host: {each}"


def stage(folder: Path, checkout: Checkout) -> None:
    """Write what Sphinx reads: the pages with their folders, the source files to which they link, and the contents."""
    pages = {
        path.relative_to(checkout.root).as_posix(): path.read_text(encoding="utf-8")
        for path in checkout.pages
    }
    pages |= all_pages(all_rules(), load(), gather(checkout), root=".")
    sources: dict[str, str] = {}
    for path, text in pages.items():
        for source in _linked_sources(checkout.root, path, text):
            sources[f"{source}.md"] = _source_page(checkout.root / source, source)
    contents = _contents(sorted(pages))
    for path, text in {**pages, **sources, "index.md": contents, "conf.py": _CONFIGURATION}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        head = _ORPHAN if path in sources or _RULE.fullmatch(path) else ""
        file.write_text(
            head + (_to_pages(checkout.root, path, text) if path in pages else text), encoding="utf-8"
        )


def _linked_sources(root: Path, page: str, text: str) -> Iterator[str]:
    """The files of the checkout, other than pages, to which a page links."""
    for link in LINK.finditer(text):
        target = ((root / page).parent / link["target"].partition("#")[0]).resolve()
        if target.is_file() and target.suffix != ".md" and target.is_relative_to(root.resolve()):
            yield target.relative_to(root.resolve()).as_posix()


def _to_pages(root: Path, page: str, text: str) -> str:
    """The text of a page, whose links to source files lead to their pages."""

    def replaced(link: re.Match[str]) -> str:
        target = link["target"].partition("#")[0]
        is_source = target and next(_linked_sources(root, page, link[0]), None)
        return f"]({target}.md)" if is_source else link[0]

    return LINK.sub(replaced, text)


def _source_page(file: Path, name: str) -> str:
    text = file.read_text(encoding="utf-8")
    fence = "`" * (3 + max(map(len, re.findall(r"`{3,}", text)), default=0))
    return f"# {name}\n\n{fence}{_LANGUAGES.get(file.suffix, 'text')}\n{text}\n{fence}\n"


def _contents(pages: list[str]) -> str:
    """The first page: the tables of contents of the others, but for those of rules and sources, to which others link."""
    named = {page for part in _PARTS.values() for page in part}
    names = [page.removesuffix(".md") for page in pages if not _RULE.fullmatch(page)]
    parts = {**_PARTS, "Further pages": [name for name in names if name not in named]}
    trees = [
        f"```{{toctree}}\n:caption: {title}\n:maxdepth: 1\n\n" + "\n".join(each) + "\n```\n"
        for title, each in parts.items()
    ]
    return "# aptix-conformance\n\n" + "\n".join(trees)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
