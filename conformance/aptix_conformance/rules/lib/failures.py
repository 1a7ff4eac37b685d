"""Whether the payload of a successful result reports that the call failed.

The words for failures are also what data is about: the state of a job, the result of a check, the answer of a web
server. So a payload reports a failure of its call if it says so outright (`success: false`, `isError: true`), or if it
holds an error and no data: `ok: false`, `status: "error"`, or an `error` that is a text or an object. Null and empty
members are no data, and neither are words about the error, the call's identifiers, its time, its duration and a count, and what
the caller sent. A number tells nothing: `statusCode: 500` and `errors: 3` are data.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from aptix_conformance.rules.lib.documents import plain, strings_in

_IDENTIFIERS: Final = frozenset({"sessionid", "conversationid", "callid", "traceid", "threadid"})
_ERRORS: Final = frozenset({"error", "errormessage"})
_MANY: Final = "errors"
_STATES: Final = ("status", "state", "outcome")
_FAILED: Final = frozenset({"error", "failed", "failure"})
_SUCCESS: Final = frozenset({"success", "successful", "succeeded", "issuccess", "issuccessful"})
_IS_ERROR: Final = "iserror"
_OK: Final = "ok"
_WORDS: Final = frozenset(
    {"message", "reason", "detail", "details", "hint", "suggestion", "code", "errorcode", "errortype"}
)
_OF_A_FAILURE: Final = _ERRORS | _SUCCESS | _WORDS | {_MANY, _IS_ERROR, _OK, *_STATES}
"""Keys that hold no data of a success."""
_MEASURES: Final = frozenset(
    {"timestamp", "time", "date", "datetime", "count", "total", "totalcount", "took", "tookms"}
    | {
        "duration",
        "durationms",
        "durationseconds",
        "elapsed",
        "elapsedms",
        "elapsedseconds",
        "latency",
        "latencyms",
    }
)
"""Keys of texts and numbers that are about any call, a failed one too."""
_WRAPPERS: Final = frozenset({"result", "data", "response", "output"})
_HOLDS_A_TEXT: Final = _WRAPPERS | {"message", "text", "content", "answer"}
_SAYS_ERROR: Final = re.compile(
    r"\W{0,3}\w*(?:error|exception)(?:(?: while| when| during)? (?!handling|logging|reporting)\w{1,30}ing(?: [\w'\"./-]{1,60}){0,4})?\s*:"
    r"(?=.*[^\W\d_]{3}).*",
    re.IGNORECASE,
)
_SAYS_FAILED: Final = re.compile(
    r"(?:[Ff]ailed to|[Uu]nable to|[Cc]ould ?n[o'\u2019]t|[Cc]an ?n?[o'\u2019]t) [a-z]\w{1,30}(?: [^\n:]{1,120})?: (?=.*[^\W\d_]{3}).*"
    r"|E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|ROFS|NOSPC|MFILE|CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|AI_AGAIN): .*"
)
"""What was not done, and behind a colon why; an error of the operating system. "Could not find Ada." alone may be an answer."""
_LONGEST_MESSAGE: Final = 300
"""Characters of a line that can be a message; what is longer is data."""
_MOST_LINES: Final = 8
"""Lines of a text that can be a message, those of a traceback aside; what has more is data."""
_TRACEBACK: Final = "Traceback (most recent call last):"
_FRAME: Final = re.compile(r'  File "(?!<)[^"\n]+", line \d+')
_OF_A_LOG: Final = re.compile(
    r"\W{0,3}(?:\d{1,4}[-:./]\d|\w*(?:error|exception|warn|warning|info|debug|fatal|trace)\b)", re.IGNORECASE
)
"""How further lines begin where a text is a log, or a list of what was found."""
_RUNS: Final = frozenset({"command", "cmd", "code", "script", "program", "expression", "source"})
"""Arguments that are programs: what those say is data."""

_LOG: Final = re.compile(r"\.(?:log|out|err|trace|txt)\d{0,3}\Z", re.IGNORECASE)
"""How the name of a file ends that may hold the output of a program."""
_LOG_LINE: Final = re.compile(r"(?:ERROR|CRITICAL|FATAL|SEVERE):[\w.]+:\S")
"""How a line of a log begins: Python's logging writes the level, the logger's name and the message."""
_NAMES_A_LOG: Final = re.compile(
    r"(?<![A-Za-z])(?:sys)?[Ll]ogs?(?![a-z])|(?<![a-z])Logs?(?![a-z])|journal|\.(?:log|out|err)\d{0,3}\Z"
)
"""An argument, or the name of one, that is about a log."""


def reports_failure(payload: object, arguments: Mapping[str, Any]) -> bool:
    """Whether a payload reports a failure of the call with these arguments.

    A list of one and an object of one (`{"result": {…}}`) are looked into. There `success: false` beside data may be
    about an item, and what the caller sent may be the item's name. A text says so where it begins with "Error:" or "Could not
    save: …", or is a traceback, and is neither a log nor what the caller sent.
    """
    text = only_text(payload)
    if text is not None:
        return _says_error(text, arguments)
    inner = _unwrapped(payload)
    if inner is not None:
        return _holds_only_an_error(inner, {})
    if not isinstance(payload, Mapping):
        return False
    return outright(payload) is not None or _holds_only_an_error(payload, arguments)


def is_line_of_a_log(payload: object, arguments: Mapping[str, Any]) -> bool:
    """Whether a text is probably a line of a log that the caller asked for: the arguments name a log, and the text does not."""
    text = only_text(payload)
    if text is None:
        return False
    if _LOG_LINE.match(text.strip()):
        return True
    logs = [log for name, value in arguments.items() for log in _logs_in(str(name), value)]
    return bool(logs) and not any(log in text for log in logs if log)


def may_show_data(arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments hold a program or name a log, so that an exception in the result may be what the caller asked for."""
    if _RUNS & {plain(str(key)) for key in arguments}:
        return True
    return any(_LOG.search(text) for text in strings_in(arguments))


