"""Repeated calls whose identifiers differ, for tests of the rules that compare them."""

import json

from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.stimuli.probes.alone import LEAST


def own(number):
    return {"sessionId": f"c0ffee01{number:024x}", "conversationId": f"c0ffee02{number:024x}"}


def repeated(*calls, probe="repeat"):
    """The exploration of calls given as (label, arguments, payload); each has identifiers of its own."""
    made = []
    for number, (label, arguments, given) in enumerate(calls):
        ids = own(number)
        context = {
            "session_id": ids["sessionId"],
            "request": {"conversation_id": ids["conversationId"], "session_id": ids["sessionId"]},
        }
        body = b.failure("Busy.") if given is None else b.success({**ids, **given})
        made.append(b.call(label, json.dumps(arguments), probe, "either", body, context=context))
    return Exploration((b.declaration(),), tuple(made))


def controlled(*calls):
    """The same, and each call made alone is made again by the probe alone, with the same result."""
    controls = [call for call in calls if call[0].startswith("same:")] * (LEAST // 2)
    both = (repeated(*calls), repeated(*controls, probe="alone"))
    return Exploration((b.declaration(),), tuple(call for each in both for call in each.calls))
