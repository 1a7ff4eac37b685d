"""Where a server of tools answers over HTTP, and what is sent with each request.

`${NAME}` in a text stands for an environment variable, `${NAME:-text}` for one with a default. Secrets come from the environment
alone: a header that is named like a secret must name a variable.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from aptix_conformance.errors import TargetError
from aptix_conformance.targets.values import Place, string, table
from aptix_conformance.text import printable

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET: Final = re.compile(r"auth|cookie|key|token|secret|password", re.IGNORECASE)
_OURS: Final = re.compile(
    r"(?:host|connection|content-.*|transfer-encoding|accept|accept-encoding|origin|mcp-.*)\Z", re.IGNORECASE
)
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def fault_of(url: str) -> str | None:
    """What is wrong with the URL of a server, as the end of a sentence about it; None where nothing is."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - a wrong one raises
    except ValueError as error:
        return f"is no URL ({error})"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is no URL of the form http://HOST:PORT/PATH or https://HOST/PATH"
    if re.search(r"[\s\x00-\x20\x7f]", url) or not url.isascii():
        return "holds a character that no URL has"
    if "@" in parts.netloc:
        return "holds credentials: send them by the key `headers`, from the environment"
    return None


def is_loopback(url: str) -> bool:
    """Whether a URL leads to this machine alone."""
    return urlsplit(url).hostname in _LOOPBACK


def is_secret(header: str) -> bool:
    """Whether the name of a header says that its value is secret."""
    return bool(_SECRET.search(header))


def url(value: Any, place: Place) -> str:
    """The URL of a server; what it holds in place of variables is looked at when they are known."""
    example = 'url = "http://127.0.0.1:8000/mcp"'
    text = string(value, place, example)
    fault = fault_of(_VARIABLE.sub("0", text))
    if fault:
        place.refuse(f"{printable(_shown(text), 100)} {fault}; for example `{example}`")
    return text


def headers(value: Any, place: Place) -> Mapping[str, str]:
    """Headers that are sent with each request, with `${NAME}` where a variable is meant."""
    example = 'headers = { Authorization = "Bearer ${NOTES_TOKEN}" }'
    read = {}
    for name, text in table(value, place, example).items():
        if not _NAME.fullmatch(name):
            (place / name).refuse(f"no header can have this name; for example `{example}`")
        if _OURS.match(name):
            (place / name).refuse("the suite sets this header itself; remove it")
        if not isinstance(text, str) or not re.fullmatch(r"[\x20-\x7e]*", text):
            (place / name).refuse(f"expected a string of printable ASCII; for example `{example}`")
        if is_secret(name) and not _VARIABLE.search(text):
            (place / name).refuse(f"a secret does not belong into a file; for example `{example}`")
        read[name] = text
    return read


def variables(texts: Mapping[str, str], environ: Mapping[str, str], name: str) -> Iterator[tuple[str, str]]:
    """The environment variables that some texts name, each with its value; `name` is whose they are, for messages.

    Raises:
        TargetError: one is not set, and has no default.
    """
    for key, text in texts.items():
        for variable, default in _VARIABLE.findall(text):
            value = environ.get(variable)
            if value is None and f"${{{variable}:-" not in text:
                raise TargetError(
                    f"{name}: {key} needs the environment variable {variable}, which is not set"
                )
            yield variable, default if value is None else value


def expanded(text: str, environ: Mapping[str, str]) -> str:
    """A text with the values of the variables that it names; those that are not set are their defaults."""
    return _VARIABLE.sub(lambda found: environ.get(found[1], found[2] or ""), text)


def _shown(text: str) -> str:
    """A URL without what may be a secret in it."""
    return re.sub(r"//[^/@]*@", "//…@", text).partition("?")[0]
