"""CAT: the contract of agent_list_modes, which has its own document (TUL-010)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations, prose
from aptix_conformance.rules.lib.documents import (
    arguments_of,
    has_member,
    has_readable_payload,
    member,
    payload_of,
    plain,
)
from aptix_conformance.rules.lib.kernel import Finding, Precondition, rule
from aptix_conformance.rules.lib.scope import any_call, cancelled, payload, refused
from aptix_conformance.rules.results import failed_result_has_no_payload
from aptix_conformance.systems.aptix.traits import LIST_MODES

_FIELDS: Final = {
    "id": str,
    "key": str,
    "displayName": str,
    "description": str,
    "systemPromptSummary": str,
    "isDefault": bool,
}
_TEXTS: Final = ("humanRoleHints", "exampleUtterances")
_ID: Final = re.compile(r"[0-9a-fA-F]{32}")
_NO_MODES: Final = "no payload listed a mode: wire a catalog with modes, as services = { catalog = … }"


def list_modes(declaration: Declaration) -> str | None:
    """Why the contract of agent_list_modes does not apply to a tool; None if it is that tool."""
    return None if declaration.tool_name.value == LIST_MODES else f"it is not {LIST_MODES}"


mode_rule: Final = partial(rule, applies=list_modes)
"""As `rule`, for agent_list_modes."""


def declares_include_examples(declaration: Declaration) -> bool:
    """Whether a call can ask for examples; CAT002 reports schemas that do not allow it."""
    return "includeExamples" in declarations.properties(declaration)


def _lists(call: Call) -> bool:
    """Whether a call succeeded and must list the modes; a cancelled call need not."""
    return has_readable_payload(call) and not cancelled(call)


def _modes(call: Call) -> list[Any]:
    value = payload_of(call).value if _lists(call) else None
    modes = member(value, "modes") if isinstance(value, Mapping) else None
    return modes if isinstance(modes, list) else []


def _well_formed_modes(call: Call) -> list[Mapping[str, Any]]:
    modes = _modes(call)
    return [] if any(True for mode in modes for _ in _mode_faults(mode)) else modes


def _lists_modes(call: Call) -> bool:
    return bool(_modes(call))


@mode_rule(
    "CAT001",
    "TUL-010.3.1",
    when=Precondition(
        lambda declaration: declaration.is_tool_fully_executed_on_server.value_type == "bool",
        "is_tool_fully_executed_on_server could not be read",
        ("REG006", "REG007", "REG011"),
    ),
    remedy="Return True: no client takes part.",
)
def catalog_tool_runs_on_the_server(declaration: Declaration) -> Finding | None:
    """agent_list_modes is fully executed on the server."""
    if declaration.is_tool_fully_executed_on_server.value is True:
        return None
    return Finding("is_tool_fully_executed_on_server is False.")


@mode_rule(
    "CAT002",
    "TUL-010.3.3",
    when=declarations.has_parameters,
    differs_by="the fault: what is required, no includeExamples, or its type",
    remedy="Declare one optional boolean, includeExamples, and require nothing.",
)
def catalog_tool_takes_include_examples(declaration: Declaration) -> Iterator[Finding]:
    """The schema has the boolean includeExamples, and nothing is required."""
    required = declarations.required(declaration)
    if required:
        yield Finding(f"The schema requires {printable(', '.join(required), 80)}.", cause="required")
    schema = declarations.properties(declaration).get("includeExamples")
    if not isinstance(schema, Mapping):
        yield Finding("The schema has no argument includeExamples.", cause="missing")
        return
    declared = schema.get("type", "boolean")
    types = set(map(str, declared)) if isinstance(declared, list) else {declared}
    if not types <= {"boolean", "null"} or types == {"null"}:
        yield Finding(f"includeExamples is of type {printable(str(declared), 40)}.", cause="type")


@mode_rule(
    "CAT003",
    "TUL-010.2.1",
    remedy="Take the catalog service as a parameter of the constructor.",
)
def catalog_is_injected(declaration: Declaration) -> Finding | None:
    """The constructor takes one service in addition to the logger: the catalog."""
    for parameter in declaration.constructor:
        if "logger" not in f"{parameter.name} {parameter.annotation}".casefold():
            return None
    return Finding("The constructor takes no catalog service.")


@mode_rule(
    "CAT004",
    "TUL-010.3.5",
    when=_lists,
    differs_by="the type of the payload, the names of its members, or that modes is no array",
    remedy='Return {"modes": […]} and no other member at the top level.',
)
def payload_has_the_single_property_modes(call: Call) -> Finding | None:
    """The payload is an object with one property, modes, which is an array."""
    value = payload_of(call).value
    if not isinstance(value, Mapping):
        return Finding(f"The payload is {payload(call)}.", cause=type(value).__name__)
    if [plain(key) for key in value] != ["modes"]:
        return Finding(f"The payload is {payload(call)}.", cause=tuple(sorted(map(plain, value))))
    if isinstance(member(value, "modes"), list):
        return None
    return Finding(f"modes is no array in {payload(call)}.", cause="no array")


@mode_rule(
    "CAT005",
    "TUL-010.3.5",
    "TUL-010.2.2",
    "TUL-010.7.1",
    when=_lists_modes,
    unseen_reason=_NO_MODES,
    differs_by="the field of the mode",
    remedy="Give each mode id, key, displayName, description, systemPromptSummary (texts), isDefault (boolean), "
    "humanRoleHints and exampleUtterances (arrays of texts, or null).",
)
def modes_have_their_fields(call: Call) -> Iterator[Finding]:
    """Each mode has the eight fields with their types; exampleUtterances may be left out."""
    for place, mode in enumerate(_modes(call)):
        for field, fault in _mode_faults(mode):
            yield Finding(f"modes[{place}] {fault}.", cause=field)


@mode_rule(
    "CAT006",
    "TUL-010.2.2",
    "TUL-010.3.5",
    when=lambda call: bool(_well_formed_modes(call)),
    unseen_reason=f"{_NO_MODES}, and see that each has its fields",
    remedy="Write the id as 32 hexadecimal digits, without hyphens and braces.",
)
def mode_ids_are_guids_without_hyphens(call: Call) -> Finding | None:
    """The id of each mode is a GUID without hyphens."""
    for place, mode in enumerate(_well_formed_modes(call)):
        if not _ID.fullmatch(member(mode, "id")):
            return Finding(f"The id of modes[{place}] is {quoted(member(mode, 'id'), 60)}.")
    return None


@mode_rule(
    "CAT007",
    "TUL-010.3.6",
    when=any_call(_lists_modes),
    unseen_reason=_NO_MODES,
    differs_by="the key",
    remedy="Spell each key the same way in every mode and every call.",
)
def keys_are_spelled_alike(exploration: Exploration) -> Iterator[Finding]:
    """A key has one spelling, in every mode and every call."""
    spellings: dict[str, str] = {}
    for call in exploration.calls:
        for key in _keys(call):
            known = spellings.setdefault(plain(key), key)
            if known != key:
                message = f"One key is spelled {quoted(known, 40)} and {quoted(key, 40)}."
                yield Finding(message, call, cause=plain(key))


@mode_rule(
    "CAT008",
    "TUL-010.3.4",
    when=lambda exploration: (
        any(map(declares_include_examples, exploration.declarations))
        and any(map(_asks_for_examples, exploration.calls))
        and any(map(_examples, exploration.calls))
    ),
    unseen_reason="no mode of the catalog showed an example utterance when it was asked to: wire a catalog that has some",
    remedy="Fill exampleUtterances from the catalog if includeExamples is true.",
)
def examples_come_when_asked_for(exploration: Exploration) -> Finding | None:
    """A mode that has examples lists them in every call that asks for them."""
    known = {identifier for call in exploration.calls for identifier in _examples(call)}
    for call in filter(_asks_for_examples, exploration.calls):
        listed = {str(member(mode, "id")) for mode in _well_formed_modes(call)}
        lacking = sorted((known & listed) - _examples(call))
        if lacking:
            return Finding(f"The mode {printable(lacking[0], 40)} came without its examples.", call)
    return None


@mode_rule(
    "CAT009",
    "TUL-010.3.7",
    when=refused,
    unseen_reason="no call was refused",
    differs_by="the type of the payload, what was wrong with the call, and the argument that this is about",
    remedy="Return InvokeResult.from_error(message), which holds no payload.",
)
def failure_has_no_modes(call: Call) -> Iterable[Finding]:
    """A failed result holds no payload."""
    return failed_result_has_no_payload.findings(call)


@mode_rule(
    "CAT010",
    "TUL-010.5.1",
    when=declarations.has_usage_text,
    remedy="Say to call it when the user asks which modes there are, wants help to choose one, or a change of "
    "mode is about to be proposed.",
    source="advice",
)
def usage_text_tells_when_to_list_modes(declaration: Declaration) -> Finding | None:
    """The usage text says when to call: which modes there are, help to choose, before proposing a change."""
    return _unsaid(
        declaration,
        {
            "which modes there are": r"\b(?:what|which|available|list\w*|exist\w*)\b[^.]{0,60}\bmodes?\b|\bmodes?\b[^.]{0,60}"
            r"\b(?:available|exist\w*|there are)\b",
            "help to choose": r"\b(?:choos\w*|choice|select\w*|pick\w*|decid\w*|understand\w*|compar\w*|options?)\b",
            "a change about to be proposed": r"\b(?:propos\w*|suggest\w*|recommend\w*|before|offer\w*)\b",
        },
    )


@mode_rule(
    "CAT011",
    "TUL-010.5.2",
    when=declarations.has_usage_text,
    remedy="Say not to call it on every message, when the mode is known, or instead of the tool that changes modes.",
    source="advice",
)
def usage_text_tells_when_not_to_list_modes(declaration: Declaration) -> Finding | None:
    """The usage text says when not to call: on every message, with the mode known, instead of changing the mode."""
    first = "" if prose.says(declarations.usage_text(declaration), "when not") else "USE005"
    finding = _unsaid(
        declaration,
        {
            "not on every message": r"\b(?:every|each|all)\b[^.]{0,30}\b(?:messages?|turns?|requests?|repl\w+)\b",
            "not when the mode is known": r"\b(?:know\w*|already|current)\b",
            "not instead of changing the mode": r"\b(?:chang\w*|switch\w*|substitut\w*|set\w*|instead)\b",
        },
    )
    return replace(finding, defers_to=first) if finding else None


def _mode_faults(mode: object) -> Iterator[tuple[str, str]]:
    """The faults of a mode: the field, and a phrase."""
    if not isinstance(mode, Mapping):
        yield "", "is no object"
        return
    for field, kind in _FIELDS.items():
        value = member(mode, field)
        if not has_member(mode, field):
            yield field, f"has no {field}"
        elif type(value) is not kind:
            yield field, f"has the {field} {printable(repr(value), 40)}"
    for field in _TEXTS:
        value = member(mode, field)
        texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if value is not None and not texts:
            yield field, f"has the {field} {printable(repr(value), 40)}"
    if not has_member(mode, "humanRoleHints"):
        yield "humanRoleHints", "has no humanRoleHints"


def _keys(call: Call) -> Iterator[str]:
    value = payload_of(call).value if _lists(call) else None
    if isinstance(value, Mapping):
        yield from value
    for mode in _modes(call):
        if isinstance(mode, Mapping):
            yield from mode


def _asks_for_examples(call: Call) -> bool:
    return arguments_of(call).get("includeExamples") is True and _lists_modes(call)


def _examples(call: Call) -> set[str]:
    """The ids of the modes that have examples."""
    return {str(member(mode, "id")) for mode in _well_formed_modes(call) if member(mode, "exampleUtterances")}


def _unsaid(declaration: Declaration, points: Mapping[str, str]) -> Finding | None:
    text = declarations.usage_text(declaration)
    missing = [
        point for point, pattern in points.items() if not re.search(pattern, text, re.IGNORECASE | re.DOTALL)
    ]
    return Finding(f"The usage text does not seem to say: {'; '.join(missing)}.") if missing else None
