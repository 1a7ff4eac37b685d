"""Detect leaks in results: stack traces, places in source code, memory addresses, and planted secrets (canaries).

The patterns are narrow on purpose: the words Exception and Traceback, a path to a user's data and an identifier are
legitimate text. Text that the call itself sent is not a leak when it comes back. So each match is first looked up in
the call's own arguments and context, ignoring the escaping of an echo. A line number in a text that the call sent is
not a place in the tool's code: a tool that checks source text reports such lines.

A text may have any length. Only its beginning and end are searched, and no pattern backtracks far.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from aptix_conformance.core.model import Call, canaries
from aptix_conformance.rules.lib import secrecy
from aptix_conformance.rules.lib.callers_programs import without_callers_traces
from aptix_conformance.rules.lib.documents import read_arguments, strings_in, texts_within, views
from aptix_conformance.rules.lib.sent_paths import is_of_sent_parts

SEARCHED: Final = 50_000
"""Characters searched at each end of a text."""

_CODE: Final = r"(?:py|pyc|pyx|cs|fs|vb|java|kt|go|rb|php|rs|cpp|c|ts|tsx|jsx|js|mjs|cjs|csproj|dll)"
_ROOTS: Final = (
    r"(?:home|usr|opt|app|srv|var|root|tmp|Users|mnt|workspace|workspaces|code|build|data|Library)"
)

_NO_ADVICE: Final = "".join(
    f"(?<!{word}{end})"
    for word in ("such as", r"e\.g\.", "[Ll]ike", "[Ee]xample", "[Uu]se", "[Ww]rite", "[Tt]ry")
    for end in (" ", ": ", ", ", ' "', " '", " `", ": `")
)
"""Before a statement that tells the caller what to write instead."""
_NAME: Final = r"[\w.\"`\[\]]{1,80}"
_SOURCE_PATH: Final = "a path of source code"
_MACHINE_PATH: Final = "a path of the machine that it runs on"
_REFUSED_PATH: Final = "a path in the text of an operating system's error"

# Where a pattern has a group, only that is the leak.
_INTERNALS: Final = (
    ("a Python stack trace", re.compile(r"Traceback \(most recent call last\)")),
    ("a Python stack trace", re.compile(r'\bFile "[^"\n]{1,300}", line \d+, in \S')),
    (
        "a C# stack trace",
        re.compile(r"\bat [\w.<>`+\[\],|$]{3,200}\([^()\n]{0,300}\) in [^\n]{1,300}:line \d+"),
    ),
    (
        "a C# stack trace",
        re.compile(
            r"^[ \t]{1,40}at (?:[\w<>`+|$]{1,80}\.){1,12}[\w<>`|$\[\],]{1,80}\([^()\n]{0,300}\)[ \t\r]{0,9}$",
            re.MULTILINE,
        ),
    ),
    (
        "a C# stack trace",  # as Mono writes it
        re.compile(
            r"\bat [\w.<>`+\[\],|$/]{3,200} \([^()\n]{0,300}\) (?:\[0x[0-9a-f]{1,8}\] )?in [^\n]{1,300}:\d+"
        ),
    ),
    ("a C# stack trace", re.compile(r"--- End of (?:inner exception )?stack trace")),
    ("a C# exception", re.compile(r"\b(?:[A-Z]\w{0,60}\.){1,8}[A-Z]\w{0,80}Exception(?:: | ?\(0x)")),
    (
        "a Java stack trace",
        re.compile(r"\bat [\w.$<>/]{3,200}\((?:[\w$]{1,80}\.(?:java|kt|scala):\d+|Native Method)\)"),
    ),
    (
        "a JavaScript stack trace",
        re.compile(
            r"\bat (?:async |new )?[\w$.<>\[\] ]{1,120} "
            r"\([^()\s]{0,300}(?:\.[cm]?[jt]sx?|<anonymous>|node:[\w/]{1,80}):\d+:\d+\)"
        ),
    ),
    (
        "a JavaScript stack trace",
        re.compile(
            r"^[ \t]{0,40}at (?:async )?(?:file://|node:|/|[A-Za-z]:\\)[^\s()]{1,300}:\d+:\d+", re.MULTILINE
        ),
    ),
    (
        "a place inside installed packages",
        re.compile(r"[/\\](?:site-packages|dist-packages|node_modules)[/\\]"),
    ),
    (
        _SOURCE_PATH,
        re.compile(rf"(?<![\w:/.~-])/(?:[\w.@+~-]{{1,80}}/){{1,20}}[\w.@+~-]{{1,80}}\.{_CODE}\b"),
    ),
    (
        _SOURCE_PATH,
        re.compile(rf"\bfile:///?(?:[\w.@+~:-]{{1,80}}/){{1,20}}[\w.@+~-]{{1,80}}\.{_CODE}\b"),
    ),
    (
        _SOURCE_PATH,
        re.compile(
            rf'\b[A-Za-z]:[\\/](?:[^\\/:*?"<>|\r\n]{{1,80}}[\\/]){{0,20}}[^\\/:*?"<>|\r\n]{{1,80}}\.{_CODE}\b'
        ),
    ),
    (
        _SOURCE_PATH,  # as Node.js writes it
        re.compile(
            r"\bCannot find (?:module|package) '(?:[^'\n]{1,200}' imported from )?(?:/|file:///|[A-Za-z]:\\)[\w.@+~\\/-]{1,300}"
        ),
    ),
    (
        _MACHINE_PATH,
        re.compile(
            r"(?<![\w:.~-])/(?:(?:home|Users)/[\w.+-]{1,60}|root)/\.[\w.-]{2,60}(?:/[\w.-]{1,80}){0,9}"
        ),
    ),
    ("an SQL statement", re.compile(r"\[SQL: ([A-Z][^\]\n]{0,80})|^\[parameters: [(\[{]", re.MULTILINE)),
    (
        "an SQL statement",
        re.compile(
            rf"{_NO_ADVICE}\b(?:SELECT\s[^;]{{1,150}}?\sFROM\s+{_NAME}(?:\s+(?:AS\s+)?\w{{1,40}})?\s+WHERE\s+{_NAME}"
            rf"|INSERT\s+INTO\s+{_NAME}\s*\([^();]{{1,200}}\)\s*VALUES\s*\(|UPDATE\s+{_NAME}\s+SET\s+{_NAME}\s*="
            rf"|DELETE\s+FROM\s+{_NAME}\s+WHERE\s+{_NAME})"
        ),
    ),
    ("a memory address", re.compile(r"\bat 0x[0-9A-Fa-f]{6,16}>")),
    ("a memory address", re.compile(r"\bobject at 0x[0-9A-Fa-f]{6,16}\b")),
    (
        _REFUSED_PATH,  # as Python, Node.js and .NET write it
        re.compile(
            r"(?:\[(?:Errno|WinError) \d{1,5}\] [^\n:]{1,120}:|\bE[A-Z]{3,14}: [^\n,:]{1,80}, [a-z]{2,20}"
            r"|\bCould not find (?:file|a part of the path)|\bAccess to the path) '((?:/|[A-Za-z]:\\)[^'\n]{1,400})'"
        ),
    ),
)

_PLACES: Final = (
    (
        "a Python stack trace",
        re.compile(r'\bFile "(?P<file>[^"\n]{1,300})", line (?P<line>\d{1,9})(?!\d|, in \S)(?P<frame>)'),
    ),
    (
        "a place in source code",
        re.compile(
            r"(?P<file>[/\\]?\b[\w-]{1,80}\.(?:py|cs)):(?:line )?(?P<line>\d{1,9})\b(?P<frame>, in \w|:? in [\w.<>]{1,80}\()?"
        ),
    ),
)
"""A file and a line: either of the tool's own code or of a text that the call sent.

