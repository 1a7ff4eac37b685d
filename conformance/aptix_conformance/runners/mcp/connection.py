"""A connection with a server, whatever carries its messages; and the one over its standard input and output.

What arrives on standard output is lines of JSON, bounded, and neither side waits for the other.

One file, because what a line is and what a connection makes of it is decided together: which text is a message, which is kept, and
which is output of the server.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeGuard

from .family import waited_for_processor
from .starting import start

_CHUNK: Final = 65_536
_LONGEST_LINE: Final = 32 << 20
"""Bytes of one line of the server."""
_MOST_BYTES: Final = 128 << 20
"""Bytes of all its lines from one message to the server to the next."""
_GRACE: Final = 2.0
"""Seconds in which a server may end by itself, and again after it was asked to; no verdict depends on them."""
_LAST_WORDS: Final = 5.0
"""Seconds from the end of its standard output to that of the server; they decide on the message only."""
GENTLY: Final = 4.0
"""Seconds of its own time that a server gets to end where a verdict depends on it."""
_EXIT: Final = "exit status"
_PAUSE: Final = 0.1
"""Seconds between two looks at a server that is to end."""
_MOST_OTHERS: Final = 50
"""Messages that are kept beside one answer."""
_MOST_READS: Final = 1_000
"""Reads of what has arrived after a response; a server that never stops is then left alone until the next request."""
_LONGEST_OTHER: Final = 65_536
"""Characters of such a message; of a longer one its form is kept, without what is long in it."""
_LONGEST_PART: Final = 1_000
"""Characters of a part of a longer message that is kept."""

_SETTLED: Final = 0.1
"""Seconds in which a response may still come on a line of its own, after one that stands on a line with other text."""
_MOST_STARTS: Final = 20
"""Places of a line at which a message is looked for."""

_AT_ONCE: Final = {"PYTHONUNBUFFERED": "1"}
"""The output of a server in Python comes at once: else it comes 8 KiB later, in the midst of another call's answer."""

CALL: Final = "tools/call"
"""The method that calls a tool."""

Cancelled = Literal["notified", "closed", "not"]
"""How a request was cancelled: by a notification, or by closing its answer, so that nothing can come any more."""


class ServerEndedError(Exception):
    """The server cannot be asked any more; the text says why."""


class Message(NamedTuple):
    """One message of the server: its text, what it says, and the HTTP answer that brought it, where one did.

    The text is empty where an HTTP answer to a request brought no response.
    """

    text: str
    value: dict[str, Any]
    http: Mapping[str, Any] | None = None
    owner: int | None = None
    """The id of the request that it answers for sure: it came in the HTTP answer to that request."""


class Answer(NamedTuple):
    """The response to a request, and the other messages that came with it, in their order."""

    response: Message
    others: list[str]

    @property
    def result(self) -> Any:
        """The member `result`; None where there is none."""
        return self.response.value.get("result")


