"""CAT012 and above: agent_list_modes with other catalogs in place of the configured one (probe `catalog`)."""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.faults import failing_dependency_never_raises
from aptix_conformance.rules.lib.documents import has_readable_payload, member, payload_of, plain
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.leaks import error_texts
from aptix_conformance.rules.lib.scope import any_call, came_back, payload, threw, thrown
from aptix_conformance.rules.registration import execute_takes_what_it_is_given
from aptix_conformance.stimuli.probes.fault import WRONG_VALUES
from aptix_conformance.systems.aptix.rules.listing import declares_include_examples, list_modes, mode_rule

GRACE: Final = 2.0
"""Seconds within which a cancelled call must return."""

_NO_CATALOG: Final = (
    "the catalog could not be replaced by others: wire one whose async method gives modes, as "
    'services = { catalog = "module:factory" }'
)
_LISTING: Final = re.compile(r"\b(get_all_modes|GetAllModesAsync)\b")
_WITHOUT_PUNCTUATION: Final = str.maketrans("", "", "-{}")
_FIELDS: Final = (
    "key", "displayName", "description", "systemPromptSummary", "isDefault", "humanRoleHints",
    "exampleUtterances",
)  # fmt: skip


def _takes_the_token(declaration: Declaration) -> str | None:
    """Like `list_modes`; also exempts tools that do not receive the token, which REG009 reports."""
    misplaced = execute_takes_what_it_is_given.check(declaration) is not None
    return list_modes(declaration) or (
        "execute does not take the token where it is passed" if misplaced else None
    )


def _reached(call: Call) -> bool:
    return (
        bool(call.plan.catalog) and call.disturbed is not None and call.disturbed.reached and came_back(call)
    )


def _of(*names: str) -> Callable[[Call], bool]:
    return lambda call: _reached(call) and call.plan.catalog in names


def _failing(call: Call) -> bool:
    return _reached(call) and call.plan.demand == "refused"


def _went_unnoticed(call: Call) -> bool:
    """The catalog raised, was not asked again, and the call succeeded."""
    if call.plan.fault is None or call.disturbed is None or not call.succeeded:
        return False
    is_exception = call.disturbed.injected not in ("", *WRONG_VALUES)
    method = call.disturbed.place.partition(" at ")[0]
    return is_exception and _LISTING.search(method) is not None and call.disturbed.retried is False


def _expected(call: Call) -> list[Mapping[str, Any]] | None:
    """The modes of a call's catalog; None if only their number is known, or the catalog gives none."""
    modes: list[Mapping[str, Any]] | None = json.loads(call.plan.expected or "{}").get("modes")
    return modes


def _listed(call: Call) -> list[Any] | None:
    value = payload_of(call).value if has_readable_payload(call) else None
    modes = member(value, "modes") if isinstance(value, Mapping) else None
    return modes if isinstance(modes, list) and all(isinstance(mode, Mapping) for mode in modes) else None


def _ids(modes: Iterable[Mapping[str, Any]]) -> list[str]:
    return [_id(mode) for mode in modes]


def _id(mode: Mapping[str, Any]) -> str:
    """A mode's id, normalised; CAT006 judges its form."""
    return str(member(mode, "id")).translate(_WITHOUT_PUNCTUATION).casefold()


def _stale(exploration: Exploration) -> Call | None:
    """A call that lists the modes of an earlier catalog, whether or not it asked its own."""
    before: list[set[str]] = []
    was_asked = False
    for call in exploration.calls:
        if not (call.plan.catalog and came_back(call)):
            continue
        was_asked = was_asked or _reached(call)
        listed, expected = _listed(call), _expected(call)
        if not listed or expected is None:
            continue
        shown_now, own = set(_ids(listed)), set(_ids(expected))
        # An instance with a changing catalog was called before, with the catalog's earlier content.
        if was_asked and shown_now != own and (shown_now in before or call.plan.catalog == "changing"):
            return call
        before.append(own)
    return None


@mode_rule(
    "CAT012",
    "TUL-010.4.2",
    when=lambda exploration: sum(map(_of("typical"), exploration.calls)) > 1,
    unseen_reason=_NO_CATALOG,
    remedy="Build the payload only from the arguments and the catalog's answer.",
)
def equal_catalogs_give_equal_modes(exploration: Exploration) -> Finding | None:
    """Two calls over the same catalog with the same arguments list the same modes.

    The order of the modes may change. CAT008 and CAT013 judge the examples.
    """
    known: list[str] | None = None
    for call in filter(_of("typical"), exploration.calls):
        listed = _listed(call)
        if listed is None:
            continue
        modes = sorted(json.dumps(_without_examples(mode), sort_keys=True) for mode in listed)
        if known is not None and modes != known:
            other = next((mode for mode in modes if mode not in known), f"{len(modes)} modes")
            return Finding(f"Over the same catalog a second call gave {printable(other, 160)}.", call)
        known = modes
    return None


