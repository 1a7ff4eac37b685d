"""Calls with arguments that were changed, for tests of the rules on arguments."""

from tests.unit.rules import builders as b


def invalid(label, result=None, demand="refused", arguments="{}", **changes):
    return b.call(label, arguments, "invalid", demand, result, **changes)


def emitted(**changes):
    """The declaration of the model tool with some members of its parameters replaced; None takes one away."""
    return b.declaration(b.parameters(**changes))


KINDS = {
    "ARG006": ["missing:name"],
    "ARG007": ["null:name"],
    "ARG008": ["type:name:object"],
    "ARG009": ["enum:mood", "const:mood"],
    "ARG010": ["bounds:count:maximum", "length:name:minLength"],
}
LABELS = [label for labels in KINDS.values() for label in labels] + ["combined:null:name+enum:mood"]