def outright(payload: Mapping[str, Any]) -> str | None:
    """The key of the member that says outright that the call failed, `success: false` or `isError: true`; None without one."""
    members = ((plain(str(key)), key, value) for key, value in payload.items())
    return next(
        (
            key
            for word, key, value in members
            if (word in _SUCCESS and value is False) or (word == _IS_ERROR and value is True)
        ),
        None,
    )


def only_text(payload: object) -> str | None:
    """The text that is all of a payload, also in a list of one or as the only member of an object; None if there is none."""
    if isinstance(payload, list) and len(payload) == 1:
        payload = payload[0]
    members = _members(payload) if isinstance(payload, Mapping) else {}
    if len(members) == 1 and members.keys() <= _HOLDS_A_TEXT:
        payload = next(iter(members.values()))
    return payload if isinstance(payload, str) else None


def _says_error(text: str, arguments: Mapping[str, Any]) -> bool:
    if not _looks_like_an_error(text, arguments):
        return False
    message = text.strip()
    return not any(message in sent for sent in strings_in(arguments))


def _logs_in(name: str, value: object) -> list[str]:
    """The texts of an argument that name a log; an empty one where only the name of the argument does."""
    texts = list(strings_in([value]))
    if _NAMES_A_LOG.search(name):
        return texts or [""]
    return [text for text in texts if _NAMES_A_LOG.search(text)]


def _looks_like_an_error(text: str, arguments: Mapping[str, Any]) -> bool:
    before, traceback, after = text.partition(_TRACEBACK)
    first, *others = before.strip().splitlines() or [""]
    if traceback and not (_FRAME.search(after) and not _RUNS & {plain(str(key)) for key in arguments}):
        return False
    if not first:
        return bool(traceback)
    if len(first) > _LONGEST_MESSAGE or not (_SAYS_ERROR.fullmatch(first) or _SAYS_FAILED.fullmatch(first)):
        return False
    return len(others) < _MOST_LINES and not any(map(_OF_A_LOG.match, others))


def _unwrapped(payload: object) -> Mapping[str, Any] | None:
    """The object in a list of one or under the only member of an object; None if there is none."""
    if isinstance(payload, list) and len(payload) == 1:
        return payload[0] if isinstance(payload[0], Mapping) else None
    members = _members(payload) if isinstance(payload, Mapping) else {}
    if len(members) == 1 and members.keys() <= _WRAPPERS:
        inner = next(iter(members.values()))
        return inner if isinstance(inner, Mapping) else None
    return None


def _members(value: Mapping[str, Any]) -> dict[str, Any]:
    """The members that are not null, without identifiers, by their plain keys."""
    members = {plain(str(key)): item for key, item in value.items() if item is not None}
    return {key: item for key, item in members.items() if key not in _IDENTIFIERS}


def _holds_only_an_error(value: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    members = _members(value)
    states = (members[key] for key in _STATES if isinstance(members.get(key), str))
    state = next((text.casefold() for text in states), None)
    if state is not None and state not in _FAILED:
        return False
    others = {key: item for key, item in members.items() if key not in _OF_A_FAILURE}
    if not (
        _says_status_error(members)
        or _speaks_of_an_error(members, state, alone=not others, has_null=None in value.values())
    ):
        return False
    sent = frozenset(_scalars(arguments)) if state is None else frozenset[str]()
    return not any(_is_data(item, sent) for key, item in others.items() if not _is_measure(key, item))


def _is_measure(key: str, value: object) -> bool:
    return key in _MEASURES and isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _says_status_error(members: Mapping[str, Any]) -> bool:
    status = members.get("status")
    return isinstance(status, str) and status.casefold() == "error"


def _speaks_of_an_error(
    members: Mapping[str, Any], state: str | None, *, alone: bool, has_null: bool
) -> bool:
    """Whether some members tell of a failure; `alone` says that there are no others, `has_null` that one is null."""
    if members.get(_OK) is False or members.get(_IS_ERROR) is True:
        return True
    if any(members.get(key) is False for key in _SUCCESS) or any(_is_error(members.get(k)) for k in _ERRORS):
        return True
    if _is_error(members.get(_MANY)):
        return alone
    says_why = state == "error" and any(isinstance(members.get(key), str) for key in _WORDS)
    return says_why or (state is not None and alone and has_null)


def _is_error(value: object) -> bool:
    return bool(value) and (value is True or isinstance(value, (str, Mapping, list)))


def _is_data(value: object, sent: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return True
    return bool(value) and not (isinstance(value, (str, int, float)) and repr(value) in sent)


def _scalars(value: object) -> Iterator[str]:
    """The representation of each text and number in the arguments."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        else:
            yield repr(item)
