"""Why no call of a tool succeeded, and the lines of configuration that help: the member `unreached` of its report.

Rules pass on a tool that only refuses: it refuses cleanly. So the status of such a tool says first that its real work was
never seen, and what the suite itself did to prevent that: it gives tools neither a network nor the services of production.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Kind, Outcome
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.disturbance import ProtocolStimulus
from aptix_conformance.core.model.report import UnreachedReport
from aptix_conformance.core.text import printable
from aptix_conformance.examine.blocked_network import hosts_of
from aptix_conformance.examine.case import Examination
from aptix_conformance.hosts.refused_access import Refused, possibly_refused, refused_in
from aptix_conformance.rules.lib.acceptance import NO_NETWORK
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.probes.authors_world import KNOWN
from aptix_conformance.targets.per_tool import table_of, written_key

_ENDINGS: Final[Mapping[Outcome, tuple[str, str]]] = {
    Outcome.RETURNED: ("refused every", "refused"),
    Outcome.RAISED: ("raised an exception in every", "raised an exception in"),
    Outcome.TIMED_OUT: ("came back from no", "did not come back from"),
    Outcome.CRASHED: ("ended its process in every", "ended its process in"),
    Outcome.NOT_CONSTRUCTED: ("could not be constructed for any", "could not be constructed for"),
}
"""The words for how all calls of a tool ended, or some of them, by how a call ended."""
_LIMITED: Final = ("exceeded a limit in every", "exceeded a limit in")
_MOST_HOSTS: Final = 3
_MOST_TRIED: Final = 3
"""Calls that are shown of those with values of the author's world."""
_LONGEST: Final = 300
_VARIABLE: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b(?!:)")
"""The name of a variable; with a colon behind it, it is the code of an error."""
_MISSING: Final = re.compile(
    r"\b(?:missing|not (?:set|found|defined|configured|provided)|unset|undefined|required|requires|(?:must|please) (?:be )?set)\b",
    re.IGNORECASE,
)
_MOST_VARIABLES: Final = 5
_FILES_OR_ENV: Final = (
    'files = "testdata"   # or env = { NAME = "…" }, where it reads files or the environment'
)
_PLACEHOLDERS: Final[Mapping[str, str]] = {
    "integer": "1",
    "number": "1.5",
    "boolean": "true",
    "array": "[]",
    "object": "{}",
}
"""A value of each type as TOML; `…` in a text for every other."""


def unreached(examination: Examination) -> UnreachedReport | None:
    """The report on a tool that was never seen to work; None where it was, or where calls were not to be made."""
    exploration = examination.exploration
    declaration = exploration.declarations[0]
    # What a server answers to other messages than a call is no work of the tool.
    calls = [call for call in exploration.calls if not isinstance(call.plan.disturbance, ProtocolStimulus)]
    if declaration.kind == "server":
        return None  # it is asked for nothing that could succeed
    if not calls:
        return _never_constructed(examination.target.spec, declaration)
    containment = examination.containment
    is_contained = containment is not None and containment.level != "none"
    if any(_did_something(call) for call in calls):
        return _succeeded_in_vain(examination)
    has_example = any(call.plan.kind is Kind.EXAMPLE for call in calls)
    if known := _refused_or_unimplemented(examination.target.spec, calls, is_contained=is_contained):
        return known
    network = _network(calls) if is_contained else None
    reason, remedy = _reason_and_remedy(network, declaration, calls, has_example=has_example)
    reason += _tried(calls)
    if is_contained and (perhaps := possibly_refused(text for call in calls for text in _texts(call))):
        reason, remedy = f"{reason} {perhaps}", "Copy the database there with `files`."
    answer = _commonest_answer(calls)
    variables = missing_variables(answer) if network is None else []
    if variables:
        also = "" if has_example else ", and a call that works"
        remedy = f"Give it the environment variable that it asks for{also}."
    offered = [] if has_example else [f"examples = [{_example(declaration)}]"]
    if variables:
        offered.append(_env(variables))
    elif declaration.constructor and (network is not None or (has_example and _services(declaration))):
        offered.append(_factories(_services(declaration) or ["client"]))
    elif has_example and network is None:
        offered.append(_FILES_OR_ENV)
    table = table_of(examination.target.spec)
    return UnreachedReport(reason, answer, remedy, "\n".join([table, *offered]) if offered else "")


def _tried(calls: Sequence[Call]) -> str:
    """What of the author's world was tried, as a sentence with a blank before it; empty where nothing was."""
    texts = [call.plan.arguments or "" for call in calls if call.plan.change.detail == KNOWN]
    if not texts:
        return ""
    shown = ", ".join(printable(text, 80) for text in texts[:_MOST_TRIED])
    more = f" and {len(texts) - _MOST_TRIED} more" if len(texts) > _MOST_TRIED else ""
    return f" Also tried in vain, with values that its refusals, descriptions and files, or a tool of its server that lists something, name: {shown}{more}."


