"""The contract of toys, and the rules that prove it."""

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.rules import Finding, rule

CLAUSES = """
documents:
  TOY: {system: toy}
editions:
  toy-1: {documents: [TOY], levels: {}}
practice:
  toy: {adopts: [RES007], advises: []}
clauses:
- {id: TOY.1, level: MUST, kind: static, text: "a toy says what it is for"}
- {id: TOY.2, level: MUST, kind: dynamic, text: "a toy that refuses a call says why"}
"""


@rule("ACME-TOY001", "TOY.1", remedy="Write a description into the file.")
def toy_says_what_it_is_for(declaration: Declaration) -> Finding | None:
    """A toy has a description.

    Nobody plays with what nobody understands.
    """
    return None if declaration.usage_text.value else Finding("The file has no description.")


@rule(
    "ACME-TOY002",
    "TOY.2",
    when=lambda call: call.refused,
    unseen_reason="no call was refused",
    remedy='Give the answer a text under "refuse".',
)
def refusal_says_why(call: Call) -> Finding | None:
    """A toy that refuses a call says why."""
    errors = call.result.errors if call.result else ()
    return None if any(error.message for error in errors) else Finding("A call was refused without a word.")
