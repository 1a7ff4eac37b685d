"""Probes plan calls of a tool; they neither make nor judge them."""

from typing import Final

from aptix_conformance.stimuli.probes.after_refusals import (
    AfterRefusalsProbe,
    RefusalsFirstProbe,
    WithoutRefusalsProbe,
)
from aptix_conformance.stimuli.probes.alone import AloneProbe
from aptix_conformance.stimuli.probes.broken_files import BrokenFilesProbe
from aptix_conformance.stimuli.probes.cancel import CancelProbe
from aptix_conformance.stimuli.probes.concurrent_updates import (
    AtOnceProbe,
    InReverseProbe,
    InTurnProbe,
    KeepingProbe,
)
from aptix_conformance.stimuli.probes.confined import ConfinedProbe
from aptix_conformance.stimuli.probes.context import ContextProbe
from aptix_conformance.stimuli.probes.defaults import DefaultsProbe
from aptix_conformance.stimuli.probes.extremes import ExtremesProbe
from aptix_conformance.stimuli.probes.fault import FaultProbe
from aptix_conformance.stimuli.probes.invalid import InvalidProbe
from aptix_conformance.stimuli.probes.malformed import MalformedProbe
from aptix_conformance.stimuli.probes.neighbours import NeighboursProbe
from aptix_conformance.stimuli.probes.other_conditions import OtherConditionsProbe
from aptix_conformance.stimuli.probes.other_hash_seed import OtherHashSeedProbe
from aptix_conformance.stimuli.probes.outage import OutageProbe
from aptix_conformance.stimuli.probes.pages import PagesProbe
from aptix_conformance.stimuli.probes.probe import Probe, Subject
from aptix_conformance.stimuli.probes.reading import ReadingProbe
from aptix_conformance.stimuli.probes.repeat import RepeatProbe
from aptix_conformance.stimuli.probes.statements import StatementsProbe
from aptix_conformance.stimuli.probes.valid import ValidProbe

PROBES: Final[tuple[Probe, ...]] = (
    ValidProbe(),
    ContextProbe(),
    MalformedProbe(),
    InvalidProbe(),
    RepeatProbe(),
    AloneProbe(),
    NeighboursProbe(),
    KeepingProbe(),
    InTurnProbe(),
    InReverseProbe(),
    AtOnceProbe(),
    AfterRefusalsProbe(),
    RefusalsFirstProbe(),
    WithoutRefusalsProbe(),
    PagesProbe(),
    DefaultsProbe(),
    OtherHashSeedProbe(),
    OtherConditionsProbe(),
    ReadingProbe(),
    ConfinedProbe(),
    CancelProbe(),
    FaultProbe(),
    OutageProbe(),
    BrokenFilesProbe(),
    ExtremesProbe(),
    StatementsProbe(),
)
"""The suite's probes in the order in which they run; later ones use the calls of earlier ones."""

__all__ = [
    "PROBES",
    "AfterRefusalsProbe",
    "AloneProbe",
    "AtOnceProbe",
    "BrokenFilesProbe",
    "CancelProbe",
    "ConfinedProbe",
    "ContextProbe",
    "DefaultsProbe",
    "ExtremesProbe",
    "FaultProbe",
    "InReverseProbe",
    "InTurnProbe",
    "InvalidProbe",
    "KeepingProbe",
    "MalformedProbe",
    "NeighboursProbe",
    "OtherConditionsProbe",
    "OtherHashSeedProbe",
    "OutageProbe",
    "PagesProbe",
    "Probe",
    "ReadingProbe",
    "RefusalsFirstProbe",
    "RepeatProbe",
    "StatementsProbe",
    "Subject",
    "ValidProbe",
    "WithoutRefusalsProbe",
]
