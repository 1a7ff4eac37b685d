"""Where a server of tools answers over HTTP, what is sent with each request, and which hosts the server may reach.

`${NAME}` in a text stands for an environment variable, `${NAME:-text}` for one with a default. Secrets come from the environment
alone: a header that is named like a secret must name a variable.
"""

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable
from aptix_conformance.targets.values import Place, Text, entries, read, strings

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET: Final = re.compile(r"auth|cookie|key|token|secret|password", re.IGNORECASE)
_OURS: Final = re.compile(
    r"(?:host|connection|content-.*|transfer-encoding|accept|accept-encoding|origin|mcp-.*)\Z", re.IGNORECASE
)
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_PLACE: Final = re.compile(
    r"(?P<host>[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*):(?P<port>[0-9]{1,5})"
)
_DIGITS: Final = re.compile(r"[0-9.]+")
_LONGEST_HOST: Final = 253
_LAST_PORT: Final = 65_535
MOST_HOSTS: Final = 32
"""Hosts that one table may open."""


def fault_of(url: str) -> str | None:
    """The fault in the URL of a server, as the end of a sentence about it; None where the URL is right."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - a wrong one raises
    except ValueError as error:
        return f"is not a URL ({error})"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return "is not a URL of the form http://HOST:PORT/PATH or https://HOST/PATH"
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


def is_header(name: str) -> bool:
    """Whether a header of HTTP can have the name."""
    return _NAME.fullmatch(name) is not None


def url(value: Any, place: Place) -> str:
    """The URL of a server; what it holds in place of variables is looked at when they are known."""
    example = 'url = "http://127.0.0.1:8000/mcp"'
    text: str = read(value, place, Text, example)
    fault = fault_of(_VARIABLE.sub("0", text))
    if fault:
        place.refuse(f"{printable(_without_credentials(text), 100)} {fault}; for example `{example}`")
    return text


def headers(value: Any, place: Place) -> Mapping[str, str]:
    """Headers that are sent with each request, with `${NAME}` where a variable is meant."""
    example = 'headers = { Authorization = "Bearer ${NOTES_TOKEN}" }'
    texts = {}
    for name, text, of_name in entries(value, place, is_header, "header", example):
        if _OURS.match(name):
            of_name.refuse("the suite sets this header itself; remove it")
        if not isinstance(text, str) or not re.fullmatch(r"[\x20-\x7e]*", text):
            of_name.refuse(f"expected a string of printable ASCII; for example `{example}`")
        if is_secret(name) and not names_variable(text):
            of_name.refuse(f"a secret does not belong into a file; for example `{example}`")
        texts[name] = text
    return texts


def network(value: Any, place: Place) -> tuple[tuple[str, int], ...]:
    """Hosts that a server may reach, each with its port. An address in digits is one of this machine's."""
    example = 'network = ["api.example.com:443"]'
    texts = strings(value, place, example=example)
    if len(texts) > MOST_HOSTS:
        place.refuse(f"these are {len(texts)} hosts; at most {MOST_HOSTS} can be opened")
    return tuple(dict.fromkeys(_named(text, place[index], example) for index, text in enumerate(texts)))


def is_host(name: str) -> bool:
    """Whether a text is the name of a host in small letters, or an address in digits."""
    return len(name) <= _LONGEST_HOST and _PLACE.fullmatch(f"{name}:1") is not None


def _named(text: str, place: Place, example: str) -> tuple[str, int]:
    match = _PLACE.fullmatch(text.lower())
    if match is None or len(match["host"]) > _LONGEST_HOST or not 0 < int(match["port"]) <= _LAST_PORT:
        place.refuse(f"{printable(text, 100)} is not a host with a port, HOST:PORT; for example `{example}`")
    if _DIGITS.fullmatch(match["host"]) and not _is_own(match["host"]):
        place.refuse(f"{printable(text, 100)} is an address: write the host's name; for example `{example}`")
    return match["host"], int(match["port"])


def _is_own(digits: str) -> bool:
    try:
        return ipaddress.IPv4Address(digits).is_loopback
    except ValueError:
        return False


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


def variables_named(text: str) -> list[str]:
    """The names of the environment variables that a text names."""
    return [name for name, _ in _VARIABLE.findall(text)]


def names_variable(text: str) -> bool:
    """Whether a text names an environment variable, as `${NAME}` or `${NAME:-text}`."""
    return _VARIABLE.search(text) is not None


def expanded(text: str, environ: Mapping[str, str]) -> str:
    """A text with the values of the variables that it names; those that are not set are their defaults."""
    return _VARIABLE.sub(lambda match: environ.get(match[1], match[2] or ""), text)


def _without_credentials(text: str) -> str:
    """A URL without what may be a secret in it."""
    return re.sub(r"//[^/@]*@", "//…@", text).partition("?")[0]
