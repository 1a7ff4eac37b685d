"""Calls of the model tool and explorations of them, for tests of rules."""

from tests.stimuli import read_disturbance
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Disturbed, Exploration
from aptix_conformance.core.model.codec import replace


def explored(*calls, declared=None):
    return Exploration((declared or b.declaration(),), calls)


def context(session=None, conversation=None, inner=None):
    return {"session_id": session, "request": {"conversation_id": conversation, "session_id": inner}}


def given(payload, session=None, conversation=None, inner=None, arguments="{}"):
    return b.call(
        arguments=arguments, context=context(session, conversation, inner), result=b.success(payload)
    )


def disturbed(call, disturbance, **seen):
    plan = replace(call.plan, disturbance=read_disturbance(disturbance))
    return replace(call, plan=plan, disturbed=Disturbed(**{"reached": True, **seen}))
