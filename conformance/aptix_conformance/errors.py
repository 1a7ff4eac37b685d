"""Every error of the suite's own. A message says what was wrong, where, and what to do.

None of these is ever a finding against a tool: a fault of the suite, of its configuration or of a host's
start-up is reported as such and fails the run, not the tool.
"""

import traceback


class ConformanceError(Exception):
    """The base of all of them; catch this at the outermost edge only."""


class ConfigurationError(ConformanceError):
    """A key, value or option of ours is unknown or wrong; names it and the nearest valid one."""


class SpecError(ConfigurationError):
    """A target spec that does not follow the grammar `[system:]locator`."""


class TargetError(ConformanceError):
    """A target that follows the grammar but cannot be resolved: no such module, class or tool in it."""


class ContractDataError(ConformanceError):
    """`clauses.yaml` contradicts itself, or something cites a clause or edition that it does not have."""


class RecordError(ConformanceError):
    """JSON that should be a record of ours and is not; names the place inside the document."""


class HostError(ConformanceError):
    """A host could not be started or kept running, through no fault of the tool under test."""


class ProtocolError(HostError):
    """A host said something that the host protocol does not allow."""


class ReportError(ConformanceError):
    """A report that is missing, truncated, of another format, or has no such entry."""


def own_fault(error: Exception) -> HostError:
    """A fault of the suite's own, with what its authors need to find it."""
    trace = "".join(traceback.format_exception(error)[-4:])
    return HostError(
        f"the suite failed in examining it, which is no fault of the tool; please report this:\n{trace}"
    )