A place with a function name is in the tool's own code. `File "x.py", line 3` with a function is a stack trace above.
"""

_FOLDER: Final = re.compile(r"[/\\]")

# A web route such as /static/app.js is not a path on disk, unless it is below a usual root directory.
_ROUTE: Final = re.compile(r"/[^\s]*\.(?:js|mjs|cjs|ts|tsx|jsx|php)")
_ON_DISK: Final = re.compile(rf"/{_ROOTS}/")

_HOST_PATH: Final = re.compile(
    rf"(?:{canaries.SCRATCH_PREFIX}|aptix_conformance[/\\]hosts[/\\])[\w./\\-]{{0,100}}"
)

_EXCEPTION_WORDS: Final = (
    re.compile(
        r"\b(?:Assertion|Attribute|EOF|FileNotFound|Import|Index|JSONDecode|Key|Lookup|ModuleNotFound|Name"
        r"|NotImplemented|OS|Overflow|Permission|Recursion|Runtime|Syntax|Type|UnboundLocal|Unicode(?:De|En)code"
        r"|Value|ZeroDivision|Reference|Range)Error\b(?:: ?|\()"
    ),
    re.compile(r"\b[A-Z]\w{2,60}Exception(?:: |\()"),
    re.compile(r"'\w{1,60}' object (?:has no attribute|is not (?:iterable|callable|subscriptable))"),
    re.compile(r"\b(?:list|string|tuple) ind(?:ices|ex) (?:must be integers|out of range)"),
    re.compile(r"\bunsupported operand type\(s\) for\b"),
    re.compile(r"\w\(\) (?:got an unexpected keyword|takes \d+ positional|missing \d+ required positional)"),
    re.compile(r"\binvalid literal for int\(\) with base\b"),
    re.compile(r"\[Errno \d+\]"),
    re.compile(r"\A'[^'\n]{1,60}'\Z"),  # the whole message of a KeyError
    re.compile(r"Object reference not set to an instance of an object"),
    re.compile(r"Cannot read propert(?:y|ies) (?:'\w{1,60}' )?of (?:undefined|null)"),
)


@dataclass(frozen=True, slots=True)
class Leak:
    """A kind of leak, as a phrase, and the text that shows it.

    `file` and `line` name a place that may also be in a text that the call sent; otherwise `file` is empty.
    """

    kind: str
    text: str
    file: str = ""
    line: int = 0


def error_texts(call: Call) -> Iterator[str]:
    """The messages, details and codes of a result's errors, each text once."""
    if call.result is None:
        return
    texts: list[str | None] = [call.result.error_message]
    for error in call.result.errors:
        texts += (error.message, error.details, error.code)
    yield from dict.fromkeys(text for text in texts if text)


