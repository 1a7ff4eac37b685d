"""RES: the form of a tool's results."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from aptix_conformance.core.model import Call, Exploration, Kind
from aptix_conformance.core.text import is_blank, printable, quoted
from aptix_conformance.rules.lib.documents import (
    NOT_IN_JSON,
    arguments_of,
    constant_in,
    has_readable_payload,
    holds_lone_surrogate,
    may_be_prose,
    payload_of,
    repeated_name,
    strings_in,
    surrogate_in,
)
from aptix_conformance.rules.lib.exception_texts import failed_by_contrast
from aptix_conformance.rules.lib.failures import is_line_of_a_log, reports_failure
from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, NotApplicable, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.mislabelled import mislabelled_refusal, rendered_exception
from aptix_conformance.rules.lib.representations import representation_in
from aptix_conformance.rules.lib.scope import (
    BY_OCCASION,
    answered,
    any_call,
    cancelled,
    occasion,
    payload,
    refused,
    returned,
    succeeded,
)
from aptix_conformance.stimuli.generate.extremes import SURROGATE

_NO_REFUSAL: Final = "no call was refused"

_PLACE: Final = re.compile(r" \(U\+[0-9A-F]+\) at \d+")
"""Which lone surrogate it is, and where: one fault wherever it occurs."""

_ADDRESS: Final = re.compile(r"0x[0-9A-Fa-f]+")

_ONE_WORD: Final = re.compile(
    r"\W*(?:an? |the )?(?:unknown |unexpected |internal |generic )?"
    r"(?:error|errors|exception|failed|failure|fail|invalid|bad|none|null|oops|\w+(?:Error|Exception))"
    r"(?: (?:occurred|happened))?\W*",
    re.IGNORECASE,
)


@rule(
    "RES001",
    "AGN-005.4.1",
    "TUL-011.3.2",
    "AMP.1.2",
    when=returned,
    masks_others=True,
    unseen_reason="no call returned",
    differs_by="the type of what was returned",
    remedy="Return InvokeResult.create(json) or InvokeResult.from_error(message) on every path.",
)
def returns_the_contracts_result(call: Call) -> Finding | None:
    """`execute` returns a result of the type that its contract demands, which says whether the call succeeded."""
    if answered(call) or call.result is None:
        return None
    if not call.result.is_invoke_result:
        message = f"execute returned {_article(call.result.type_name)}."
        return Finding(message, cause=call.result.type_name)
    return Finding("execute returned a result that is neither successful nor failed.")


@rule(
    "RES002",
    "AGN-005.4.1",
    "AGN-005.1.2",
    when=succeeded,
    masks_others=True,
    differs_by="the type of the payload",
    remedy="Serialise the result object and return its text: InvokeResult.create(json.dumps(result)).",
)
def payload_is_text(call: Call) -> Finding | None:
    """A successful result holds text, not an object that the caller has to serialise."""
    result = call.result
    if result is None or result.payload is not None:
        return None
    message = f"The payload is {_article(result.payload_type)}."
    return Finding(message, cause=result.payload_type)


@rule(
    "RES003",
    "AGN-005.9.4",
    "AGN-005.1.2",
    "TUL-011.3.2",
    when=lambda call: call.succeeded and call.result is not None and call.result.payload is not None,
    masks_others=True,
    unseen_reason=NoSuccess("no payload was text"),
    differs_by="the kind of fault in the JSON",
    remedy="Serialise with a JSON library that refuses NaN and Infinity (json.dumps(…, allow_nan=False)) and "
    "leaves no lone surrogate (ensure_ascii=True).",
)
def payload_is_json(call: Call) -> Finding | None:
    """The payload of a successful result is one JSON document, strictly by RFC 8259."""
    fault = payload_of(call).fault
    if fault is None:
        return None
    return Finding(
        f"The payload {payload(call)} has {printable(_described_fault(fault), 100)}.",
        cause=NOT_IN_JSON if fault.endswith(NOT_IN_JSON) else _PLACE.sub("", fault.partition(":")[0]),
    )


@rule(
    "RES013",
    "AGN-005.9.4",
    source="suite",
    when=has_readable_payload,
    differs_by="what is wrong: a repeated name, half of a character, a number that JSON does not have, or an object without a written form",
    remedy="Build the result as one object and serialise it; add up what has the same name. Write null for a number that is "
    "none. Cut texts between characters, never between the units of UTF-16. Write the members of an object down, and await what is awaitable.",
)
def payload_reads_alike_everywhere(call: Call) -> Iterator[Finding]:
    """No object of a payload has a name twice, and no text in it holds half of a character or an object without a written form.

    The grammar of RFC 8259 allows both. Of two members with one name, one parser keeps the first, another the last, and a
    third refuses the text; half of a character cannot be written in UTF-8. RFC 7493 forbids both. A half that the suite
    itself sent may come back. What a language makes of an object that has no written form, such as `<Order object at 0x7f…>`
    or `[object Object]`, tells the model nothing, and may be another text in each process. Where a result may be any text,
    one that is JSON but for NaN or an infinity is read by one parser and refused by others.
    """
    document = payload_of(call)
    text = (call.result and call.result.payload) or ""
    name = repeated_name(text) if document.value is not None and not document.is_prose else None
    if name is not None:
        yield Finding(f"The payload has the name {quoted(name, 40)} twice in one object.", cause="name")
    constant = constant_in(text) if document.is_prose else None
    if constant is not None and constant not in (call.plan.arguments or ""):
        yield Finding(f"The payload is JSON but for {constant}, {NOT_IN_JSON}.", cause="constant")
    # A tool that keeps what it is sent may show in a later call what the suite sent.
    half = surrogate_in(document.value, but=SURROGATE) if document.is_prose or "\\u" in text else None
    if half is not None and not (
        holds_lone_surrogate(call.plan.arguments) or surrogate_in(call.plan.context)
    ):
        yield Finding(f"The payload holds half of a character (U+{ord(half):04X}).", cause="half")
    shown = representation_in(call)
    if shown is not None:
        yield Finding(
            f"The payload shows an object as {quoted(_ADDRESS.sub('0x…', shown), 80)}.", cause="object"
        )


@rule(
    "RES004",
    "TUL-011.3.4",
    "AGN-005.3.6",
    "AMP.3.4",
    "MCP.E.13",
    when=refused,
    unseen_reason=NotApplicable(_NO_REFUSAL),
    differs_by=BY_OCCASION,
    remedy="Say in the message what was wrong and what to send instead.",
)
def failed_result_has_a_message(call: Call) -> Finding | None:
    """A failed result has a message that holds text.

    The message is all that the model sees of the failure. A tool that is told what to say, and is told nothing but
    white space, may say that.
    """
    result = call.result
    texts = [result.error_message, *(error.message for error in result.errors)] if result else []
    messages = [message for message in texts if message is not None]
    if any(not is_blank(message) or _is_sent(message, call) for message in messages):
        return None
    return Finding("The tool failed without a message.", cause=occasion(call))


@rule(
    "RES005",
    "TUL-011.3.4",
    "MCP.E.13",
    when=lambda call: refused(call) and call.plan.probe != "fault",
    unseen_reason=NotApplicable(_NO_REFUSAL),
    differs_by="the message",
    remedy="Say in a sentence what was wrong and what to send instead.",
    source="advice",
)
def message_is_clear(call: Call) -> Finding | None:
    """A failed result's message says what went wrong, unless a dependency failed."""
    texts = [text for text in error_texts(call) if not is_blank(text) and not _is_sent(text, call)]
    if texts and all(_ONE_WORD.fullmatch(text) for text in texts):
        return Finding(f"The tool said nothing but {quoted(texts[0], 60)}.", cause=texts[0].casefold())
    return None


