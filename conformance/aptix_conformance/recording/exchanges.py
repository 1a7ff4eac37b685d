"""The file of a recording: YAML that a person reads and commits, one entry for each exchange.

The file may be a stranger's. It is read strictly: every scalar is a text until a member of the record asks for more, aliases and
unknown members are refused, and its size is limited.
"""

import base64
import datetime as dt
import errno
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import yaml

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.files import is_taken, read_bounded, write_atomically
from aptix_conformance.core.model.codec import Record
from aptix_conformance.core.text import printable

MIB: Final = 1024 * 1024
LARGEST_FILE: Final = 8 * MIB
LARGEST_BODY: Final = MIB
MOST_EXCHANGES: Final = 1_000
MOST_EVENTS: Final = 50_000
"""Events of YAML in a file: of a thousand exchanges with fifteen headers each. A file of small ones alone takes a minute to build."""
FORM: Final = 1
"""The version of the file's format."""

_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_HEAD: Final = """\
# The exchanges of a tool with the services that it calls, for examinations without a network.
# Read it before you commit it: secrets that were known are replaced, others are not. docs/recording.md has more.
"""
_LAYOUT: Final[Mapping[str, Any]] = {"sort_keys": False, "allow_unicode": True, "width": 1_000_000}
_METHOD: Final = re.compile(r"[A-Z]{1,20}")
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_CHANGED_BY_YAML: Final = re.compile("[\x85\u2028\u2029\ufeff]")
_FINAL_STATUS: Final = range(200, 600)


class Request(Record, frozen=True, omit_defaults=True):
    """What a tool asked: the method and the URL in one line, and the body as text, or else in base64."""

    line: str
    body: str = ""
    base64: str = ""

    @property
    def method(self) -> str:
        """The method."""
        return self.line.partition(" ")[0]

    @property
    def url(self) -> str:
        """The URL."""
        return self.line.partition(" ")[2]


class Response(Record, frozen=True, omit_defaults=True):
    """What the service answered."""

    status: int
    headers: Mapping[str, str] = {}
    body: str = ""
    base64: str = ""

    @property
    def content(self) -> bytes:
        """The body."""
        return content_of(self)

    @property
    def is_json(self) -> bool:
        """Whether the service says that the body is JSON."""
        kind = next((value for name, value in self.headers.items() if name.lower() == "content-type"), "")
        return bool(re.match(r"application/(?:[\w.+-]+\+)?json\b", kind, re.IGNORECASE))


class Exchange(Record, frozen=True, omit_defaults=True):
    """One request and its answer."""

    request: Request
    response: Response


class Recording(Record, frozen=True):
    """A file of exchanges. It counts up to the day `expires`."""

    form: int
    target: str
    recorded: dt.date
    expires: dt.date
    exchanges: tuple[Exchange, ...]


def content_of(message: Request | Response) -> bytes:
    """The body of a message."""
    return base64.b64decode(message.base64, validate=True) if message.base64 else message.body.encode()


def body_members(content: bytes) -> dict[str, str]:
    """The member of a message that holds its body: `body` for text, `base64` for all else; none for an empty one."""
    if not content:
        return {}
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if text and not _CHANGED_BY_YAML.search(text):
        return {"body": text}
    return {"base64": base64.b64encode(content).decode("ascii")}