@mode_rule(
    "CAT013",
    "TUL-010.2.2",
    "TUL-010.3.5",
    when=any_call(_reached, lambda call: call.plan.demand != "refused" and call.plan.expected is not None),
    unseen_reason=_NO_CATALOG,
    differs_by="the catalog",
    remedy="List every mode of the catalog with its fields unchanged; null and missing are the same for an "
    "optional field.",
)
def modes_are_the_catalogs_own(exploration: Exploration) -> Iterator[Finding]:
    """The result lists exactly the modes of the catalog.

    This holds for one mode, 10,000 and none, for null in optional fields, and for right-to-left text. A tool may refuse a
    catalog that has no mode or the same mode twice.
    """
    first = "" if _stale(exploration) is None else "CAT016"
    # CAT008 reports examples that a mode has in some calls only.
    excused = {
        _id(mode)
        for call in exploration.calls
        for mode in _listed(call) or ()
        if member(mode, "exampleUtterances")
    }
    if not any(map(declares_include_examples, exploration.declarations)):
        excused |= {_id(mode) for call in exploration.calls for mode in _expected(call) or ()}
    for call in filter(_reached, exploration.calls):
        fault = _content_fault(call, excused)
        if fault:
            yield Finding(f"With {_in_words(call)}, {fault}.", call, first, call.plan.catalog)


@mode_rule(
    "CAT014",
    "TUL-010.4.3",
    "TUL-010.3.7",
    when=any_call(_failing),
    masks_others=True,
    unseen_reason=_NO_CATALOG,
    differs_by="the catalog",
    remedy="Check inside the try block that the catalog gave a list, and return InvokeResult.from_error(message).",
)
def failing_catalog_is_a_failed_result(exploration: Exploration) -> Iterator[Finding]:
    """A catalog that raises, or gives null, is a failed result with a message; nothing is raised.

    EXC010 reports tools that guard no service at all.
    """
    guard = failing_dependency_never_raises
    is_unguarded = guard.when(exploration) and guard.check(exploration) is not None
    for call in filter(_failing, exploration.calls):
        if threw(call):
            first = "EXC010" if is_unguarded else ""
            message = f"With {_in_words(call)}, the tool raised {thrown(call)}."
            yield Finding(message, call, first, call.plan.catalog)
        elif not call.refused:
            message = f"With {_in_words(call)}, the tool succeeded with {payload(call)}."
            yield Finding(message, call, cause=call.plan.catalog)
    for call in filter(_went_unnoticed, exploration.calls):
        message = f"Where its catalog raised an exception, the tool succeeded with {payload(call)}."
        yield Finding(message, call, cause="raises")


@mode_rule(
    "CAT015",
    "TUL-010.4.3",
    "TUL-010.3.7",
    when=lambda call: _failing(call) and call.refused,
    unseen_reason=f"no failed result was seen with a failing catalog; {_NO_CATALOG}",
    differs_by="the catalog",
    remedy="Log with add_exception, or with add_error if nothing was raised, before you return the failed result.",
)
def failing_catalog_is_logged(call: Call) -> Finding | None:
    """A catalog that raises, or gives null, is logged through the admin logger as an error."""
    if any(
        record.method in ("add_exception", "add_error") or record.level == "error" for record in call.logs
    ):
        return None
    text = quoted(next(error_texts(call), "nothing"), 80)
    message = f"With {_in_words(call)}, the tool said {text} and logged no error."
    return Finding(message, cause=call.plan.catalog)


@mode_rule(
    "CAT016",
    "TUL-010.4.4",
    when=lambda exploration: any(
        c.plan.catalog in ("one_mode", "changing") and came_back(c) for c in exploration.calls
    ),
    unseen_reason=_NO_CATALOG,
    remedy="Ask the catalog in every call and do not keep its answer; caching is the catalog's task.",
)
def changed_catalog_shows_on_the_next_call(exploration: Exploration) -> Finding | None:
    """The next call lists a changed catalog's current modes, from the same instance and from a new one."""
    call = _stale(exploration)
    if call is None:
        return None
    return Finding(
        f"With {_in_words(call)}, the tool showed the modes of an earlier call: {payload(call)}.", call
    )