def failure_texts(call: Call) -> Iterator[str]:
    """The error texts, and every other text of a failed result wherever it holds it, each text once."""
    texts = list(error_texts(call))
    if call.refused and call.result is not None:
        facts = call.result.facts.texts() if call.result.facts else ()
        texts += texts_within((*call.result.texts, call.result.payload or "", *facts))
    yield from dict.fromkeys(text for text in texts if text)


def has_error_text(call: Call) -> bool:
    """Whether the result has an error text."""
    return any(True for _ in error_texts(call))


def has_failure_text(call: Call) -> bool:
    """Whether the result has one of the `failure_texts`."""
    return any(True for _ in failure_texts(call))


def internals(call: Call) -> Leak | None:
    """The first stack trace, source path or address in a call's failure texts that the call did not send itself."""
    return internals_in(call, failure_texts(call))


def internals_in(call: Call, texts: Iterable[str]) -> Leak | None:
    """The same in some texts of a call."""
    arguments = call.plan.arguments
    return _first(call, (without_callers_traces(text, arguments) for text in texts), _internals)


def shows_callers_trace(call: Call) -> bool:
    """Whether an error text holds the trace of a program that the call sent."""
    return any(without_callers_traces(text, call.plan.arguments) != text for text in error_texts(call))


def without_stack_traces(texts: Iterable[str]) -> Iterator[str]:
    """The texts without a stack trace; secrets in the others are part of the trace."""
    for text in texts:
        if not any("stack trace" in leak.kind for leak in _internals(_searched(text))):
            yield text


def secrets(call: Call, texts: Iterable[str]) -> Leak | None:
    """The first canary in some texts of a call that the call did not send itself."""
    return _first(call, texts, _secrets)


def disclosed(call: Call, texts: Iterable[str]) -> Leak | None:
    """As `secrets`; also the first password in an address or token of a known format that the call did not send itself."""
    texts = tuple(texts)
    return secrets(call, texts) or _first(call, texts, _credentials)


def host_paths(call: Call, texts: Iterable[str]) -> Leak | None:
    """The first path of the host's own directories in some texts of a call that the call did not send itself."""
    return _first(call, texts, _host_paths)


def exception_words(call: Call) -> Leak | None:
    """The first words in an error text that only an exception of the programming language uses."""
    return _first(call, error_texts(call), _exception_words)


def _first(call: Call, texts: Iterable[str], matches: Callable[[str], tuple[Leak, ...]]) -> Leak | None:
    for text in texts:
        for leak in matches(_searched(text)):
            if _bare(leak.text) in _own_words(call) or _is_in_sent_text(leak, call):
                continue
            if not _may_be_named(leak, call):
                return leak
    return None