@rule(
    "RES006",
    "TUL-011.3.2",
    "AMP.1.2",
    "ART.3.6",
    "MCP.C.4",
    when=any_call(lambda call: call.succeeded or (call.plan.kind is Kind.EXAMPLE and answered(call))),
    kind=lambda call: call.plan.change if call.plan.kind is Kind.EXAMPLE else None,
    probes=(),
    differs_by="the example",
    remedy="Fix the tool, or the example in [tool.aptix-conformance.tool.NAME].",
)
def examples_succeed(exploration: Exploration) -> Iterator[Finding]:
    """A call that the tool's author gives as an example succeeds."""
    for call in exploration.calls:
        if call.plan.probe == "valid" and call.plan.kind is Kind.EXAMPLE and call.refused:
            error = quoted(next(error_texts(call), "no message"), 120)
            message = f"The tool refused an example: {error}."
            yield Finding(message, call, cause=call.plan.change.number)


def _may_report_failure(call: Call) -> bool:
    return not cancelled(call) and (has_readable_payload(call) or _has_errors(call) or _is_bare_error(call))


@rule(
    "RES007",
    "TUL-011.3.2",
    source="suite",
    when=any_call(_may_report_failure),
    differs_by="how the result says that the call failed: for an object the names of its members, for the text of an exception its sentence",
    remedy="Return a failed result with a message if the tool did not do what it was asked to do.",
)
def success_reports_no_failure(exploration: Exploration) -> Iterator[Finding]:
    """A successful result does not say that the call failed, and has no errors.

    A payload says so with `success: false` or `isError: true`; where it holds `ok: false`, `status: "error"` or an error, and no
    data beside it but a code, a time, a duration or a count; or where it is a text that begins with "Error:", "Error doing
    something:" or "Failed to do something:". It is also found where it is the text of an exception and nothing else, such as
    `'str' object has no attribute 'get'`, and other valid calls were answered with data; not of a tool that may give back what
    others wrote, such as notes and logs. A tool that tells the state of something else, such as a job that failed, conforms,
    and so does one that returns a line of the log that it is asked for.
    """
    sentences = {id(call): sentence for call, sentence in failed_by_contrast(exploration)}
    for call in filter(_may_report_failure, exploration.calls):
        finding = _reported_failure(call, sentences.get(id(call), ""))
        if finding:
            yield replace(finding, call=call)