class Connection(ABC):
    """Numbers requests and finds their responses; a subclass says how messages are sent and how they arrive.

    Attributes:
        answers_all: whether each request is answered in some way, so that no second request has to show a silence.
        watched: the descriptor that can be read when something arrives between requests, or when the server has ended; None
            where there is none.
        schema: the inputSchema of the tool that is called, once it is known.
        unowed: the HTTP answer to the last line to which no response was owed, where there was one.
        pid: of the server, where it was started here.
        has_called: whether a tool was called.
        takes_batches: whether several messages may come in one array, in the revision that has batches.
    """

    answers_all = False
    watched: int | None
    unowed: Mapping[str, Any] | None = None
    schema: Any = None
    pid: int | None = None
    has_called = False
    takes_batches = False

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._numbers = 0
        self._is_unowed = False

    @abstractmethod
    def close(self) -> None:
        """End the server, if it was started here."""

    @abstractmethod
    def end_gently(self) -> bool:
        """Ask the server to end, so that it can save what it keeps; says whether it ended of its own. `close` comes after it."""

    @abstractmethod
    def send(self, line: str) -> None:
        """Send a message, or what is to be taken for one."""

    @abstractmethod
    def _read(self, seconds: float | None = None) -> None:
        """Wait until something has arrived, for so many seconds at most, and keep the messages in it.

        Raises:
            ServerEndedError: nothing can arrive any more.
        """

    @abstractmethod
    def _has_arrived(self) -> bool:
        """Whether there is something to read now."""

    def cancel(self, number: int | str) -> Cancelled:
        """Cancel a request; says how, or that it was not possible."""
        params = {"requestId": number, "reason": "The user cancelled the request."}
        self.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        return "notified"

    def in_older_transport(self) -> "Connection | None":
        """A connection with the same server over the transport that came before this one, in place of this one; None where there is none."""
        return None

    def again(self) -> "Connection | None":
        """A second connection with the same process of the server; None where it has one only."""
        return None

    def refusal_of(self, number: int | str) -> Mapping[str, Any] | None:  # noqa: ARG002 - for HTTP
        """The HTTP answer that refused a request by its status; None where none did."""
        return None

    @property
    def next_number(self) -> int:
        """The id of the next request."""
        return self._numbers + 1

    def request(self, method: str, params: dict[str, Any] | None) -> int:
        """Send a request; gives its id."""
        more = {} if params is None else {"params": params}
        return self.send_request(method, json.dumps(more)[1:-1])

    def send_request(self, method: str, rest: str) -> int:
        """Send a request whose further members are given as JSON text; gives its id."""
        number, line = self.write_request(method, rest)
        self.send(line)
        return number

    def write_request(self, method: str, rest: str) -> tuple[int, str]:
        """The id and the text of a request whose further members are given as JSON text; no other gets that id."""
        self._numbers += 1
        self.has_called = self.has_called or method == CALL
        tail = f", {rest}" if rest else ""
        return (
            self._numbers,
            f'{{"jsonrpc": "2.0", "id": {self._numbers}, "method": {json.dumps(method)}{tail}}}',
        )

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Answer:
        """Send a request and wait for its response."""
        return self.wait_for(self.request(method, params))

    def wait_for(self, number: int, *, alone: bool = True) -> Answer:
        """Wait for the response to a request, for as long as the suite allows.

        With `alone`, an error without an id is meant for the request, unless another line may be meant.
        """
        alone = alone and not self._is_unowed
        others: list[str] = []
        while True:
            for place, message in enumerate(self._messages):
                if is_response(message, number, alone=alone):
                    before = self._messages[:place]
                    self._messages = self._messages[place + 1 :]
                    self._read_arrived()
                    other_texts = [*others, *_texts(before), *_texts(self._messages)]
                    self._messages = []
                    return Answer(message, other_texts[:_MOST_OTHERS])
            others += _texts(self._messages[: _MOST_OTHERS - len(others)])
            self._messages = []
            self._read()

    def wait_for_all(self, numbers: list[int]) -> list[Answer]:
        """Wait for the responses to several requests, in whatever order they come. Other messages go to the first."""
        responses: dict[int, Message] = {}
        others: list[str] = []
        while len(responses) < len(numbers):
            for message in self._messages:
                number = next(
                    (n for n in numbers if n not in responses and is_response(message, n, alone=False)), None
                )
                if number is not None:
                    responses[number] = message
                elif len(others) < _MOST_OTHERS:
                    others.append(excerpt(message))
            self._messages = []
            if len(responses) < len(numbers):
                self._read()
        return [Answer(responses[n], others if n == numbers[0] else []) for n in numbers]

    def take(self, seconds: float | None = None) -> list[Message]:
        """The messages that have arrived; where there is none, the next ones, waited for so many seconds at most."""
        if not self._messages:
            self._read(seconds)
        messages, self._messages = self._messages, []
        return messages

    def wait_for_any(self, numbers: set[int]) -> tuple[int, Message]:
        """Wait for the response to one of several requests; what comes besides is dropped."""
        while True:
            while self._messages:
                message = self._messages.pop(0)
                for number in numbers:
                    if is_response(message, number, alone=False):
                        return number, message
            self._read()

    def send_unowed(self, line: str | bytes) -> None:
        """Send a line to which no response is owed. From now on an error without an id may be meant for that line."""
        self._is_unowed = True
        self.send(line if isinstance(line, str) else line.decode("utf-8", "surrogateescape"))

    def check(self) -> None:
        """Read something that has arrived between requests.

        Raises:
            ServerEndedError: the server has ended.
        """
        self._read()
        del self._messages[_MOST_OTHERS:]

    def _read_arrived(self) -> None:
        for _ in range(_MOST_READS):
            if not self._has_arrived():
                return
            self._read()
            del self._messages[_MOST_OTHERS:]


