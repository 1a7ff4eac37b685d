"""What a test asserts for each rule on Aptix tools, and why some rules have no plain test.

Each check is the lines after the call, where `result` is what the tool returned, or, for a rule on the declaration, lines
on the tool's class. What a finding shows decides where a rule has several faults.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from aptix_conformance.author_tests.reasons import unshown
from aptix_conformance.author_tests.source import literal
from aptix_conformance.model import Outcome
from aptix_conformance.model.report import CallReport, FindingReport
from aptix_conformance.rules.lib.failures import outright


@dataclass(frozen=True, slots=True)
class Check:
    """The lines of an assertion.

    `modules` are modules of the standard library, `harness` names of the harness, `fixtures` fixtures of pytest that the
    lines use. `before` are lines before the call. `constants` and `classes` stand in the file; `logger` is the expression
    of the tool's logger, empty for one that writes to Python's log.
    """

    lines: tuple[str, ...]
    modules: tuple[str, ...] = ()
    harness: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    logger: str = ""


Make = Callable[[FindingReport, CallReport], Check]

_RETURNED: Final = Check(("assert isinstance(result, InvokeResult)",), harness=("InvokeResult",))
_REFUSED: Final = Check(("assert not result.successful",))
_ACCEPTED: Final = Check(("assert result.successful, result.error_message",))
_JSON: Final = Check(
    (
        "document = json.loads(result.result.encode())",
        "assert json.dumps(document, allow_nan=False)",
    ),
    modules=("json",),
)


MOST_LINES: Final = 50
"""Assertions of one test."""


def _as_refused_where_it_was_accepted(_finding: FindingReport, call: CallReport) -> Check:
    if call.result is None or call.result.successful is not True:
        raise unshown("the call did not succeed where it should have been refused")
    return _REFUSED


def _after_a_refusal(_finding: FindingReport, call: CallReport) -> Check:
    if call.result and call.result.successful:
        raise unshown("it compares the forms of several results")
    return _ACCEPTED


def _no_failure_in_a_success(_finding: FindingReport, call: CallReport) -> Check:
    if call.result and call.result.errors:
        return Check(("assert not (result.successful and result.errors)",))
    payload = _payload(call)
    key = outright(payload) if isinstance(payload, Mapping) else None
    if key is None:
        return _REFUSED  # the payload holds nothing but an error, so the call failed
    return Check(
        (
            "payload = json.loads(result.result) if result.successful else {}",
            f"assert payload.get({literal(key)}) is not {payload[key]}",
        ),
        modules=("json",),
    )


def _without_a_context(_finding: FindingReport, call: CallReport) -> Check:
    if call.outcome != Outcome.RAISED:
        raise unshown("the tool refused the call, and what it logged shows why that is wrong")
    return _RETURNED


# ---- results that hold what they should not, or lack what they should hold


def _expected(_finding: FindingReport, call: CallReport) -> Check:
    lines: list[str] = []
    try:
        _compare(json.loads(call.plan.expected or "null"), "payload", lines)
    except (ValueError, RecursionError):
        raise unshown("the expected result is not JSON that a test can hold") from None
    if len(lines) > MOST_LINES:
        raise unshown("the expected result has too many members for a test to read")
    return Check(("payload = json.loads(result.result)", *lines), modules=("json",))


def _compare(expected: Any, place: str, lines: list[str]) -> None:
    """Assertions that a value holds what is expected; it may hold more members."""
    if isinstance(expected, dict):
        for name, value in expected.items():
            _compare(value, f"{place}[{literal(name)}]", lines)
    elif isinstance(expected, list) and any(isinstance(item, (dict, list)) for item in expected):
        lines.append(f"assert len({place}) == {len(expected)}")
        for index, item in enumerate(expected):
            _compare(item, f"{place}[{index}]", lines)
    elif expected is None or isinstance(expected, bool):
        lines.append(f"assert {place} is {expected}")
    else:
        lines.append(f"assert {place} == {literal(expected)}")


_IDENTIFIERS: Final = {
    "session_id": "CONTEXT.session_id",
    "conversation_id": "CONTEXT.request.conversation_id",
}


def _carries_identifiers(_finding: FindingReport, call: CallReport) -> Check:
    due = [_IDENTIFIERS[name] for name, value in _given(call).items() if value is not None]
    return Check(tuple(f"assert {place} in result.result" for place in due))


def _own_identifiers(_finding: FindingReport, call: CallReport) -> Check:
    given = _given(call)
    keys = [(key, name) for key, name in _keys(call) if given[name] is not None]
    if not keys:
        raise unshown("the identifiers stand deeper in the result")
    lines = [f"assert payload[{literal(key)}] == {_IDENTIFIERS[name]}" for key, name in keys]
    return Check(("payload = json.loads(result.result)", *lines), modules=("json",))


def _no_identifiers(_finding: FindingReport, call: CallReport) -> Check:
    given = _given(call)
    keys = [key for key, name in _keys(call) if given[name] is None]
    if not keys:
        raise unshown("the identifiers stand deeper in the result")
    lines = [f"assert payload.get({literal(key)}) is None" for key in keys]
    return Check(("payload = json.loads(result.result)", *lines), modules=("json",))


def _nothing_of_earlier_calls(finding: FindingReport, call: CallReport) -> Check:
    said = _result_text(call)
    others = dict.fromkeys(text for plan in finding.history for text in _identifiers(plan.context))
    own = set(_identifiers(call.plan.context))
    held = [text for text in others if text in said and text not in own]
    if not held:
        raise unshown("the calls were made at the same time, or the identifier is written differently")
    return Check(tuple(f"assert {literal(text)} not in str(result)" for text in held))


def _given(call: CallReport) -> dict[str, str | None]:
    """The identifiers of a call's context.

    Raises:
        ReportError: one of them is written differently in JSON.
    """
    context = dict(call.plan.context or {})
    request = context.get("request")
    found = {
        "session_id": context.get("session_id"),
        "conversation_id": request.get("conversation_id") if isinstance(request, Mapping) else None,
    }
    for value in found.values():
        if value is not None and not (isinstance(value, str) and re.fullmatch(r"[\w.-]+", value, re.ASCII)):
            raise unshown("the identifiers of the context have another form in JSON")
    return found


def _identifiers(context: object) -> list[str]:
    if not isinstance(context, Mapping):
        return []
    request = context.get("request")
    holders = [context, *([request] if isinstance(request, Mapping) else [])]
    values = [holder.get(name) for holder in holders for name in _IDENTIFIERS]
    return [value for value in values if isinstance(value, str) and value]


def _keys(call: CallReport) -> list[tuple[str, str]]:
    """The keys at the top of the payload that hold an identifier, each with its name in `_IDENTIFIERS`."""
    payload = _payload(call)
    plain = {name.replace("_", ""): name for name in _IDENTIFIERS}
    named = (
        (key, re.sub(r"[^a-z]", "", key.lower())) for key in (payload if isinstance(payload, dict) else ())
    )
    return [(key, plain[word]) for key, word in named if word in plain]


def _payload(call: CallReport) -> Any:
    """The payload of a result; None where it is no JSON, or is cut as reports cut long texts."""
    try:
        return json.loads(call.result.payload or "null") if call.result else None
    except (ValueError, RecursionError):
        return None


# ---- leaks

_INTERNALS: Final = (
    r"Traceback \(most recent call last\)",
    r'File \\?"[^"]+", line \d+',
    r"\w\.py:\d+",
    r"/[\w./-]+\.py\b",
    r"\bat 0x[0-9A-Fa-f]{6,16}\b",
)
"""Stack traces, places in the code, paths and memory addresses."""
_MARK: Final = re.compile(r"cnry[0-9a-f]{16}(?:\[(\w{1,80})\])?")


def no_internals(call: CallReport) -> Check:
    """That a result holds nothing of the code's inside.

    Raises:
        ReportError: what leaks has no pattern of its own.
    """
    said = _result_text(call)
    found = [pattern for pattern in _INTERNALS if re.search(pattern, said)]
    if not found:
        raise unshown("what leaks has no pattern of its own")
    lines = [f"assert not re.search(r{_raw(pattern)}, str(result))" for pattern in found]
    return Check(tuple(lines), modules=("re",))


def _raw(pattern: str) -> str:
    return f"'{pattern}'" if '"' in pattern else f'"{pattern}"'


def no_secret(name: str) -> Check:
    """That a secret of the environment is not in a result."""
    return Check(
        ("assert SECRET not in str(result)",),
        fixtures=("monkeypatch",),
        before=(f"monkeypatch.setenv({literal(name)}, SECRET)",),
        constants=('SECRET = "not-for-the-model"',),
    )


def marks(call: CallReport) -> list[tuple[str, str]]:
    """The planted secrets in a result as (mark, variable that the author configured, or nothing)."""
    return [
        (found.group().partition("[")[0], found.group(1) or "")
        for found in _MARK.finditer(_result_text(call))
    ]


def _result_text(call: CallReport) -> str:
    """All text of a result that a report keeps."""
    result = call.result
    if result is None:
        return ""
    errors = [part for error in result.errors for part in (error.message, error.details, error.code)]
    return "\n".join(filter(None, (result.payload, result.error_message, *errors)))


# ---- the log and the standard output

_EVENT_LOGGER: Final = '''\
class EventLogger(LoggingAdminLogger):
    """Keeps the pairs of each custom event."""

    def __init__(self):
        super().__init__()
        self.pairs = []

    def add_custom_event(self, level, tag, message, pairs):
        self.pairs.append(pairs)
'''


def _pairs(_finding: FindingReport, call: CallReport) -> Check:
    if not any(record.pairs_fault and record.method == "add_custom_event" for record in call.logs):
        raise unshown("what was logged was no custom event")
    return Check(
        (
            "for pairs in LOGGER.pairs:",
            "    assert isinstance(pairs, (list, tuple))",
            "    assert all(isinstance(text, str) for pair in pairs for text in pair)",
            "    assert all(len(pair) == 2 for pair in pairs)",
        ),
        classes=(_EVENT_LOGGER, "LOGGER = EventLogger()\n"),
        harness=("LoggingAdminLogger",),
        logger="LOGGER",
    )


_EXCEPTION_LOGGER: Final = '''\
class ExceptionLogger(LoggingAdminLogger):
    """Keeps the exceptions that are logged."""

    def __init__(self):
        super().__init__()
        self.exceptions = []

    def add_exception(self, tag, exception, *pairs):
        self.exceptions.append(exception)
'''

_LOGGED: Final = Check(
    ("assert LOGGER.exceptions",),
    classes=(_EXCEPTION_LOGGER, "LOGGER = ExceptionLogger()\n"),
    harness=("LoggingAdminLogger",),
    logger="LOGGER",
)

_PRINTS_NOTHING: Final = Check(('assert capfd.readouterr().out == ""',), fixtures=("capfd",))

# ---- cancellation


_SAYS_SO: Final = Check(('assert "cancel" in (result.result or "").casefold()',))


def _always(check: Check) -> Make:
    return lambda _finding, _call: check


_OF_A_REFUSAL: Final = (
    "ARG001", "ARG003", "ARG004", "ARG006", "ARG007", "ARG008", "ARG009", "ARG010", "USE022",
)  # fmt: skip

CALLS: Final[Mapping[str, Make]] = {
    **dict.fromkeys(
        ("ARG002", "ARG005", "ARG013", "EXC001", "EXC010", "CAN001", "RES001"), _always(_RETURNED)
    ),
    **dict.fromkeys(_OF_A_REFUSAL, _as_refused_where_it_was_accepted),
    **dict.fromkeys(("ARG011", "RES006", "CTX006", "CAN002"), _always(_ACCEPTED)),
    "CTX001": _without_a_context,
    "CTX002": _carries_identifiers,
    "CTX003": _own_identifiers,
    "CTX004": _no_identifiers,
    "CTX005": _nothing_of_earlier_calls,
    "RES002": _always(Check(("assert isinstance(result.result, str)",))),
    "RES003": _always(_JSON),
    "RES004": _always(Check(('assert result.successful or (result.error_message or "").strip()',))),
    "RES007": _no_failure_in_a_success,
    "RES008": _always(Check(("assert result.successful or not result.result",))),
    "RES009": _expected,
    "RES012": _after_a_refusal,
    "CAT004": _always(
        Check(
            (
                "payload = json.loads(result.result)",
                'assert list(payload) == ["modes"]',
                'assert isinstance(payload["modes"], list)',
            ),
            modules=("json",),
        )
    ),
    "EXC003": lambda _finding, call: no_internals(call),
    "EXC011": _always(_REFUSED),
    "LOG010": _always(_LOGGED),
    "LOG001": _pairs,
    "LOG003": _always(_PRINTS_NOTHING),
    "CAN003": _always(_SAYS_SO),
    "CAN004": _always(_SAYS_SO),
}
"""What a test of a call asserts, by the rule."""

OWN_SHAPE: Final = frozenset({"EXC002", "EXC004", "EXC005", "RES011", "REG008", "CAN005", "CAN007"})
"""Rules on calls whose tests make the call in a way of their own (`calls.py`)."""

_PARAMETERS: Final = 'parameters = CLASS.get_schema()["parameters"]'
_PLACES: Final = '{"arguments_json": 0, "context": 1, "cancellation_token": 2}'


def _constant(name: str) -> Check:
    """That a constant of the class is text."""
    found = f'found = inspect.getattr_static(CLASS, "{name}")'
    return Check((found, "assert isinstance(found, str)"), ("inspect",))


def _named(pattern: str) -> Check:
    """That the tool's name matches a pattern."""
    return Check(("name = CLASS.TOOL_NAME", f'assert re.fullmatch(r"{pattern}", name)'), ("re",))


