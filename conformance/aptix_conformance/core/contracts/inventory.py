"""The loader of `clauses.yaml`, of the files beside it and of those in the systems' folders, which have the same form.

Levels live in the file: a clause has one, and an edition may say another. A rule's level in an edition is the
strongest of its clauses' there. A tool that has a contract of its own may be exempt from clauses by it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, Literal

import yaml

from aptix_conformance.core.errors import ConfigurationError, ContractDataError, RecordError
from aptix_conformance.core.model.codec import from_json
from aptix_conformance.core.model.verdict import Level

ClauseKind = Literal["static", "dynamic", "heuristic", "harness", "process", "open"]


_FIRST: Final = "clauses.yaml"
_SYSTEMS: Final = "aptix_conformance.systems"
"""A system's folder there may have a file of that name, too."""


def strongest(levels: Iterable[Level]) -> Level:
    """The strongest of some levels; MAY where there are none."""
    return max(levels, key=lambda level: level.strength, default=Level.MAY)


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative statement of a contract document."""

    id: str
    level: Level
    kind: ClauseKind
    text: str
    why: str | None = None
    """Why it cannot be checked by a machine, for clauses of the kind `open`."""
    pending: str | None = None
    """Why nothing proves it yet, although something could."""
    rules: tuple[str, ...] = ()
    """Shared rules that prove it and do not cite it themselves, by their codes."""

    @property
    def document(self) -> str:
        """The document that it is of."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Edition:
    """A dated set of documents, with a level for each of their clauses."""

    name: str
    documents: tuple[str, ...]
    system: str
    levels: Mapping[str, Level]
    adopted: frozenset[str] = frozenset()
    """Rules that no clause demands and that still bind here: codes of the suite's own rules."""
    advised: frozenset[str] = frozenset()
    """Rules of other systems' contracts, on what this one's are silent about, as good practice: the codes."""

    def binds(self, clause: str) -> bool:
        """Whether the clause belongs to a document of this edition."""
        return clause in self.levels

    def level(self, clauses: Iterable[str]) -> Level | None:
        """The strongest level of those of `clauses` that are in force here; None where none is."""
        levels = [self.levels[clause] for clause in clauses if clause in self.levels]
        return strongest(levels) if levels else None


