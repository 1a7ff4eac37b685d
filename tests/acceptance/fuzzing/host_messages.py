"""What a host sends, read as the parent reads it: a process of a tool whose other end is the fuzzer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

from tests.acceptance.fuzzing.trial import NotRefusedWellError

from aptix_conformance.core.errors import HostError, ProtocolError, TargetError
from aptix_conformance.core.model import Change, Kind, Outcome, Output, Raised, Stimulus
from aptix_conformance.core.model.codec import to_json
from aptix_conformance.hosts import protocol
from aptix_conformance.hosts.host import Environment
from aptix_conformance.hosts.scratch import ToolDirectory
from aptix_conformance.hosts.supervisor import Ending, Exchange, Supervised
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.systems.registry import installed
from aptix_conformance.targets import Target, ToolSettings

_NAME: Final = "the host of tool"
_LONGEST_REFUSAL: Final = 5_000
_LOADED: Final = protocol.Answer(1, result={"capabilities": [], "tools": []})
_RETURNED: Final = protocol.Answer(
    1, result={"outcome": "raised", "raised": to_json(Raised("ValueError", "x", "Traceback …"))}
)


class _Answers:
    """Stands for a supervised process: it answers `initialize` well, and everything else with one line."""

    def __init__(self, line: bytes) -> None:
        self.ended = False
        self._line = line

    def exchange(
        self,
        method: str,
        _params: Any,
        _timeout: float,
        _fds: Sequence[int] = (),
        *,
        idle_timeout: float = 0.0,
        is_call: bool = False,
    ) -> Exchange:
        """The answer, or the ending that a violation of the protocol leads to."""
        message: protocol.Answer | protocol.Event = _LOADED
        if method != "initialize":
            try:
                message = protocol.read(self._line, _NAME)
            except ProtocolError as error:
                return Exchange(None, Ending(Outcome.CRASHED, str(error)), (), Output(), Output(), 0.0)
        if isinstance(message, protocol.Event):
            return Exchange(_RETURNED, None, (message,), Output(), Output(), 0.0)
        return Exchange(message, None, (), Output(), Output(), 0.0)

    def close(self) -> None:
        """End."""
        self.ended = True


class _Origin:
    ended = False
    services = None

    def __init__(self, line: bytes) -> None:
        self._line = line

    def spawn(self, _name: str, _abandon: Callable[[], None]) -> tuple[Supervised, ToolDirectory]:
        """The process that is none."""
        place = ToolDirectory(Path("scratch"), lambda: None, lambda: None)
        return cast("Supervised", _Answers(self._line)), place

    def collect_coverage(self) -> None:
        """Nothing is measured."""


def read_answer(data: bytes, scratch: Path) -> bool:
    """Read the line as a declaration and as the answer to calls; whether it is accepted as one of them."""
    registry = installed()
    target = Target("tools:Tool", "aptix", "tools", "Tool")
    environment = Environment(scratch, (), systems=registry.traits)
    line = data.replace(b"\n", b" ")

    def process() -> ToolProcess:
        return ToolProcess(_Origin(line), target, ToolSettings(), environment)

    accepted = False
    try:
        process().describe(1.0)
        accepted = True
    except (TargetError, HostError) as error:
        _check(str(error))
    plan = Stimulus("valid", Change(Kind.MINIMAL), "{}", None)
    for calls in (
        [lambda one: (one.execute(plan, 1.0),)],
        [lambda one: one.execute_together((plan, plan), 1.0)],
    ):
        try:
            made = [call for make in calls for call in make(process())]
        except HostError as error:
            _check(str(error))
        else:
            accepted = accepted or all(call.outcome in (Outcome.RETURNED, Outcome.RAISED) for call in made)
            for call in made:
                _check(call.incident or "-")
    return accepted


def _check(text: str) -> None:
    if not text or len(text) > _LONGEST_REFUSAL:
        raise NotRefusedWellError(f"the refusal has {len(text)} characters: {text[:300]!r}")