def _may_be_named(leak: Leak, call: Call) -> bool:
    """Whether a path is the caller's or a secret's, which EXC004 judges, or none of the installation where the contract hides only those.

    None of the installation are: any path in the text of an operating system's error; one below a directory that the suite
    made, which holds no program; and one below the author's directory, unless it is of source code.
    """
    is_others = bool(canaries.find(leak.text)) or is_of_sent_parts(leak.text, call.plan.arguments or "")
    if leak.kind == _REFUSED_PATH and is_others:
        return True
    facts = call.result.facts if call.result else None
    if facts is None or not facts.may_name_directories():
        return False
    own = facts.own_directory().rstrip("/")
    is_below = own and "/../" not in leak.text and f"{leak.text}/".startswith(f"{own}/")
    if leak.kind == _MACHINE_PATH and is_below:
        return True
    is_scratch = canaries.SCRATCH_PREFIX in leak.text
    return leak.kind == _REFUSED_PATH or (leak.kind in (_SOURCE_PATH, _MACHINE_PATH) and is_scratch)


def _is_in_sent_text(leak: Leak, call: Call) -> bool:
    """Whether a place is in a text that the call sent: the file has no directory or is named by the call, and the line exists.

    This separates the tool's own files from the texts that it checks without knowing any name: code that raises is
    usually far below the last line of the arguments.
    """
    if not leak.file or leak.line > _lines_sent(call.plan.arguments or ""):
        return False
    return not _FOLDER.search(leak.file) or _bare(leak.file) in _own_words(call)


@lru_cache(maxsize=16)
def _lines_sent(arguments: str) -> int:
    """Number of lines of the longest text in the arguments, plus one for an error at its end."""
    texts = (arguments, *strings_in(read_arguments(arguments).value))
    return max(len(re.findall(r"\r\n|[\r\n]", text)) for text in texts) + 2


# Most results repeat the same texts, so each is searched once.


@lru_cache(maxsize=256)
def _internals(text: str) -> tuple[Leak, ...]:
    leaks = []
    for view in views(text):
        for kind, pattern in _INTERNALS:
            leaks += [
                Leak(kind, match[match.lastindex or 0])
                for match in pattern.finditer(view)
                if not _ROUTE.fullmatch(match.group()) or _ON_DISK.match(match.group())
            ]
        leaks += _places(view)
    return (*leaks, *_host_paths(text))


def _places(view: str) -> Iterator[Leak]:
    for label, pattern in _PLACES:
        for match in pattern.finditer(view):
            alone = "" if match["frame"] else match["file"]
            kind = label if _FOLDER.search(match["file"]) else "a place in source code"
            yield Leak(kind, match.group(), alone, int(match["line"]))


@lru_cache(maxsize=256)
def _exception_words(text: str) -> tuple[Leak, ...]:
    return tuple(
        Leak("the words of an exception", match.group())
        for pattern in _EXCEPTION_WORDS
        for match in pattern.finditer(text)
    )


def _secrets(text: str) -> tuple[Leak, ...]:
    return tuple(Leak(_origin(mark), mark) for mark in canaries.find(text))


@lru_cache(maxsize=256)
def _credentials(text: str) -> tuple[Leak, ...]:
    return tuple(Leak(kind, value) for kind, value in secrecy.credentials_in(text))


def _origin(mark: str) -> str:
    """Where a canary was, as a phrase for people."""
    if mark == canaries.DEPENDENCY_MARK:
        return "the secret that the suite planted in the text of an exception"
    _, bracket, variable = mark.rstrip("]").partition("[")
    if bracket:
        return f"the secret that the project configures as {variable}, shown here as"
    return "a secret that the suite planted in the tool's environment"


def _host_paths(text: str) -> tuple[Leak, ...]:
    return tuple(Leak(_MACHINE_PATH, match.group()) for match in _HOST_PATH.finditer(text))


def _searched(text: str) -> str:
    return text if len(text) <= 2 * SEARCHED else f"{text[:SEARCHED]}\n{text[-SEARCHED:]}"


def _own_words(call: Call) -> str:
    context = tuple(strings_in(call.plan.context)) if call.plan.context else ()
    return _bared(call.plan.arguments or "", context)


@lru_cache(maxsize=16)
def _bared(arguments: str, context: tuple[str, ...]) -> str:
    decoded = strings_in(read_arguments(arguments).value)
    return _bare("\0".join((arguments, *decoded, *context)))


def _bare(text: str) -> str:
    """A text in lower case without what an echo may add or remove: white space, quotes and backslashes."""
    bare = "".join(text.split())
    for added in "\\\"'":
        bare = bare.replace(added, "")
    return bare.casefold()
