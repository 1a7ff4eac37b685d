"""The probes of a run: the suite's, and third parties' from entry points."""

from collections.abc import Iterable
from importlib.metadata import EntryPoint
from typing import Final

from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.extension import loaded
from aptix_conformance.stimuli.probes import PROBES
from aptix_conformance.stimuli.probes.probe import Probe

ENTRY_POINTS: Final = "aptix_conformance.probes"
"""The group of entry points for third parties' probes; each names a `Probe` instance."""


def all_probes(others: Iterable[EntryPoint] | None = None) -> tuple[Probe, ...]:
    """All probes in the order in which they run. Third parties' probes come last and see the calls of the suite's.

    Raises:
        ContractDataError: an entry point cannot be loaded, names no probe, or one whose name is taken.
    """
    probes: dict[str, Probe] = {probe.name: probe for probe in PROBES}
    for described, probe in loaded(ENTRY_POINTS, others):
        if isinstance(probe, type) or not isinstance(probe, Probe):
            raise ContractDataError(f"{described} gives {probe!r}; it should name a probe.")
        if probes.setdefault(probe.name, probe) is not probe:
            raise ContractDataError(f"{described}: there is a probe {probe.name} already")
    return tuple(probes.values())
