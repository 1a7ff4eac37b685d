"""What a rule says of the causes of its findings (`Rule.differs_by`), for whatever test sees findings."""

from typing import Final

ALWAYS_ONE: Final = {
    "ARG003": "of the texts that are no JSON and not blank, only those of the kind `garbage` have to be refused",
    "ARG004": "all its calls have the change `root`, which is of no argument",
    "RES018": "it asks whether CTX005 finds something, whose causes are not its own",
}
"""The rules that give each finding the same cause, so that nothing makes two of them different, and why."""


def says_nothing_of(rule, causes):
    """Those of some causes of a rule's findings of which the rule does not say what they are."""
    return [] if rule.differs_by or rule.code in ALWAYS_ONE else [cause for cause in causes if cause]
