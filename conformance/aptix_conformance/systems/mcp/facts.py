"""The facts that only MCP's tools declare, and that only their results contain: the server's messages as they came."""

from collections.abc import Mapping
from typing import Any, Literal

from aptix_conformance.core.model import Draft, Facts
from aptix_conformance.core.model.codec import Record, replace
from aptix_conformance.core.model.file_change import FileChange
from aptix_conformance.core.schemas.nodes import subschemas
from aptix_conformance.systems.mcp.sdks import breaker, refuses_surrogates

Revision = Literal["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
"""A revision of the protocol that the suite speaks. They are dates, so their texts have their order."""


class HttpAnswer(Record, frozen=True):
    """An HTTP answer, as far as rules look at it."""

    status: int
    """0 where there was no answer."""
    code: int | None = None
    """The code of the error that it holds, where one was looked for."""
    kind: str = ""
    """Its media type, in lower case; empty where it has none."""
    session: str | None = None
    """The session id that it gives."""
    location: str = ""
    """Where it redirects to."""
    body: str = ""
    """How its body begins."""
    fault: str = ""
    """Why no message was found in it, as the end of a sentence; empty where one was, or none was looked for."""
    is_sse: bool = False
    """Whether it came over HTTP with SSE, the transport of 2024-11-05."""


class McpTool(Facts, frozen=True):
    """What the server said before any call. Texts are JSON, as the server wrote them where they are whole messages."""

    revision: Revision
    """The revision in which the server was opened: the newest that it and the suite speak, unless another one was asked for."""
    opening: str
    """The response to `initialize` or `server/discover`, the whole message."""
    definition: str
    """The tool's entry in `tools/list`, for a server its first; `null` where there is none."""
    names: tuple[str, ...] = ()
    """The names of all entries of all pages, in the server's order; empty for an entry without one."""
    names_again: tuple[str, ...] = ()
    """The same of a second listing, directly after the first."""
    pages: tuple[str, ...] = ()
    """Each page's result without its `tools`."""
    list_fault: str = ""
    """Why the list was not read to its end, as the end of a sentence about tools/list; empty where it was."""
    list_breach: Literal["", "form", "end"] = ""
    """What of the protocol that breaks: a page has another form, or the list never ends."""
    others: tuple[str, ...] = ()
    """Messages that were no response to a request of the suite's, whole."""
    http: HttpAnswer | None = None
    """The HTTP answer that brought the opening; None over stdio."""
    sdks: tuple[str, ...] = ()
    """The SDKs that are installed beside the server, each as `NAME VERSION`."""

    def breaks_by_itself(self, rule: str, cause: str) -> str:
        """The SDK that breaks a rule for every server on it."""
        over_sse = self.http is not None and self.http.is_sse
        return breaker(self.sdks, rule, cause, over_http=self.http is not None, over_sse=over_sse)

    def unsent_surrogates(self) -> str:
        """Why its tools get no half of a character: the SDK refuses it before any tool sees it."""
        sdk = refuses_surrogates(self.sdks)
        return f"{sdk} takes half of a character for no tool: it is judged once, on the server" if sdk else ""

    def undeclared_draft(self, schema: Mapping[str, Any]) -> Draft | None:
        """Before 2025-11-25 no dialect is named: a list of schemas under `items` is draft-07, and no schema of 2020-12."""
        if self.revision >= "2025-11-25":
            return None
        is_tuple = any(isinstance(node.get("items"), list) for _, node in subschemas(schema))
        return "draft-07" if is_tuple else None

    def edition(self) -> str:
        """The edition of that revision."""
        return f"mcp-{self.revision}"

    def texts(self) -> tuple[str, ...]:
        """Everything that the server wrote."""
        return (self.opening, self.definition, *self.pages, *self.others)


class TokenedCall(Record, frozen=True):
    """A call with a progressToken that was cancelled, or only watched. Times are seconds since it was sent.

    The host's clock stands still while the server, or the host itself, waits for a processor.
    """

    token: int
    took: float
    """How long the call usually takes."""
    sent: float | None = None
    """When the cancellation was sent; None where none was, because the call ended before or was only watched."""
    closed: bool = False
    """Whether the cancellation closed the answer, so that nothing could come any more."""
    read: float | None = None
    """When a request was answered that was sent behind everything else: the server had read the cancellation by then."""
    answered: float | None = None
    """When the response came; None where none came."""
    progress: tuple[str, ...] = ()
    """The progress notifications with its token, whole."""
    times: tuple[float, ...] = ()
    """When they came."""
    in_time: int = 0
    """How many of them came before the response."""
    busy: float | None = None
    """The share of some time in which the server's processes had work, a second after the cancellation; None with a response \
that is no error, or that came about when the call usually ends."""
    idle: float = 0.0
    """The same share while no call ran."""
    left: tuple[str, ...] = ()
    """The names of the processes that were started in the call and ran on after it."""
    left_usually: tuple[str, ...] = ()
    """The same after the call that was not cancelled."""

    def if_slower(self, seconds: float) -> "tuple[TokenedCall, ...]":
        """The call whose response and progress came later, and the one whose cancellation was read later, too."""
        answered = None if self.answered is None else self.answered + seconds
        late = replace(self, answered=answered, times=tuple(time + seconds for time in self.times))
        return late, late if self.read is None else replace(late, read=self.read + seconds)


class TaskStep(Record, frozen=True):
    """A request about a task, or a plain call beside it, and its response."""

    task: int
    """The number of the task, from 1 on; 0 for a plain call, and for a task that there is not."""
    asked: Literal["call", "create", "get", "result", "cancel"]
    message: str
    """The response, whole; empty where none came in time, or its HTTP answer held none."""


class McpResult(Facts, frozen=True):
    """What came back for one stimulus: `message` is the response, None where none is owed; `others` came beside it.

    Over HTTP, `http` is the answer that brought the response, or that should have.
    """

    message: str | None = None
    others: tuple[str, ...] = ()
    http: HttpAnswer | None = None
    ended: str = ""
    """How the server ended in a stimulus for the server; empty where it did not."""
    left: tuple[str, ...] = ()
    """The names of processes that still ran when a server and its children should have ended."""
    busy: float = 0.0
    """The share of the time since its client was gone in which what still ran had work for a processor."""
    tokened: TokenedCall | None = None
    """For a call with a progressToken, what came in which order."""
    steps: tuple[TaskStep, ...] = ()
    """What was asked about tasks, in its order (`runners/mcp/tasks.py`)."""
    afterwards: tuple[str, ...] = ()
    """The responses to the same call, made again after something had been scarce and the first had failed; the last may succeed."""
    renewed: str | None = None
    """The response to it in a new process of the server, made there for the second time, where all of these failed."""
    changes: tuple[FileChange, ...] | None = None
    """What the call changed in the files that its tool was given; None where that was not compared."""
    attempts: int | None = None
    """How often the server tried to reach another machine during the call; None where that was not counted."""
    directory: str = ""
    """The working directory that the server was given, where the response to a call names it; empty where it does not."""

    def if_slower(self, seconds: float) -> tuple[Facts, ...]:
        """See `Facts`."""
        if self.tokened is None:
            return (self,)
        return tuple(replace(self, tokened=tokened) for tokened in self.tokened.if_slower(seconds))

    def texts(self) -> tuple[str, ...]:
        """The messages."""
        progress = self.tokened.progress if self.tokened else ()
        steps = tuple(step.message for step in self.steps if step.message)
        later = self.afterwards + ((self.renewed,) if self.renewed is not None else ())
        return ((self.message,) if self.message is not None else ()) + self.others + progress + steps + later

    def texts_beside_payload(self) -> tuple[str, ...]:
        """The whole response: a text block beside structuredContent is shown, too."""
        return (self.message,) if self.message is not None else ()

    def may_be_unmarked_failure(self) -> bool:
        """`isError` may be missing."""
        return True

    def may_name_directories(self) -> bool:
        """A server may: MCP.Sec.7 is on the paths of the installation, and other files are what its tools are about."""
        return True

    def own_directory(self) -> str:
        """The author's project, unless the server starts in a copy of the author's files."""
        return self.directory

    def may_be_plain_text(self) -> bool:
        """A result without structuredContent holds whatever text the tool writes."""
        return True
