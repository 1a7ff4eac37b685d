"""The probe `capitals`: a call that worked, once more with its texts in capitals."""

import json

from aptix_conformance.core.model import Change, Kind
from aptix_conformance.stimuli.probes import Probe
from aptix_conformance.stimuli.probes.planning import plan, succeeded


class CapitalsProbe(Probe):
    """One call for each that worked, three at the most."""

    name = "capitals"

    def fixed(self, subject, calls):
        for number, arguments in enumerate(list(succeeded(calls))[:3], start=1):
            loud = {
                name: value.upper() if isinstance(value, str) else value for name, value in arguments.items()
            }
            change = Change(Kind.CUSTOM, detail=f"capitals:{number}")
            yield plan(subject, self.name, change, json.dumps(loud))


CAPITALS = CapitalsProbe()