def _refused_or_unimplemented(
    spec: str, calls: Sequence[Call], *, is_contained: bool
) -> UnreachedReport | None:
    """The report where the calls themselves say why none succeeded; None where they do not."""
    if is_contained and (refused := refused_to(calls)):
        return _refused(spec, refused, _commonest_answer(calls))
    return _other_method(spec, calls) if all(map(_is_not_implemented, calls)) else None


def _is_not_implemented(call: Call) -> bool:
    """Whether the method that was called says, as methods of .NET do, that it is only there for the interface."""
    return call.raised is not None and call.raised.type_name == "NotImplementedException"


def _other_method(spec: str, calls: Sequence[Call]) -> UnreachedReport:
    """The report on a tool of which another method works than the one that was called."""
    return UnreachedReport(
        reason="The method with the contract's parameters is not implemented: it raised NotImplementedException in every call.",
        said=_commonest_answer(calls),
        remedy="Name the method that production calls, with the types of its parameters, and what makes its context by `adapter`.",
        settings=f'{table_of(spec)}\nexecute = "ExecuteAsync(string, …)"',
    )


def missing_variables(message: str) -> list[str]:
    """The environment variables that a message calls missing."""
    if not _MISSING.search(message):
        return []
    return list(dict.fromkeys(_VARIABLE.findall(message)))[:_MOST_VARIABLES]


def _succeeded_in_vain(examination: Examination) -> UnreachedReport | None:
    """The report where each call that succeeded had tried the network in vain; else None."""
    worked = examination.successes_without_network
    if not worked:
        return None
    payloads = Counter(call.result.payload for call in worked if call.result and call.result.payload)
    spec = examination.target.spec
    hosts = list(dict.fromkeys(host for call in worked for host in _named_hosts(call)))
    return UnreachedReport(
        reason=f"The suite gives a tool no network, and its calls need one{_network(worked)}.",
        said=payloads.most_common(1)[0][0][:_LONGEST] if payloads else "",
        remedy="Open the hosts that it needs.",
        settings=f"{table_of(spec)}\nnetwork = {json.dumps(hosts or ['HOST:PORT'])}",
        in_vain=True,
    )


def _named_hosts(call: Call) -> list[str]:
    """Those whose address is known: where the kernel only counts, there is no address to open."""
    return [host for host in hosts_of(call) if ":" in host]


def refused_to(calls: Sequence[Call]) -> tuple[Refused, ...]:
    """The files and sockets that the containment refused to some calls."""
    sockets = (host for call in calls for host in call.network if host.startswith("/"))
    return refused_in((text for call in calls for text in _texts(call)), sockets)


def refusals_of(call: Call, declaration: Declaration, containment: Containment | None) -> tuple[str, ...]:
    """A sentence for each thing that the containment refused to a call, or may have refused."""
    sentences = tuple(refused.sentence for refused in refused_to([call]))
    others = (possibly_refused(_texts(call)), _refused_network(call, declaration, containment))
    return (*sentences, *filter(None, others))


def _refused_network(call: Call, declaration: Declaration, containment: Containment | None) -> str:
    """A sentence where a contained call needed a network, with the line that helps; empty where it needed none."""
    if containment is None or containment.opens_network:
        return ""  # a host that was opened may refuse a connection itself
    needed = _network([call], who="it")
    if needed is None or call.plan.fault is not None:
        return ""
    reason = f"The suite gives a tool no network, and this call needs one{needed}"
    hosts = _named_hosts(call)
    if declaration.traits.has_servers:
        return f"{reason}: to open it, set network = {json.dumps(hosts or ['HOST:PORT'])}."
    if not declaration.constructor:
        return f"{reason}: let it be made with the client that it asks through, and make it with a stand-in here."
    return f"{reason}: for a stand-in, set {_factories(_services(declaration) or ['client'])}."


def _refused(spec: str, refused: Sequence[Refused], answer: str) -> UnreachedReport:
    """The report on a tool that was refused what its calls need."""
    paths = [refusal.path for refusal in refused if refusal.setting]
    lines = [table_of(spec), f"reads = {json.dumps(paths)}"]
    return UnreachedReport(
        reason=" ".join(refusal.sentence for refusal in refused),
        said=answer,
        remedy="Show it the files that it may read." if paths else "Give it a stand-in for what it needs.",
        settings="\n".join(lines) if paths else "",
    )


def _did_something(call: Call) -> bool:
    """Whether a call returned anything but a failed result."""
    return (
        call.outcome is Outcome.RETURNED and call.result is not None and call.result.successful is not False
    )


def _never_constructed(spec: str, declaration: Declaration) -> UnreachedReport | None:
    if not declaration.missing_services:
        return None
    names = ", ".join(printable(name, 60) for name in declaration.missing_services)
    return UnreachedReport(
        reason=f"It needs what the suite cannot make: {names}.",
        said="",
        remedy="Name a factory for each, which makes a stand-in without a network.",
        settings=f"{table_of(spec)}\n{_factories(declaration.missing_services)}",
    )