def _reported_failure(call: Call, sentence: str) -> Finding | None:
    """What a success says of a failure; `sentence` is that of an exception, empty where the answer is not proven to be one."""
    if _has_errors(call):
        message = f"A successful result came with errors: {quoted(next(error_texts(call), ''), 80)}."
        return Finding(message, cause="errors")
    if mislabelled_refusal(call):
        return Finding(f"A successful result says {payload(call)}.", defers_to="MCP087", cause="refusal")
    if sentence:
        return Finding(f"A successful result says {payload(call)}.", defers_to="MCP087", cause=sentence)
    if _is_bare_error(call):
        return Finding(f"A successful result says {payload(call)}.", defers_to="RES003", cause="str")
    value = payload_of(call).value
    if _says_that_it_failed(value, call):
        members = tuple(sorted(value)) if isinstance(value, Mapping) else type(value).__name__
        defers_to = "MCP087" if rendered_exception(call) else ""
        return Finding(f"A successful result says {payload(call)}.", defers_to=defers_to, cause=members)
    return None


def _is_sent(message: str, call: Call) -> bool:
    """Whether a message is an argument of the call, or both are blank."""
    sent_texts = list(strings_in(arguments_of(call)))
    return message in sent_texts or (is_blank(message) and any(map(is_blank, sent_texts)))


def _is_bare_error(call: Call) -> bool:
    """Whether the payload is no JSON, which some systems allow, and a text that says that the call failed."""
    text = call.result.payload if call.succeeded and call.result else None
    return bool(text and payload_of(call).fault and _says_that_it_failed(text, call))


def _says_that_it_failed(payload: object, call: Call) -> bool:
    sent = arguments_of(call)
    return reports_failure(payload, sent) and not is_line_of_a_log(payload, sent)


def _has_errors(call: Call) -> bool:
    return call.succeeded and call.result is not None and bool(call.result.errors)


@rule(
    "RES008",
    "TUL-011.3.1",
    source="suite",
    applies=lambda declaration: (
        f"{own} asks the same of it" if (own := declaration.own_rules.failure_payload) else None
    ),
    when=refused,
    unseen_reason=NotApplicable(_NO_REFUSAL),
    differs_by="the type of the payload, what was wrong with the call, and the argument that this is about",
    remedy="Return InvokeResult.from_error(message), which holds no payload.",
)
def failed_result_has_no_payload(call: Call) -> Finding | None:
    """A failed result holds no payload in addition to its message."""
    if call.result is None or call.result.payload_type == "NoneType" or call.result.payload == "":
        return None
    message = f"A failed result came with a payload: {payload(call)}."
    return Finding(message, cause=(call.result.payload_type, occasion(call)))


def _article(type_name: str) -> str:
    return "None" if type_name == "NoneType" else f"an object of type {printable(type_name, 60)}"


def _described_fault(fault: str) -> str:
    return f"a fault: {fault}" if ":" in fault else fault


@rule(
    "RES009",
    "TUL-011.3.2",
    "ART.3.6",
    when=lambda call: (
        call.plan.probe == "valid" and call.plan.expected is not None and has_readable_payload(call)
    ),
    kind=lambda call: call.plan.change,
    unseen_reason=NotApplicable(
        "no example in the configuration says what its result is",
        asked_for=lambda settings: any(example.has_result for example in settings.examples),
    ),
    probes=(),
    differs_by="the example",
    remedy="Fix the tool, or the example's result in [tool.aptix-conformance.tool.NAME].",
)
def example_gives_its_result(call: Call) -> Finding | None:
    """The payload of an example holds the members that its author expects; it may hold more."""
    expected = json.loads(call.plan.expected or "null")
    if may_be_prose(call) and call.result and call.result.payload == expected:
        return None  # a text such as 12, which would be read as a number
    place = _difference(expected, payload_of(call).value, "the payload")
    return Finding(f"{place}.", cause=call.plan.change.number) if place else None


def _difference(expected: object, actual: object, place: str) -> str | None:
    """The first difference between a payload and the expected one, as a phrase; additional members do not count."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for name, value in expected.items():
            inner = f"{place}.{printable(str(name), 40)}"
            if name not in actual:
                return f"{inner} is missing"
            difference = _difference(value, actual[name], inner)
            if difference:
                return difference
        return None
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = enumerate(zip(expected, actual, strict=True))
        return next(filter(None, (_difference(a, b, f"{place}[{index}]") for index, (a, b) in pairs)), None)
    same = expected == actual and isinstance(expected, bool) is isinstance(actual, bool)
    return None if same else f"{place} is {_json_excerpt(actual)} and not {_json_excerpt(expected)}"


def _json_excerpt(value: object) -> str:
    return printable(json.dumps(value, ensure_ascii=False), 80)
