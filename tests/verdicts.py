"""Verdicts and findings for tests: only what a test is about has to be named."""

from aptix_conformance.core.model.report import FindingReport, VerdictReport
from aptix_conformance.core.model.verdict import Level, VerdictKind


def finding(message, call=None, history=(), *, reproduced=True, **members):
    """A finding without a command that reproduces it."""
    return FindingReport(message, call, history, reproduced=reproduced, replay="", **members)


def verdict(rule="ARG001", kind=VerdictKind.PASS, level=Level.MUST, *, findings=(), **members):
    """A verdict without observations."""
    first, *further = findings or (None,)
    known = {"observations": 0, "reason": "", **members}
    return VerdictReport(rule, "a-rule", level, (), kind, finding=first, further=tuple(further), **known)
