"""ARG012: whether a refusal of what the schema allows was announced in the schema or in the usage text."""

import json
import re
from collections.abc import Hashable, Iterator
from typing import Final

from aptix_conformance.core.model import Call, Declaration, Exploration, Kind
from aptix_conformance.rules.arguments import refused_without_an_optional
from aptix_conformance.rules.injection import joined
from aptix_conformance.rules.lib import declarations, leaks, prose
from aptix_conformance.rules.lib.acceptance import NO_NETWORK, refusal_text
from aptix_conformance.rules.lib.argument_models import reads_json_in_text
from aptix_conformance.rules.lib.documents import arguments_of, reads_as_object, strings_in
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.rules.lib.scope import (
    answered,
    any_call,
    as_sent,
    extreme,
    valid,
)

_ORDINARY: Final = frozenset({"apostrophe", "quotes", "semicolon", "percent"})
"""Of the extreme texts, those that are plain writing."""


_ANNOUNCED: Final = 0.6
"""The usage text announces a refusal if it has this share of the refusal's words."""
READ_AS_JSON: Final = "a text that was read as JSON"
"""The cause of a refusal by an SDK that read a text such as `[1]` as the list, where a text or null is allowed."""
HIDDEN_REASON: Final = "a fixed text in place of the tool's reason"
"""The cause of a refusal whose whole text is of a library below the tool."""
_NO_REASON: Final = prose.stems(
    "again could error exception failed failure handle internal later message please problem processing request result "
    "returned something sorry tool unexpected unknown went while work wrong"
)
"""Words by which a tool says no more than that something went wrong, as stems."""
_SAYS_ABSENT: Final = re.compile(
    r"\bno such\b|\bunknown\b(?! (?:error|exception|failure|problem|reason|cause)\b)|\bnot (?:be )?(?:found|known)\b|\bnobody knows\b|\bENOENT\b|\bno longer exists?\b"
    r"|\b(?:does|do|did)(?: not|n['\u2019]t) (?:exist|find)\b|\b(?:can ?not|can['\u2019]t|could not|couldn['\u2019]t|unable to) find\b"
    r"|\bthere(?: is|['\u2019]s| are| was| were) no(?:thing)?\b(?! (?:need|reason|way|more)\b)"
    r"|\b(?:no|nothing)\b[\w '\"-]{0,40}? (?:exists?|found|known|named|called|with|match\w*)\b",
    re.IGNORECASE,
)
"""Words by which a look-up says that it does not have what it was asked for."""
_SAYS_FORM: Final = re.compile(
    r"\b(?:must|should|ha(?:s|ve) to|needs? to|expected|formats?|too|at (?:least|most)|characters?|digits?|letters?)\b",
    re.IGNORECASE,
)
"""Words by which a refusal speaks of the form of a value, which a schema can say."""


def _is_ordinary(call: Call) -> bool:
    """Whether the schema allows the call, and no value in it is one that a careful tool may well refuse."""
    is_plain = call.plan.kind is Kind.EXTREME and call.plan.change.detail in _ORDINARY
    return valid(call) or (extreme(call) and is_plain)


@rule(
    "ARG012",
    "AGN-005.12.2",
    source="suite",
    when=any_call(_is_ordinary, answered),
    kind=as_sent,
    unseen_reason="no call that the schema allows was answered",
    differs_by="the words of the refusal, without those that the call sent, or that an SDK read a text as JSON or wrote the refusal",
    remedy="Say in the schema what is refused (minLength, minimum, pattern, enum), or in the usage text where a "
    "schema cannot say it.",
)
def schema_tells_what_is_refused(exploration: Exploration) -> Iterator[Finding]:
    """A call that the schema allows is refused only for a reason that schema or usage text announce.

    Refusing it is allowed, but the model cannot know what to send instead. A tool that changes state may refuse a call
    that it accepted before. Its message is then about the state and not about the arguments. A message that leaks gives
    no reason; nothing is known of why the call was refused until the leak is fixed. A tool that logs an exception and
    says only that it failed gives no reason, either: it did not refuse the call, and announced nothing. A look-up may say that
    it does not have what it was asked for: no schema can list what is there. The
    trace of a program that the call sent is an answer to it. A refusal for want of a network does not count: the suite gives a tool none. It is known by its words, or by a call that tried to
    reach another machine, where none that did succeeded.
    """
    defers_to = "ARG011" if any(True for _ in refused_without_an_optional(exploration)) else ""
    quoting = "ARG018" if any(True for _ in joined(exploration)) else ""
    usage = " ".join(map(declarations.usage_text, exploration.declarations))
    refused = [call for call in exploration.calls if _is_ordinary(call) and call.refused]
    accepted = {_as_sent(call) for call in exploration.calls if refused and call.succeeded}
    of_state = [prose.stems(refusal_text(call)) for call in refused if _as_sent(call) in accepted]
    names = prose.stems(" ".join(map(_name_of, exploration.declarations)))
    is_dead = not any(_tries_the_network(call) and call.succeeded for call in exploration.calls)
    for call in refused:
        if (
            call.plan.kind in (Kind.EXAMPLE, Kind.AGAIN)
            or _is_spelling(call)
            or _lacks_network(call, is_dead=is_dead)
            or leaks.shows_callers_trace(call)
        ):
            continue
        leak = _leak(call)
        is_known = any(_are_alike(prose.stems(refusal_text(call)), stems) for stems in of_state)
        broke = bool(accepted) and _broke(call, names)
        if leak or not (is_known or (not broke and (_announced(call, usage) or _says_absent(call)))):
            message = f"The tool refused a call that its schema allows: {refusal_text(call)}."
            of_statement = quoting if "'" in (call.plan.arguments or "") else ""
            yield Finding(message, call, leak or defers_to or of_statement, _cause(call))


