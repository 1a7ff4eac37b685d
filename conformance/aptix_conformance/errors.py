"""The suite's exceptions. A message says what is wrong, where, and what to do.

None of these is a finding against a tool. A fault of the suite, of its configuration or of a host's start is
reported as such: it fails the run, not the tool.
"""

import traceback


class ConformanceError(Exception):
    """The base class of the suite's exceptions; catch it only at the outermost level."""


class ConfigurationError(ConformanceError):
    """A key, value or option of the suite is unknown or wrong; the message names it and the nearest valid one."""


class ContainmentError(ConfigurationError):
    """The run requires more containment than the machine or the project's configuration gives a tool."""


class SpecError(ConfigurationError):
    """A target spec that does not follow the grammar `[system:]locator`."""


class TargetError(ConformanceError):
    """A target spec that follows the grammar but cannot be resolved: the module, class or tool does not exist."""


class ContractDataError(ConformanceError):
    """`clauses.yaml` contradicts itself, or a rule or edition refers to an entry that does not exist."""


class RecordError(ConformanceError):
    """JSON that does not have the expected format; the message names the place inside the document."""


class SlowTargetError(TargetError):
    """A tool did not answer in time while it was loaded or read."""


class UnlistedError(TargetError):
    """What offers a tool does not list it: it never did, or it does not any more."""


class HostError(ConformanceError):
    """A host could not be started or kept running, and the tool under test did not cause it."""


class DeadlineError(HostError):
    """The deadline of the run was reached, so that a tool was not examined, or not to the end."""


class ProtocolError(HostError):
    """A host sent something that the host protocol does not allow."""


class ReportError(ConformanceError):
    """A report that is missing, truncated or of another format, or that lacks the requested entry."""


class BaselineError(ConformanceError):
    """A baseline that is missing, malformed, or of another format, or that cannot be written."""


class CertificateError(ConformanceError):
    """A file that is no certificate, key, policy or list of revocations, or that cannot be written."""


def own_fault(error: Exception) -> HostError:
    """A `HostError` for an internal error of the suite, with the traceback that its authors need."""
    trace = "".join(traceback.format_exception(error)[-4:])
    return HostError(
        f"the suite failed while examining the tool; the tool is not at fault; please report this:\n{trace}"
    )
