"""Makes one call of a tool."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .detection_attempts import looks
from .disturbance import Disturbance
from .foreign import format_error
from .logger import RecordingLogger
from .network import take_attempts
from .process_state import ProcessState
from .raised import record_exception
from .subject import Subject

Record = Callable[[dict[str, Any]], None]
"""Takes the members of a `LogRecord`."""


class Request(NamedTuple):
    """The inputs of one call.

    `arguments` is the text for the tool, `source` a `CancellationTokenSource` (`contract.make_source`), and `record`
    receives the log records of the tool.
    """

    arguments: str | None
    context: Any
    source: Any
    record: Record


async def execute(
    subject: Subject,
    request: Request,
    *,
    disturbance: Disturbance | None = None,
    passing: tuple[type[BaseException], ...] = (),
) -> dict[str, Any]:
    """Make one call with a new instance. Whatever the tool does, the result is the members of a `Call`.

    Raises:
        BaseException: of the types in `passing` only.
    """
    if subject.missing:
        return {"outcome": "not_constructed", "incident": subject.fault}
    disturbance = disturbance or Disturbance()
    arguments, context, source, record = request
    take_attempts()  # those of earlier calls' background work
    state = ProcessState()

    def wrap_service(name: str, service: object) -> object:
        state.note()  # what the author's factory has changed is not the tool's doing
        return disturbance.wrap_service(name, service)

    try:
        tool = subject.create(RecordingLogger(record), wrap_service)
    except passing:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises is data
        return _not_constructed(error)
    answer: dict[str, Any] = {}
    disturbance.note_instance(tool)
    try:
        returned, awaited = await disturbance.run(lambda: tool.execute(arguments, context, source.token))
        answer.update(outcome="returned", result={**subject.read(tool, returned), "awaited": awaited})
    except passing:
        raise
    except BaseException as error:  # noqa: BLE001 - as above
        answer.update(outcome="raised", raised=record_exception(error))
    answer["token_consultations"] = source.token.consultations
    answer["disturbed"] = disturbance.disturbed()
    answer["network"] = take_attempts()
    answer["looks"] = looks()
    answer["left_changed"] = state.left_changed()
    return answer


def _not_constructed(error: BaseException) -> dict[str, Any]:
    return {
        "outcome": "not_constructed",
        "incident": f"making an instance raised {format_error(error)}",
        "raised": record_exception(error),
        "network": take_attempts(),
        "looks": looks(),
    }