@mode_rule(
    "CAT017",
    "TUL-010.4.1",
    "TUL-010.7.1",
    when=lambda call: _reached(call) and call.plan.demand != "refused",
    unseen_reason=_NO_CATALOG,
    differs_by="the catalog",
    remedy="Create new objects for the payload; do not change, sort or clear the catalog's own objects.",
)
def catalog_is_unchanged(call: Call) -> Finding | None:
    """The call does not change the objects that the catalog returns, even if the catalog returns its own list."""
    changed = call.disturbed.changed if call.disturbed else ()
    if not changed:
        return None
    return Finding(f"With {_in_words(call)}: {printable(changed[0], 300)}.", cause=call.plan.catalog)


@rule(
    "CAT018",
    "AGN-005.8.1",
    "TUL-011.3.6",
    applies=_takes_the_token,
    when=_of("hangs"),
    unseen_reason=_NO_CATALOG,
    remedy="Pass the cancellation token to the catalog, or wait for the catalog and the token together.",
)
def hanging_catalog_is_given_up_on(call: Call) -> Finding | None:
    """A cancelled call ends even if the catalog does not answer."""
    if not (call.disturbed and call.disturbed.given_up):
        return None
    return Finding(
        f"The call was cancelled while the catalog did not answer, and went on for {GRACE:g} s and more.",
        timed=True,
    )


@mode_rule(
    "CAT019",
    "TUL-010.2.1",
    when=lambda exploration: (
        any(call.plan.catalog and call.succeeded for call in exploration.calls)
        and any(_takes_a_service(declaration) for declaration in exploration.declarations)
    ),
    unseen_reason=f"no call succeeded; {_NO_CATALOG}",
    remedy="Take the modes from the service that the constructor was given.",
)
def injected_catalog_is_asked(exploration: Exploration) -> Finding | None:
    """The modes come from the injected catalog: a call asks it."""
    calls = [call for call in exploration.calls if call.plan.catalog and came_back(call)]
    if any(call.disturbed and (call.disturbed.reached or call.disturbed.place) for call in calls):
        return None
    succeeded = next(call for call in calls if call.succeeded)
    return Finding("In no call was an injected service asked for modes.", succeeded)


def _takes_a_service(declaration: Declaration) -> bool:
    return any("logger" not in f"{p.name} {p.annotation}".casefold() for p in declaration.constructor)


def _without_examples(mode: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mode.items() if plain(key) != "exampleutterances"}


def _in_words(call: Call) -> str:
    return {
        "typical": "a catalog of three modes",
        "one_mode": "a catalog of one mode",
        "empty": "a catalog without modes",
        "null_optional_fields": "optional fields that are null",
        "unicode_rtl": "texts from right to left and emoji",
        "duplicates": "a mode that is there twice",
        "shared": "a catalog that hands out its own list",
        "changing": "a catalog that has changed since the last call of the instance",
        "many": "a catalog of 10,000 modes",
        "returns_none": "a catalog that gives null",
        "raises": "a catalog that raises",
        "hangs": "a catalog that does not answer",
    }.get(call.plan.catalog, "another catalog")


def _content_fault(call: Call, excused: Container[str]) -> str | None:
    """How the listed modes differ from the catalog, as a phrase; None if they do not.

    `excused` holds the ids of modes that may lack examples, because another rule reports that.
    """
    if call.plan.expected is None or call.plan.demand == "refused":
        return None
    listed, expected = _listed(call), _expected(call)
    if not call.succeeded:
        what = (
            f"raised {thrown(call)}"
            if threw(call)
            else f"failed: {printable(next(error_texts(call), ''), 80)}"
        )
        return None if call.plan.demand == "either" else f"the tool {what}"
    if listed is None:
        return None  # CAT004 and CAT005
    return _count_fault(call, listed) or _field_fault(listed, expected or (), excused)


def _count_fault(call: Call, listed: list[Any]) -> str | None:
    expected = _expected(call)
    ids = set(_ids(listed))
    if expected is None:
        count = json.loads(call.plan.expected or "{}")["count"]
        return None if len(ids) == count else f"{len(ids):,} modes were listed"
    if ids == set(_ids(expected)) and len(listed) in (len(ids), len(expected)):
        return None
    return f"{len(listed)} modes were listed, and there are {len(expected)}"


def _field_fault(
    listed: list[Any], expected: Iterable[Mapping[str, Any]], excused: Container[str]
) -> str | None:
    by_id = {_id(mode): mode for mode in listed}
    for mode in {_id(mode): mode for mode in reversed(list(expected))}.values():
        for field in _FIELDS:
            expected_value, value = mode[field], member(by_id[_id(mode)], field)
            in_another = field == "exampleUtterances" and not value and _id(mode) in excused
            if (expected_value or None) != (value or None) and not in_another:
                return f"the {field} of the mode {mode['key']} is {_json(value)}, not {_json(expected_value)}"
    return None


def _json(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False), 60)
