"""Stimuli for tests, written as people read them: `stimulus("invalid", "type:count:string", arguments, context)`."""

from aptix_conformance.model import Stimulus
from aptix_conformance.model.labels import read_label


def stimulus(probe, label, arguments, context, demand="either", disturbance=None, expected=None):
    """The stimulus that a label tells of."""
    change = read_label(label, disturbance)
    return Stimulus(probe, change, arguments, context, demand, disturbance, expected)