def read_recording(path: Path) -> Recording:
    """The recording in a file.

    Raises:
        ConfigurationError: it is not there, too large, or has another format; names the file, the place and what to do.
    """
    try:
        data = read_bounded(path, LARGEST_FILE)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigurationError(
                f"{path}: a recording has at most {LARGEST_FILE // MIB} MiB: record less"
            ) from None
        raise ConfigurationError(f"{path}: the recording cannot be read ({error.strerror})") from None
    try:
        return _parsed(data)
    except (_RefusedError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        fault = printable(" ".join(str(error).split()), 200)
        raise ConfigurationError(f"{path}: {fault}: fix that, or record it again") from None


def require_replaceable(path: Path) -> None:
    """Check that a recording may be written to a path: nothing is there, or a recording.

    Raises:
        ConfigurationError: another file is there, or a recording that cannot be read.
    """
    if is_taken(path):
        try:
            read_recording(path)
        except ConfigurationError as error:
            raise ConfigurationError(
                f"{error}; a file that is not a recording is not replaced: remove it, or name another file"
            ) from None


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording, in place of the recording that is there.

    Raises:
        ConfigurationError: it cannot be written, could not be read again, or would replace another file.
    """
    require_replaceable(path)
    tree = msgspec.to_builtins(recording, builtin_types=(dt.date,))
    text = _HEAD + yaml.dump(tree, Dumper=_Dumper, **_LAYOUT)
    try:
        data = text.encode("utf-8")
        again = _parsed(data)
    except (_RefusedError, yaml.YAMLError, UnicodeError) as error:
        raise ConfigurationError(f"{path}: what was recorded cannot be written: {error}") from None
    if again != recording or len(data) > LARGEST_FILE:
        raise ConfigurationError(
            f"{path}: the recording is not a text of at most {LARGEST_FILE // MIB} MiB: record less"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    except OSError as error:
        raise ConfigurationError(f"{path}: the recording cannot be written ({error.strerror})") from None


def size_in_file(exchange: Exchange) -> tuple[int, int]:
    """The bytes and the events of YAML that an exchange takes in a file.

    Raises:
        ValueError: no file can hold it; says why.
    """
    if fault := _fault_of(exchange):
        raise _RefusedError(fault)
    text = yaml.dump([msgspec.to_builtins(exchange)], Dumper=_Dumper, **_LAYOUT)
    (tree,) = yaml.load(text, Loader=_LOADER)  # noqa: S506 - as in `_parsed`
    if msgspec.convert(tree, Exchange, strict=False) != exchange:
        raise _RefusedError("it has what no text in YAML has")
    return len(text.encode("utf-8")), sum(1 for _ in yaml.parse(text, Loader=_LOADER))


class _RefusedError(ValueError):
    """The file is YAML, but no recording."""


def _parsed(data: bytes) -> Recording:
    text = data.decode("utf-8")
    for number, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if number >= MOST_EVENTS:
            raise _RefusedError(f"a recording has at most {MOST_EVENTS:,} YAML events: record less")
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError("a recording has no aliases (*name)")
    tree: Any = yaml.load(text, Loader=_LOADER)  # noqa: S506 - the loader makes texts, lists and mappings alone
    try:
        recording = msgspec.convert(tree, Recording, strict=False)
    except msgspec.ValidationError as error:
        raise _RefusedError(str(error)) from None
    if recording.form != FORM:
        raise _RefusedError(f"this suite reads the format {FORM}, not {recording.form}")
    if len(recording.exchanges) > MOST_EXCHANGES:
        raise _RefusedError(f"a recording has at most {MOST_EXCHANGES:,} exchanges")
    for number, exchange in enumerate(recording.exchanges):
        if fault := _fault_of(exchange):
            raise _RefusedError(f"exchanges[{number}]: {fault}")
    return recording


def _fault_of(exchange: Exchange) -> str:
    """What is wrong with an exchange; empty for nothing."""
    request, response = exchange.request, exchange.response
    if not (_is_url(request.url) and _METHOD.fullmatch(request.method)):
        return "`request.line` is a method and a URL, such as `GET https://api.example.com/today`"
    if response.status not in _FINAL_STATUS:
        return f"`response.status` is a number from {_FINAL_STATUS.start} to {_FINAL_STATUS.stop - 1}"
    for name, value in response.headers.items():
        if not (_HEADER.fullmatch(name) and _VALUE.fullmatch(value)):
            return f"`response.headers` has {printable(name, 60)}, which is not a header of HTTP"
    return _fault_of_body(request) or _fault_of_body(response)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_whole and re.fullmatch(r"[\x21-\x7e]+", text) is not None


def _fault_of_body(message: Request | Response) -> str:
    if message.body and message.base64:
        return "a message has `body` or `base64`, not both"
    try:
        length = len(content_of(message))
    except ValueError:
        return "`base64` is not base64, or `body` is not a text"
    return f"a body has at most {LARGEST_BODY // MIB} MiB" if length > LARGEST_BODY else ""


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and repeats what occurs twice."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - yaml's interface
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