def _cause(call: Call) -> Hashable:
    if call.result and call.result.facts and call.result.facts.is_libraries_refusal():
        return HIDDEN_REASON
    return READ_AS_JSON if reads_json_in_text(call) else _words_of_its_own(call)


def _leak(call: Call) -> str:
    """The rule that reports the error of a call as a leak; empty where none does."""
    if leaks.internals(call):
        return "EXC003"
    if leaks.disclosed(call, leaks.failure_texts(call)):
        return "EXC004"
    return "EXC006" if leaks.exception_words(call) else ""


def _as_sent(call: Call) -> str | None:
    """An object in canonical order of members; other arguments unchanged."""
    if not reads_as_object(call.plan.arguments):
        return call.plan.arguments
    return json.dumps(arguments_of(call), sort_keys=True)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two messages, as stems, have mostly the same words, or no words."""
    return len(one & other) >= _ANNOUNCED * max(len(one), len(other))


def _is_spelling(call: Call) -> bool:
    """Whether the call differs only in how a whole number is written: 1.0 is an integer to a schema, not to most parsers.

    No model writes 1.0, and no schema can forbid it.
    """
    return call.plan.change.detail == "integral-float"


def _lacks_network(call: Call, *, is_dead: bool) -> bool:
    """Whether a call was refused for want of a network, by its words, or as it tried one where no call had a use of it."""
    message = (call.result.error_message if call.result else None) or ""
    return bool(NO_NETWORK.search(message)) or (is_dead and _tries_the_network(call))


def _tries_the_network(call: Call) -> bool:
    """Whether a call tried to reach another machine, as far as its host notices that."""
    return any(not host.startswith("/") for host in call.network)


def _name_of(declaration: Declaration) -> str:
    return declaration.tool_name.value or declaration.class_name


def _broke(call: Call, names: frozenset[str]) -> bool:
    """Whether the tool logged an exception and gave no reason: it did not refuse the call, it failed.

    Where it tried to reach a service that the suite keeps from it, the reason is the suite's.
    """
    logged = any(record.method == "add_exception" for record in call.logs)
    return logged and not call.network and _words_of_its_own(call) <= _NO_REASON | names


def _words_of_its_own(call: Call) -> frozenset[str]:
    """The words of a refusal, as stems, without those that the caller sent; the names of arguments are the tool's."""
    message = (call.result.error_message if call.result else None) or ""
    return prose.stems(message) - prose.stems(" ".join(strings_in(list(arguments_of(call).values()))))


def _says_absent(call: Call) -> bool:
    """Whether a refusal says that what was asked for is not there, and nothing about the form of a value."""
    message = (call.result.error_message if call.result else None) or ""
    sent = [text for text in strings_in(list(arguments_of(call).values())) if text.strip()]
    for text in sorted(sent, key=len, reverse=True):
        message = message.replace(text, " ")
    return bool(_SAYS_ABSENT.search(message)) and not _SAYS_FORM.search(message)


def _announced(call: Call, usage: str) -> bool:
    """Whether the usage text has the error's code or its words, or the message only repeats what the caller sent."""
    errors = call.result.errors if call.result else ()
    if any(error.code and error.code in usage for error in errors):
        return True
    message = (call.result.error_message if call.result else None) or ""
    sent = [text for text in strings_in(list(arguments_of(call).values())) if text.strip()]
    if any(text.strip() in message for text in sent if len(text) > 1 and len(text) * 2 > len(message)):
        return True
    own, terms = _words_of_its_own(call), prose.stems(usage)
    # The schema announces the names of arguments, whether or not the usage text repeats them.
    without_names = own - prose.stems(" ".join(arguments_of(call)))
    return any(words and len(words & terms) >= _ANNOUNCED * len(words) for words in (own, without_names))