def _reason_and_remedy(
    network: str | None, declaration: Declaration, calls: Sequence[Call], *, has_example: bool
) -> tuple[str, str]:
    if network is not None:
        reason = f"The suite gives a tool no network, and its calls need one{network}."
        if _services(declaration):
            return reason, "Give its constructor a stand-in for what it asks."
        if declaration.constructor:
            return reason, "Let its constructor take the client that it asks through, and name a stand-in."
        return (
            reason,
            "Let it be made with the client that it asks through, and make it with a stand-in here.",
        )
    reason = _endings_sentence(calls, has_example=has_example)
    if all(call.outcome is Outcome.TIMED_OUT for call in calls):
        remedy = "Give it a stand-in for what it waits for, or a longer `timeout`."
        if not has_example:
            remedy = "Give a call that takes less, a stand-in for what it waits for, or a longer `timeout`."
    elif not has_example:
        remedy = "Give a call that works."
    elif _services(declaration):
        remedy = "Give it services that know what the examples ask for."
    else:
        remedy = "Give it what the examples need."
    return reason, remedy


def _endings_sentence(calls: Sequence[Call], *, has_example: bool) -> str:
    """How the calls ended, none of which succeeded, as a sentence."""
    which = (
        ", the author's examples included" if has_example else " that the suite could make from its schema"
    )
    counts = Counter(_ENDINGS.get(call.outcome, _LIMITED) for call in calls)
    if len(counts) == 1:
        return f"It {next(iter(counts))[0]} call{which}."
    *parts, last = [f"{ending} {count:,}" for (_, ending), count in counts.most_common()]
    return f"No call{which}{',' if has_example else ''} succeeded: it {', '.join(parts)} and {last}."


def _network(calls: Sequence[Call], who: str = "they") -> str | None:
    """The evidence that calls needed a network, as the end of a sentence; None where there is none."""
    hosts = list(dict.fromkeys(host for call in calls for host in hosts_of(call)))
    if hosts:
        more = f" and {len(hosts) - _MOST_HOSTS} more" if len(hosts) > _MOST_HOSTS else ""
        shown = ", ".join(printable(host, 80) for host in hosts[:_MOST_HOSTS])
        return f" ({who} tried to reach {shown}{more})"
    for call in calls:
        for text in _texts(call):
            match = NO_NETWORK.search(text[:20_000])
            if match:
                subject = "one" if who == "they" else who
                return f" ({subject} said: {printable(match.group(), 80)})"
    return None


def _texts(call: Call) -> Iterator[str]:
    """The texts that a call raised, logged, and gave in its errors."""
    if call.raised:
        yield f"{call.raised.type_name}: {call.raised.message}\n{call.raised.traceback}"
    for record in call.logs:
        yield f"{record.exception_type} {record.message}"
    yield from _errors(call)


def _errors(call: Call) -> Iterator[str]:
    if call.result is None:
        return
    texts = [call.result.error_message]
    texts += [text for error in call.result.errors for text in (error.message, error.details)]
    yield from (text for text in texts if text)


def _commonest_answer(calls: Iterable[Call]) -> str:
    """The most frequent answer to calls that the schema allows, else to any call."""
    every = [(call.plan.probe, text) for call in calls for text in [next(_texts_shown(call), "")] if text]
    proper = [text for probe, text in every if probe == "valid"]
    counts = Counter(proper or [text for _, text in every])
    return counts.most_common(1)[0][0][:_LONGEST] if counts else ""


def _texts_shown(call: Call) -> Iterator[str]:
    yield from _errors(call)
    if call.raised:
        yield f"{call.raised.type_name}: {call.raised.message}"


def _services(declaration: Declaration) -> list[str]:
    """The constructor's parameters that a project may supply: all but loggers."""
    params = (param for param in declaration.constructor if param.kind in ("positional", "keyword"))
    return [param.name for param in params if "logger" not in f"{param.name} {param.annotation}".lower()]


def _env(names: Iterable[str]) -> str:
    entries = ", ".join(f'{name} = "…"' for name in names)
    return f"env = {{ {entries} }}"


def _factories(names: Iterable[str]) -> str:
    entries = ", ".join(f'{written_key(name)} = "my_tests.stand_ins:make_{name}"' for name in names)
    return f"services = {{ {entries} }}"


def _example(declaration: Declaration) -> str:
    """The required arguments with a placeholder each, as an inline table."""
    schema, _ = usable_schema(declaration)
    required, properties = (schema or {}).get("required"), (schema or {}).get("properties")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    known = properties if isinstance(properties, Mapping) else {}
    pairs = (f"{written_key(name)} = {_placeholder(known.get(name))}" for name in names)
    members = ", ".join(pairs)
    return f"{{ {members} }}" if members else "{}"


def _placeholder(schema: Any) -> str:
    """A value for an argument: one that the schema lists, else one of its type."""
    if not isinstance(schema, Mapping):
        return '"…"'
    listed = schema.get("enum")
    if isinstance(listed, list) and listed and isinstance(listed[0], str):
        return json.dumps(listed[0], ensure_ascii=False)
    return _PLACEHOLDERS.get(str(schema.get("type")), '"…"')