DECLARATIONS: Final[Mapping[str, Check]] = {
    "REG001": _constant("TOOL_NAME"),
    "REG002": Check(("assert CLASS.TOOL_NAME.strip()",)),
    "REG003": _named(r"[a-zA-Z0-9_-]+"),
    "REG004": _named(r"[a-z0-9]+(_[a-z0-9]+)*"),
    "REG005": Check(("assert make_tool().name == CLASS.TOOL_NAME",)),
    "REG006": Check(("assert isinstance(make_tool().is_tool_fully_executed_on_server, bool)",)),
    "REG007": Check(
        (
            "tool = make_tool()",
            "assert not callable(tool.name)",
            "assert not callable(tool.is_tool_fully_executed_on_server)",
            "assert callable(tool.execute)",
        )
    ),
    "REG009": Check(
        (
            "signature = inspect.signature(make_tool().execute)",
            'signature.bind("{}", None, CancellationToken.none())',
            f"places = {_PLACES}",
            "for place, name in enumerate(signature.parameters):",
            "    assert places.get(name, place) == place",
        ),
        ("inspect",),
        ("CancellationToken",),
    ),
    "REG010": Check(
        (
            "parameters = str(inspect.signature(CLASS))",
            'assert "logger" in parameters or "AdminLogger" in parameters',
        ),
        ("inspect",),
    ),
    "REG011": Check(("make_tool()",)),
    "REG013": _constant("TOOL_USAGE_METADATA"),
    "SCH001": Check(
        (
            'found = inspect.getattr_static(CLASS, "get_schema")',
            "assert isinstance(found, (staticmethod, classmethod))",
            "assert not inspect.signature(CLASS.get_schema).parameters",
        ),
        ("inspect",),
    ),
    "SCH002": Check(("assert json.dumps(dict(CLASS.get_schema()), allow_nan=False)",), ("json",)),
    "SCH003": Check(
        (
            "schema = CLASS.get_schema()",
            'assert schema["type"] == "function"',
            'assert {"name", "description", "parameters"} <= schema.keys()',
        )
    ),
    "SCH004": Check(('assert CLASS.get_schema()["name"] == CLASS.TOOL_NAME',)),
    "SCH005": Check(('assert CLASS.get_schema()["description"].strip()',)),
    "SCH006": Check(
        (
            _PARAMETERS,
            'assert parameters["type"] == "object"',
            'assert isinstance(parameters["properties"], dict)',
        )
    ),
    "SCH007": Check(
        (
            _PARAMETERS,
            'assert all(isinstance(name, str) for name in parameters["required"])',
            'assert len(set(parameters["required"])) == len(parameters["required"])',
        )
    ),
    "SCH009": Check(
        (
            _PARAMETERS,
            'for name, schema in parameters["properties"].items():',
            '    assert schema.get("description", "").strip(), name',
        )
    ),
    "SCH011": Check((_PARAMETERS, 'assert set(parameters["required"]) <= parameters["properties"].keys()')),
    "SCH031": Check(
        (_PARAMETERS, 'assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & parameters.keys()')
    ),
    "SCH033": Check(
        (
            _PARAMETERS,
            'for name in parameters["properties"]:',
            '    assert re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name)',
        ),
        ("re",),
    ),
    "SCH030": _named(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}"),
    "CAT001": Check(("assert make_tool().is_tool_fully_executed_on_server is True",)),
    "CAT002": Check(
        (
            _PARAMETERS,
            'declared = parameters["properties"]["includeExamples"].get("type", "boolean")',
            'assert "boolean" in declared  # also as one of several types',
            'assert not parameters.get("required")',
        )
    ),
    "USE001": Check(("assert CLASS.TOOL_USAGE_METADATA.strip()",)),
    "USE002": Check(("assert len(CLASS.TOOL_USAGE_METADATA.strip().splitlines()) > 1",)),
}
"""What a test of a declaration asserts, by the rule. `CLASS` stands for the tool's class."""
