"""The suite's exceptions. A message says what is wrong, where, and what to do.

None of these is a finding against a tool. A fault of the suite, of its configuration or of a host's start is
reported as such: it fails the run, not the tool.
"""

import errno
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

UNEXAMINED: Final = "not examined: "
"""The beginning of the error of a tool that the run left out, or did not examine to the end."""
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
_LONGEST: Final = 300
"""Characters of an unexpected exception's text that are said."""
_FRAMES: Final = 8
"""Entries of its traceback that are kept, the innermost."""


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


class UncompiledError(TargetError):
    """The sources that a target names do not compile."""


class ContractDataError(ConformanceError):
    """`clauses.yaml` contradicts itself, or a rule or edition refers to an entry that does not exist."""


class RecordError(ConformanceError):
    """JSON that does not have the expected format; the message names the place inside the document."""


class SlowTargetError(TargetError):
    """A tool did not answer in time while it was loaded or read."""


class HungImportError(TargetError):
    """A module was still being imported when the time for that was over."""


class SetupError(TargetError):
    """A call could not be made, because what the tool's code needs is missing from its set-up."""


class UnlistedError(TargetError):
    """What offers a tool does not list it: it never did, or it does not any more."""


class HostError(ConformanceError):
    """A host could not be started or kept running, and the tool under test did not cause it."""


class DeadlineError(HostError):
    """The deadline of the run was reached, so that a tool was not examined, or not to the end."""


class ShortageError(ConformanceError):
    """This machine has too little left for an examination: space, open files or processes; the message names what."""

    @classmethod
    def full(cls, place: str) -> Self:
        """No space is left where `place` is. Of a folder of the suite's own, the one that it is in is named."""
        folder = place.partition("/aptix-")[0] or "/"
        return cls(
            f"{UNEXAMINED}no space is left in {folder}: free some, or name another folder for temporary files by TMPDIR"
        )

    @classmethod
    def behind(cls, error: BaseException | None) -> Self | None:
        """The error that a full disk is behind another one; None where that has another cause."""
        while error is not None:
            if isinstance(error, cls):
                return error
            if isinstance(error, OSError) and error.errno in _FULL:
                return cls.full(str(error.filename or ""))
            error = error.__cause__ or error.__context__
        return None


class ProtocolError(HostError):
    """A host sent something that the host protocol does not allow."""


class ReportError(ConformanceError):
    """A report that is missing, truncated or of another format, or that lacks the requested entry."""


class BaselineError(ConformanceError):
    """A baseline that is missing, malformed, or of another format, or that cannot be written."""


class CertificateError(ConformanceError):
    """A file that is no certificate, key, policy or list of revocations, or that cannot be written."""


class HarnessError(HostError):
    """The suite itself failed: what it was doing, that in one line, and the traceback that its authors need."""

    def __init__(self, phase: str, message: str, trace: str = "") -> None:
        super().__init__(phase, message, trace)
        self.phase, self.message, self.trace = phase, message, trace

    def __str__(self) -> str:
        """The line."""
        return self.message

    @property
    def with_traceback_text(self) -> str:
        """The line, and the traceback below it."""
        return f"{self.message}\n{self.trace}".rstrip()


def own_fault(error: Exception, phase: str = "examining the tool") -> HarnessError:
    """A harness error for an unexpected exception, or for a host that could not be had, while the suite did something."""
    if isinstance(error, HarnessError):
        return error
    is_known = isinstance(error, ConformanceError)
    text = " ".join(str(error).split())
    cause = text if is_known else f"{type(error).__name__}: {text}"
    advice = "" if is_known else "; please report this with its traceback"
    message = (
        f"harness error: the suite failed while {phase}: {cause[:_LONGEST]}; the tool is not at fault{advice}"
    )
    trace = "" if is_known else "".join(traceback.format_exception(error)[-_FRAMES:])
    return HarnessError(phase, message, trace)


@contextmanager
def harness_phase(phase: str) -> Iterator[None]:
    """Name what the suite does inside, for an unexpected exception.

    Raises:
        HarnessError: in place of that.
    """
    try:
        yield
    except ConformanceError:
        raise
    except Exception as error:
        raise own_fault(error, phase) from error