@dataclass(frozen=True, slots=True)
class OwnContract:
    """A tool that has a contract of its own, and what that contract exempts it from."""

    tool: str
    document: str
    exempt: frozenset[str]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The whole of `clauses.yaml`."""

    clauses: Mapping[str, Clause]
    editions: Mapping[str, Edition]
    own_contracts: Mapping[str, OwnContract]

    def edition(self, name: str) -> Edition:
        """The edition of that name.

        Raises:
            ConfigurationError: there is no such edition; the message lists those that exist.
        """
        try:
            return self.editions[name]
        except KeyError:
            raise ConfigurationError(
                f"unknown edition {name!r}: one of {', '.join(sorted(self.editions))}"
            ) from None

    def default_edition(self, system: str) -> Edition:
        """The first edition that the file lists for a system.

        Raises:
            ContractDataError: the system has none.
        """
        for edition in self.editions.values():
            if edition.system == system:
                return edition
        raise ContractDataError(f"clauses.yaml has no edition for the system {system!r}")

    def exemption(self, tool: str, clauses: Iterable[str]) -> str | None:
        """The document that exempts a tool from all of `clauses`, or None."""
        own = self.own_contracts.get(tool)
        cited = set(clauses)
        return own.document if own and cited and cited <= own.exempt else None


@cache
def load() -> Inventory:
    """The inventory that is shipped with the package.

    Raises:
        ContractDataError: the file contradicts itself.
    """
    folder = resources.files(__package__)
    inventory = parse(folder.joinpath(_FIRST).read_text(encoding="utf-8"))
    beside = [file for file in folder.iterdir() if file.name.endswith(".yaml") and file.name != _FIRST]
    systems = [system.joinpath(_FIRST) for system in resources.files(_SYSTEMS).iterdir() if system.is_dir()]
    for file in sorted((*beside, *filter(lambda file: file.is_file(), systems)), key=str):
        inventory = extended(inventory, file.read_text(encoding="utf-8"), str(file))
    return inventory


def extended(inventory: Inventory, text: str, source: str) -> Inventory:
    """An inventory with the contracts of another text in the form of `clauses.yaml`; `source` is whose text it is.

    Raises:
        ContractDataError: the text contradicts itself, or has a name that the inventory has.
    """
    try:
        other = parse(text)
    except (ContractDataError, RecordError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise ContractDataError(f"the contracts of {source}: {type(error).__name__}: {error}") from error
    for name in ("clauses", "editions", "own_contracts"):
        for key in getattr(other, name):
            if key in getattr(inventory, name):
                raise ContractDataError(f"the contracts of {source}: {key!r} stands under {name} already")
    return Inventory(
        {**inventory.clauses, **other.clauses},
        {**inventory.editions, **other.editions},
        {**inventory.own_contracts, **other.own_contracts},
    )


def parse(text: str) -> Inventory:
    """Read the text of a clause inventory.

    Raises:
        RecordError: a clause has another form.
        ContractDataError: an id is used twice, or something names a document or clause that is not there.
    """
    data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    documents: dict[str, Any] = data["documents"]
    clauses: dict[str, Clause] = {}
    for clause in from_json(list[Clause], data["clauses"], "clauses"):
        if clause.id in clauses:
            raise ContractDataError(f"clauses.yaml has the clause {clause.id} twice")
        if clause.document not in documents:
            raise ContractDataError(f"clauses.yaml: {clause.id} is of no document listed there")
        clauses[clause.id] = clause
    return Inventory(
        clauses=clauses,
        editions={
            name: _edition(name, entry, documents, clauses, data.get("practice", {}))
            for name, entry in data["editions"].items()
        },
        own_contracts={
            tool: _own_contract(tool, entry, documents, clauses)
            for tool, entry in data.get("own_contracts", {}).items()
        },
    )


def _edition(
    name: str,
    entry: Mapping[str, Any],
    documents: Mapping[str, Any],
    clauses: Mapping[str, Clause],
    practice: Mapping[str, Mapping[str, list[str]]],
) -> Edition:
    for document in entry["documents"]:
        if document not in documents:
            raise ContractDataError(f"clauses.yaml: the edition {name} names the unknown document {document}")
    _known(f"the edition {name}", entry["levels"], clauses)
    absent = frozenset(entry.get("not_in_force", ()))
    _known(f"the edition {name}", absent, clauses)
    levels = {
        c.id: c.level for c in clauses.values() if c.document in entry["documents"] and c.id not in absent
    }
    levels.update({clause: Level(level) for clause, level in entry["levels"].items()})
    system = documents[entry["documents"][0]]["system"]
    known = practice.get(system, {})
    return Edition(
        name=name,
        documents=tuple(entry["documents"]),
        system=system,
        levels=levels,
        adopted=frozenset(known.get("adopts", ())),
        advised=frozenset(known.get("advises", ())),
    )


def _own_contract(
    tool: str, entry: Mapping[str, Any], documents: Mapping[str, Any], clauses: Mapping[str, Clause]
) -> OwnContract:
    if entry["document"] not in documents:
        raise ContractDataError(f"clauses.yaml: {tool} names the unknown document {entry['document']}")
    _known(f"the contract of {tool}", (*entry.get("exempt", ()), *entry.get("clauses", ())), clauses)
    return OwnContract(tool=tool, document=entry["document"], exempt=frozenset(entry.get("exempt", ())))


def _known(where: str, ids: Iterable[str], clauses: Mapping[str, Clause]) -> None:
    for clause in ids:
        if clause not in clauses:
            raise ContractDataError(f"clauses.yaml: {where} names the unknown clause {clause}")
