"""The result of a call: a value or errors, never an exception."""

from dataclasses import dataclass
from typing import Generic, Self, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResultError:
    """One reason why a call failed (C#: `ErrorMessage`).

    Attributes:
        message: what went wrong, for a person or a model to read.
        code: a stable word for programs, such as `INVALID_ARGUMENTS`; None where there is none.
        details: further text; shown to the model too, so never a stack trace (TUL-011.3.5).
    """

    message: str
    code: str | None = None
    details: str | None = None


def join_messages(errors: tuple[ResultError, ...]) -> str | None:
    """Return the messages of `errors` as one text, or None if there are none."""
    return "; ".join(error.message for error in errors) if errors else None


@dataclass(frozen=True, slots=True)
class InvokeResult(Generic[T]):
    """The outcome of a call (C#: `InvokeResult<T>`; TUL-011.3.2, AGN-005.4.1).

    Make one with `create` or `from_error`; for a tool `T` is `str`, and `result` is the text of a JSON document.

    Attributes:
        successful: whether the call did what it was asked to do.
        result: the value of a successful call, None otherwise.
        errors: the reasons of a failed call, empty otherwise.
    """

    successful: bool
    result: T | None = None
    errors: tuple[ResultError, ...] = ()

    @classmethod
    def create(cls, value: T) -> Self:
        """Return a successful result that holds `value` (C#: `InvokeResult<T>.Create`)."""
        return cls(successful=True, result=value)

    @classmethod
    def from_error(cls, message: str, code: str | None = None, details: str | None = None) -> Self:
        """Return a failed result with one error (C#: `InvokeResult<T>.FromError`; AGN-005.9.1)."""
        return cls(successful=False, errors=(ResultError(message, code, details),))

    @property
    def error_message(self) -> str | None:
        """The messages of all errors as one text; None if there are no errors (C#: `ErrorMessage`)."""
        return join_messages(self.errors)
