"""The registry of systems: those of this distribution, and third parties' from entry points."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final

from aptix_conformance.core.contracts import Inventory
from aptix_conformance.core.contracts import extended as extended_contracts
from aptix_conformance.core.contracts import load as load_contracts
from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.extension import loaded
from aptix_conformance.core.model import SystemTraits
from aptix_conformance.rules.lib.kernel import CODE, Rule, rules_in
from aptix_conformance.systems.ai_sdk.profile import PROFILE as AI_SDK
from aptix_conformance.systems.amplifier.profile import PROFILE as AMPLIFIER
from aptix_conformance.systems.aptix.profile import PROFILE as APTIX
from aptix_conformance.systems.art.profile import PROFILE as ART
from aptix_conformance.systems.host.profile import PROFILE as HOST
from aptix_conformance.systems.langchain.profile import PROFILE as LANGCHAIN
from aptix_conformance.systems.mcp.profile import PROFILE as MCP
from aptix_conformance.systems.openai_agents.profile import PROFILE as OPENAI_AGENTS
from aptix_conformance.systems.profile import Runtime, SystemProfile
from aptix_conformance.systems.pydantic_ai.profile import PROFILE as PYDANTIC_AI
from aptix_conformance.targets import Settings, load_settings
from aptix_conformance.targets.spec import SpecTable

ENTRY_POINTS: Final = "aptix_conformance.systems"
"""The group of entry points by which others add systems: each names a `SystemProfile`."""

BUILT_IN: Final[tuple[SystemProfile, ...]] = (
    APTIX,
    AMPLIFIER,
    ART,
    MCP,
    LANGCHAIN,
    OPENAI_AGENTS,
    PYDANTIC_AI,
    AI_SDK,
    HOST,
)
"""Target specs of the first system need no prefix."""


@dataclass(frozen=True)
class SystemRegistry:
    """All systems of a run, the default system first."""

    profiles: tuple[SystemProfile, ...] = BUILT_IN

    @cached_property
    def traits(self) -> tuple[SystemTraits, ...]:
        """The traits of the systems for hosts, probes and rules; a declaration that names no system is of the first."""
        return tuple(profile.traits for profile in self.profiles if profile.traits)

    @cached_property
    def specs(self) -> SpecTable:
        """How target specs are written.

        Raises:
            ContractDataError: two systems claim one prefix.
        """
        return SpecTable(tuple(runtime.spelling for profile in self.profiles for runtime in profile.runtimes))

    @cached_property
    def inventory(self) -> Inventory:
        """The contracts of all systems.

        Raises:
            ContractDataError: those of one contradict themselves or another's.
        """
        contracts = load_contracts()
        for profile in self.profiles:
            if profile.contracts:
                contracts = extended_contracts(contracts, profile.contracts, f"the system {profile.name}")
        return contracts

    def load_settings(self, pyproject: Path) -> Settings:
        """The configuration of a project, as `targets.load_settings` reads it.

        Raises:
            ConfigurationError: as there.
        """
        return load_settings(pyproject, self.specs, self.inventory.editions)

    def runtime(self, prefix: str) -> Runtime:
        """The runtime for the tools of a prefix.

        Raises:
            KeyError: there is no such prefix.
        """
        runtimes = (runtime for profile in self.profiles for runtime in profile.runtimes)
        return {runtime.spelling.prefix: runtime for runtime in runtimes}[prefix]


OURS: Final = SystemRegistry()
"""The systems of this distribution alone."""


def check_owner(rules: Iterable[Rule], described: str) -> None:
    """Refuse a third party's rule that has a code which a later rule of the suite may have.

    Args:
        rules: rules of a third party; those that it takes over from the suite do not count.
        described: the third party's entry point, for the message.

    Raises:
        ContractDataError: a code has no prefix, and its area is one of the suite's.
    """
    ours = {each.code: each for each in rules_in(part for profile in BUILT_IN for part in profile.rules)}
    areas = {area for profile in BUILT_IN for area, _ in profile.areas}
    for each in rules:
        parts = CODE.fullmatch(each.code)
        if parts and not parts["owner"] and parts["area"] in areas and ours.get(each.code) != each:
            raise ContractDataError(
                f"{described} gives the rule {each.code}, and the area {parts['area']} is the suite's, which may use that code "
                f"for a rule of its own: put a prefix of yours before it, such as ACME-{each.code}"
            )


def installed(others: Iterable[EntryPoint] | None = None) -> SystemRegistry:
    """The systems of this distribution, and those of the entry points installed or given, in the order of their names.

    Raises:
        ContractDataError: an entry point cannot be loaded, names no `SystemProfile`, or one whose name is taken, or
            whose rules have codes of the suite's (`check_owner`).
    """
    profiles = {profile.name: profile for profile in BUILT_IN}
    for described, value in loaded(ENTRY_POINTS, others):
        if not isinstance(value, SystemProfile):
            raise ContractDataError(f"{described} gives {value!r}; it should name a SystemProfile.")
        if profiles.setdefault(value.name, value) is not value:
            raise ContractDataError(f"{described}: there is a system {value.name} already")
        check_owner(rules_in(value.rules), described)
    return SystemRegistry(tuple(profiles.values()))
