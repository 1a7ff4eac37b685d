"""Finds what a page of HTML or a style sheet would load from another host."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Final

_LOADING: Final = frozenset({"src", "srcset", "data", "poster", "background", "action", "formaction"})
"""Attributes that load something whatever their element is, or send a form."""
_HARMLESS_LINKS: Final = frozenset(
    {"alternate", "author", "canonical", "help", "license", "next", "prev", "search"}
)
"""Kinds of `link` elements from which a browser loads nothing by itself."""
_BY_HREF: Final = frozenset({"base", "feimage", "image", "use"})
"""Other elements whose `href` loads something, or says from where all others load."""
_REMOTE: Final = re.compile(r"(?:^|[\s,])(?:(?:https?|wss?|ftp):)?//", re.IGNORECASE)
_IN_STYLE: Final = re.compile(
    r"(?:url\(\s*|@import\s+)[\"']?\s*(?:(?:https?|ftp):)?//[^\s\"')]*", re.IGNORECASE
)


def in_style(text: str) -> list[str]:
    """What a style sheet would load from another host."""
    return _IN_STYLE.findall(text)


def in_page(text: str) -> list[str]:
    """What a page would load from another host, by its elements, their styles and its style sheets."""
    page = _Page()
    page.feed(text)
    page.close()
    return page.found


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self._is_style = tag == "style"
        known = {name: value or "" for name, value in attrs}
        named = _LOADING & known.keys()
        if tag == "link" and not set(known.get("rel", "").lower().split()) <= _HARMLESS_LINKS:
            named |= {"href"} & known.keys()
        if tag in _BY_HREF:
            named |= {"href", "xlink:href"} & known.keys()
        self.found += [f"{tag} {name}={known[name]}" for name in sorted(named) if _REMOTE.search(known[name])]
        self.found += in_style(known.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._is_style = self._is_style and tag != "style"

    def handle_data(self, data: str) -> None:
        if self._is_style:
            self.found += in_style(data)
