"""Reads records of the host protocol. On the wire, facts of one system are in a member with the name of that system."""

from collections.abc import Iterable, Mapping
from typing import Any

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model import Declaration, Facts, Result, SystemTraits
from aptix_conformance.core.model.codec import from_json, replace
from aptix_conformance.core.text import printable


def read_declaration(data: Any, systems: Iterable[SystemTraits]) -> Declaration:
    """Read the declaration of a tool of one of `systems`. A declaration without a system belongs to the first.

    Raises:
        RecordError: the declaration is invalid, or of another system.
    """
    known = {system.name: system for system in systems}
    if not isinstance(data, dict):
        raise RecordError(f"Declaration: an object was expected, not {printable(repr(data), 60)}")
    rest = dict(data)
    name = rest.pop("system", next(iter(known), None))
    if not isinstance(name, str) or name not in known:
        raise RecordError(
            f"Declaration.system: one of {', '.join(known)} was expected, not {printable(repr(name), 60)}"
        )
    facts = _facts(rest, {system.name: system.facts for system in known.values()}, "Declaration")
    declaration = replace(from_json(Declaration, rest), facts=facts.get(name), traits=known[name])
    if declaration.kind == "server" and not known[name].has_servers:
        raise RecordError(f"Declaration.kind: the system {name} has no servers")
    return declaration


def read_result(data: Any, systems: Iterable[SystemTraits], where: str) -> Result:
    """Read the result of a call.

    Raises:
        RecordError: the result is invalid; `where` begins the place in the message.
    """
    if not isinstance(data, dict):
        return from_json(Result, data, where)
    rest = dict(data)
    facts = _facts(rest, {system.name: system.result_facts for system in systems}, where)
    return replace(from_json(Result, rest, where), facts=next(iter(facts.values()), None))


def _facts(rest: dict[str, Any], kinds: Mapping[str, type[Facts] | None], where: str) -> dict[str, Facts]:
    """The facts of each system, by its name. They are removed from `rest`."""
    for name in ("facts", "traits"):
        if name in rest:
            raise RecordError(f"{where}: unknown member {name!r}")
    facts = {}
    for name, kind in kinds.items():
        value = rest.pop(name, None) if kind is not None else None
        if kind is not None and value is not None:
            facts[name] = from_json(kind, value, f"{where}.{name}")
    return facts
