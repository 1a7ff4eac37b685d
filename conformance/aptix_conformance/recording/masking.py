"""What of an exchange is kept, and without which secrets; and what makes two requests the same one.

The headers of a request are not kept: no answer is chosen by them, and most secrets are there.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from aptix_conformance.core.model.secret_forms import is_unlikely, secret_forms
from aptix_conformance.recording.exchanges import (
    LARGEST_BODY,
    Exchange,
    Request,
    Response,
    body_members,
    content_of,
)
from aptix_conformance.recording.secret_names import Secrecy, is_secret, secrecy_of

REDACTED: Final = "REDACTED"
"""What stands in place of a secret."""
_SHORTEST: Final = 6
"""Characters of a value that is looked for everywhere."""
_DEEPEST: Final = 100
"""Levels of a document of JSON; a deeper one is text."""
_PAIR: Final = re.compile(r"(?<![\w.\[\]%-])([\w.\[\]%-]{1,100})(=[\"']?)([^&\s\"'<>;#\\]+)")
"""A name and a value as in a query, wherever they stand in a text."""
_LOGIN: Final = re.compile(r"(?<=://)([^\s/?#@:\"'<>]{0,200})(:?)([^\s/?#@\"'<>]{0,500})@")
_ANY_DEFLATED: Final = 47
"""The form of `zlib` that reads what gzip or zlib wrote."""
_DROPPED: Final = frozenset(
    {
        *("connection", "keep-alive", "transfer-encoding", "content-length", "trailer", "upgrade"),
        *(
            "proxy-authenticate",
            "set-cookie",
            "set-cookie2",
            "date",
            "server",
            "via",
            "age",
            "alt-svc",
            "nel",
        ),
        *("report-to", "strict-transport-security", "expect-ct", "cf-ray"),
    }
)
"""Headers of an answer that are not kept: those of a connection, cookies, and what is another one each time."""

Key = tuple[str, str, str]
"""What makes requests equal: the method, the URL and the body in one spelling each, without secrets."""


class Masker:
    """Replaces secrets: values that are known, and values whose names say that they are secret."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if len(secret) >= _SHORTEST for form in secret_forms(secret)}
        self._forms = sorted(forms, key=lambda form: (-len(form), form))

    def exchange(self, request: Request, status: int, headers: Mapping[str, str], content: bytes) -> Exchange:
        """An exchange as it is kept."""
        kept = {
            name: REDACTED if is_secret(value, secrecy_of(name)) else self.text(value)
            for name, value in headers.items()
            if name.lower() not in _DROPPED and value.isascii() and value.isprintable()
        }
        return Exchange(self.request(request), Response(status, kept, **self._members(content)))

    def request(self, request: Request) -> Request:
        """A request as it is kept."""
        return Request(f"{request.method} {self._url(request.url)}", **self._members(content_of(request)))

    def key(self, request: Request, hidden: AbstractSet[str] = frozenset()) -> Key:
        """What makes a request the same as another one, whose secrets and `hidden` query parameters may be others."""
        masked = self.request(request)
        parts = urlsplit(masked.url)
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode(sorted((name, REDACTED if name in hidden else value) for name, value in pairs))
        url = urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", query, ""))
        return masked.method, url, _canonical(masked)

    def holds_secret(self, content: bytes) -> bool:
        """Whether a body that is no text, so that nothing in it can be replaced, has a secret that is known."""
        if _text(content) is not None:
            return False
        bodies = [content, _inflated(content)]
        return any(
            form.encode(code, "surrogatepass") in body
            for form in self._forms
            for code in ("utf-8", "utf-16-le", "utf-16-be")
            for body in bodies
        )

    def text(self, text: str) -> str:
        """A text without the secrets that are known, logins of URLs, and values that a query names as secret."""
        return _PAIR.sub(_without_value, _LOGIN.sub(_without_login, self._without_known(text)))

    def _without_known(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, REDACTED)
        return text

    def _url(self, url: str) -> str:
        parts = urlsplit(url)
        pairs = [pair.partition("=") for pair in parts.query.split("&")] if parts.query else []
        query = "&".join(
            f"{name}={REDACTED}" if is_secret(value, secrecy_of(name)) else f"{name}{equals}{value}"
            for name, equals, value in pairs
        )
        return self.text(urlunsplit((parts.scheme, parts.netloc, parts.path, query, "")))

    def _members(self, content: bytes) -> dict[str, str]:
        """The body without secrets, as a member of a message."""
        text = _text(content)
        if text is None:
            for form in self._forms:
                content = content.replace(form.encode("utf-8", "surrogatepass"), REDACTED.encode())
            return body_members(content)
        bare = text.removeprefix("\ufeff")
        document = _document(bare)
        if document is None:
            masked = self.text(bare)
        else:
            hidden = self._hidden(document, Secrecy.NONE)
            masked = self._without_known(bare if hidden == document else _written(hidden))
        return body_members((text[: len(text) - len(bare)] + masked).encode())

    def _hidden(self, value: Any, grade: Secrecy) -> Any:
        """A document without secrets. What stands below a name that says so is secret at any depth."""
        if isinstance(value, dict):
            return {
                self.text(name): self._hidden(member, max(grade, secrecy_of(name)))
                for name, member in value.items()
            }
        if isinstance(value, list):
            return [self._hidden(member, grade) for member in value]
        if isinstance(value, (str, int, float)) and is_secret(value, grade):
            return REDACTED
        return self.text(value) if isinstance(value, str) else value


def place_of(request: Request) -> Key:
    """What requests have in common that differ by their query alone."""
    parts = urlsplit(request.url)
    return request.method, parts.netloc.lower(), parts.path or "/"


def hidden_parameters(request: Request) -> set[str]:
    """The query parameters of a recorded request whose values were secrets."""
    return {name for name, value in parse_qsl(urlsplit(request.url).query) if value == REDACTED}


def _without_value(match: re.Match[str]) -> str:
    name, between, value = match.groups()
    return f"{name}{between}{REDACTED}" if is_secret(value, secrecy_of(name)) else match[0]


def _without_login(match: re.Match[str]) -> str:
    name, colon, password = match.groups()
    if is_unlikely(name):
        name = REDACTED
    return f"{name}{colon}{REDACTED if password else ''}@"


def _canonical(request: Request) -> str:
    document = _document(request.body)
    return request.base64 or (request.body if document is None else json.dumps(document, sort_keys=True))


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _inflated(content: bytes) -> bytes:
    try:
        return zlib.decompressobj(_ANY_DEFLATED).decompress(content, 4 * LARGEST_BODY)
    except zlib.error:
        return b""


def _document(text: str) -> Any:
    """The object or array that a text is in JSON; None where it is neither, or too deep."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, (dict, list)) and not _is_deep(document) else None


def _is_deep(document: Any) -> bool:
    level = [document]
    for _ in range(_DEEPEST):
        members = (value.values() if isinstance(value, dict) else value for value in level)
        level = [inner for each in members for inner in each if isinstance(inner, (dict, list))]
        if not level:
            return False
    return True


def _written(document: Any) -> str:
    """A document in JSON, with lone surrogates escaped."""
    text = json.dumps(document, ensure_ascii=False)
    return json.dumps(document) if re.search("[\ud800-\udfff]", text) else text