class StdioConnection(Connection):
    """One process of a server, over its standard input and output.

    Its other output there goes to our standard output. A response that stands on one line with other text reaches no client; here it
    counts as come once nothing follows it, so that what was printed is the finding, and not the silence that it makes.
    """

    def __init__(self, command: list[str], directory: str | None, *, is_for_tool: bool = False) -> None:
        """Start it. With `is_for_tool`, what it prints before a tool is called goes to our standard error: it is the server's.

        Raises:
            ServerEndedError: it cannot be started.
        """
        super().__init__()
        env = {**_AT_ONCE, **{name: value for name, value in os.environ.items() if name != "APTIX_HOST_FD"}}
        try:
            self._process = start(
                command, cwd=directory, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise ServerEndedError(f"the server cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._received = 0
        self._line = bytearray()
        self._is_for_tool = is_for_tool
        self._held: dict[int, Message] = {}
        self._late: set[int] = set()
        self.watched = self._output
        self.pid = self._process.pid

    def close(self) -> None:
        """End the server as the specification wants it: close its input, then ask it to end, then kill it.

        A server that is killed at once leaves behind what the next one finds in its way, such as a lock file.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(_GRACE)
                break
            except subprocess.TimeoutExpired:
                end()
        self._process.wait()
        self._process.stdout.close()

    def end_gently(self) -> bool:
        """See `Connection`: the end of its input tells it to end."""
        return self.end_input(GENTLY).startswith(_EXIT)

    def send(self, line: str) -> None:
        """Send a line. Meanwhile it reads, so that neither side waits for the other."""
        self.send_bytes(line.encode("utf-8", "backslashreplace"))

    def send_unowed(self, line: str | bytes) -> None:
        """See `Connection`; also for bytes, which need not be UTF-8."""
        self._is_unowed = True
        self.send_bytes(line.encode() if isinstance(line, str) else line)

    def send_bytes(self, line: bytes) -> None:
        """The same for bytes."""
        self._received = 0
        data = memoryview(line + b"\n")
        while data:
            readable, writable, _ = select.select([self._output], [self._input], [])
            if readable:
                self._read()
            if writable:
                try:
                    data = data[os.write(self._input, data) :]
                except BlockingIOError:
                    continue
                except OSError:
                    self._end()

    def send_part(self, part: bytes) -> None:
        """Send the beginning of a line that never ends; what does not fit into the pipe is not sent."""
        with contextlib.suppress(OSError):
            os.write(self._input, part)

    def close_output(self) -> None:
        """Close our end of the server's standard output: nothing more is read, and what it writes fails."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def end_input(self, seconds: float) -> str:
        """Close the server's standard input; says how it ended, empty where it has not after so many seconds of its own time."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        pid, began = self._process.pid, time.monotonic()
        before = waited_for_processor(pid)
        while time.monotonic() - began - (waited_for_processor(pid) - before) < seconds:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PAUSE)
                return _how_ended(self._process.returncode)
        return ""

    def read_last_words(self) -> None:
        """Read what the server wrote until its standard output was closed, for `_LAST_WORDS` seconds at most."""
        until = time.monotonic() + _LAST_WORDS
        with contextlib.suppress(ServerEndedError):
            while (remaining := until - time.monotonic()) > 0:
                self._read(remaining)
        if self._line:
            self._take(bytes(self._line))
            self._line.clear()

    def _has_arrived(self) -> bool:
        return bool(select.select([self._output], [], [], 0)[0])

    def _read(self, seconds: float | None = None) -> None:
        if self._held and not select.select([self._output], [], [], _SETTLED)[0]:
            self._release()
            return
        if seconds is not None and not select.select([self._output], [], [], seconds)[0]:
            return
        data = os.read(self._output, _CHUNK)
        if not data and self._held:
            self._release()
            return
        if not data:
            self._end()
        self._received += len(data)
        if self._received > _MOST_BYTES:
            raise ServerEndedError(
                f"the server sent more than {_MOST_BYTES >> 20} MiB in answer to one message"
            )
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            self._take(bytes(self._line))
            self._line.clear()
        self._line += rest
        if len(self._line) > _LONGEST_LINE:
            raise ServerEndedError(f"the server sent a line of more than {_LONGEST_LINE >> 20} MiB")

    def _release(self) -> None:
        """Take the held messages for answers of the server; a later response to the same request does not count."""
        self._late |= self._held.keys()
        self._messages += self._held.values()
        self._held.clear()

    def _take(self, line: bytes) -> None:
        """Keep a message. Anything else is output of the server: it goes to our standard output, which the suite reads."""
        found = messages_in(line, takes_batches=self.takes_batches)
        for message in found:
            number = _number(message.value)
            self._held.pop(number, None)
            if number not in self._late:
                self._messages.append(message)
        if found:
            return
        if b'"jsonrpc"' in line:
            self._hold(line.decode("utf-8", "backslashreplace"))
        stream = sys.stderr if self._is_for_tool and not self.has_called else sys.stdout
        with contextlib.suppress(OSError):
            stream.buffer.write(line + b"\n")
            stream.buffer.flush()

    def _hold(self, line: str) -> None:
        """Keep a response to a request of ours that stands on a line with other text, until it is known whether another comes."""
        place = line.find("{")
        for _ in range(_MOST_STARTS):
            if place < 0:
                return
            try:
                value, end = _DECODER.raw_decode(line, place)
            except (ValueError, RecursionError):
                value, end = None, place
            number = _number(value) if isinstance(value, dict) and "jsonrpc" in value else 0
            if 0 < number <= self._numbers and ("result" in value or "error" in value):
                self._held[number] = Message(line[place:end], value)
                return
            place = line.find("{", place + 1)

    def _end(self) -> NoReturn:
        try:
            status = self._process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            raise ServerEndedError("the server closed its standard output") from None
        raise ServerEndedError(f"the server ended with {_how_ended(status)}")


MOST_DIGITS: Final = 100_000
"""Digits of an integer that are read: a million take seconds, in which the server would seem to hang. The others are left out."""


def _integer(digits: str) -> int:
    return int(digits[:MOST_DIGITS])


_DECODER: Final = json.JSONDecoder(parse_int=_integer)


def _number(message: dict[str, Any]) -> int:
    """The id of a response to a request of ours; 0 for any other message."""
    number = message.get("id")
    return number if type(number) is int and "method" not in message else 0


def _how_ended(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"{_EXIT} {status}"


def parsed(line: bytes) -> Any:
    """The JSON value of a text; None where it is no JSON."""
    try:
        return json.loads(line.decode("utf-8", "replace"), parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def messages_in(text: bytes, *, takes_batches: bool) -> list[Message]:
    """The message in a text, or those in the array that it is where batches are taken; none where it is something else."""
    value = parsed(text)
    if is_message(value):
        return [Message(text.decode("utf-8", "backslashreplace"), value)]
    if takes_batches and isinstance(value, list) and value and all(map(is_message, value)):
        return [Message(json.dumps(each), each) for each in value]
    return []


def is_message(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether JSON is meant as a message; so is a response that has neither a result nor an error, as `JSON.stringify` leaves out what is undefined."""
    return isinstance(value, dict) and (
        "method" in value or "result" in value or "error" in value or {"jsonrpc", "id"} <= value.keys()
    )


def is_response(message: Message, number: int | str, *, alone: bool) -> bool:
    """Whether a message is meant as the response to a request, or came in the HTTP answer to it."""
    return message.owner == number or answers(message.value, number, alone=alone)


def answers(message: dict[str, Any], number: int | str, *, alone: bool) -> bool:
    """Whether a message is meant as the response to a request; a rule says whether its id is right."""
    if "method" in message:
        return False
    message_id = message.get("id")
    if message_id is None:
        return alone and "error" in message
    return not isinstance(message_id, (dict, list, bool)) and str(message_id) == str(number)


def _texts(messages: list[Message]) -> list[str]:
    """The texts of messages, shortened; an HTTP answer without a response has none."""
    return [excerpt(message) for message in messages if message.text]


def excerpt(message: Message) -> str:
    """The text of a message. Of a very long one, only its short members and those of its result or error."""
    if len(message.text) <= _LONGEST_OTHER:
        return message.text
    members = _short_members(message.value)
    for name in ("result", "error"):
        part = message.value.get(name)
        if name not in members and isinstance(part, dict):
            members[name] = _short_members(part)
            if isinstance(part.get("message"), str):
                members[name].setdefault("message", part["message"][:_LONGEST_PART])
    return json.dumps(members) if len(json.dumps(members)) <= _LONGEST_OTHER else "{}"


def _short_members(value: dict[str, Any]) -> dict[str, Any]:
    return {name: member for name, member in value.items() if _is_short(member)}


def _is_short(value: Any) -> bool:
    try:
        return len(json.dumps(value)) <= _LONGEST_PART
    except RecursionError:
        return False
