"""Lets a model use the tools: sends requests, runs the requested calls, returns the answers, and repeats.

Each request carries the whole conversation: what the caller gave, then the items of each response and the answers
to its calls. So the reasoner keeps nothing between runs, and a run can be taken up anywhere from the items of its
result. Every call in those items is answered, except for those that a client must finish.
"""

import asyncio
import inspect
import types
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from aptix_harness.cancellation import CancellationToken
from aptix_harness.context import AgentToolExecutionContext
from aptix_harness.errors import InvalidOperationError
from aptix_harness.executor import AgentToolCall, AgentToolCallResult, AgentToolExecutor
from aptix_harness.guidance import instructions_parameter, read_tool_guides, tools_parameter
from aptix_harness.registry import AgentToolRegistry
from aptix_harness.response_items import Item, ModelResponse, RequestedCall, answer, read_response
from aptix_harness.result import ResultError

_OWN_PARAMETERS: Final = frozenset(
    {
        "model",
        "input",
        "instructions",
        "tools",
        "stream",
        "background",
        "previous_response_id",
        "conversation",
    }
)
_CANCELLED: Final = object()


class Responses(Protocol):
    """Creates responses, such as `openai.AsyncOpenAI().responses`."""

    @property
    def create(self) -> Callable[..., Any]:
        """Takes a request's parameters as keywords and returns a response, or an awaitable of one."""


class ResponsesClient(Protocol):
    """A client of the `/responses` API, such as `openai.AsyncOpenAI()` or `openai.OpenAI()`."""

    @property
    def responses(self) -> Responses:
        """The object that creates responses."""


class StopReason(StrEnum):
    """Why a run ended."""

    ANSWERED = "answered"
    """The model requests no more calls."""
    REFUSED = "refused"
    """The model refuses to answer; the text says why."""
    CLIENT = "client"
    """Calls wait for the client: they are the result's `pending`."""
    MAX_ROUNDS = "max_rounds"
    """The model requested calls in every round; those of the last round are answered too."""
    CANCELLED = "cancelled"
    """The token was cancelled."""
    INCOMPLETE = "incomplete"
    """The last response is incomplete or failed on the server; its calls were not run."""


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call that the model requested, and its result.

    The error codes `MALFORMED_CALL`, `REPEATED_CALL` and `NOT_RUN` say that it was answered without running a tool.
    """

    call: AgentToolCall
    result: AgentToolCallResult


@dataclass(frozen=True, slots=True)
class ReasonerResult:
    """How a run ended.

    Attributes:
        text: the text of the last response; empty if there is none.
        items: the whole conversation, the caller's input first: the input of a further run.
        calls: every call that the model wanted, in its order, those for the client too.
        pending: the calls that the server part has accepted and a client must finish and answer.
        stopped: why the run ended.
        rounds: how many responses there were.
        detail: what the API says of a response that was cut short or failed; None otherwise.
    """

    text: str
    items: tuple[Item, ...]
    calls: tuple[AnsweredCall, ...]
    pending: tuple[AgentToolCall, ...]
    stopped: StopReason
    rounds: int
    detail: str | None = None


class AgentReasoner:
    """Runs conversations of a model with the tools of a registry (AGN-005.1.3, AGN-005.7.16, AGN-005.9.2).

    It keeps no state of a conversation: one reasoner may run many at once.
    """

    def __init__(
        self,
        client: ResponsesClient,
        model: str,
        registry: AgentToolRegistry,
        executor: AgentToolExecutor,
        *,
        instructions: str | None = None,
        max_rounds: int = 8,
        max_identical_calls: int = 3,
        parallel_calls: int = 1,
        options: Mapping[str, object] = types.MappingProxyType({}),
    ) -> None:
        """Examine the tools and the settings.

        Args:
            client: who asks the model. A synchronous one blocks the event loop while it does.
            model: the model's name, as the client knows it.
            registry: the tools that are described to the model.
            executor: who runs the calls, with the same registry.
            instructions: the caller's own system prompt; the tools' guidance follows it.
            max_rounds: how many requests a run makes at most.
            max_identical_calls: how often a run makes a call of the same tool with the same argument text; a
                further one is answered with an error that says so.
            parallel_calls: how many calls of one response run at once.
            options: further parameters of each request, such as `temperature` or `store`.

        Raises:
            InvalidOperationError: a tool cannot be shown to a model (AGN-005.7.17, AGN-005.7.18), a bound is less
                than 1, or an option is the reasoner's own to set.
        """
        bounds = {
            "max_rounds": max_rounds,
            "max_identical_calls": max_identical_calls,
            "parallel_calls": parallel_calls,
        }
        for name, bound in bounds.items():
            if bound < 1:
                raise InvalidOperationError(f"{name} is {bound}. Give the reasoner at least 1.")
        if taken := sorted(_OWN_PARAMETERS & options.keys()):
            raise InvalidOperationError(
                f"The reasoner sets {', '.join(taken)} itself, or cannot work with it. Leave it out of the options."
            )
        # A tool that cannot be described must fail the start, not the first conversation.
        read_tool_guides(registry)
        self._client = client
        self._model = model
        self._registry = registry
        self._executor = executor
        self._instructions = instructions
        self._max_rounds = max_rounds
        self._max_identical_calls = max_identical_calls
        self._parallel_calls = parallel_calls
        self._options = dict(options)

    def request_parameters(self) -> dict[str, object]:
        """Return the common part of all requests of a run, read again from the registered classes.

        `instructions` is missing if there are none.

        Raises:
            InvalidOperationError: a tool cannot be shown to a model any more.
        """
        guides = read_tool_guides(self._registry)
        parameters = {**self._options, "model": self._model, "tools": tools_parameter(guides)}
        instructions = instructions_parameter(guides, self._instructions)
        return parameters if instructions is None else {**parameters, "instructions": instructions}

    async def run(
        self,
        turn_input: str | Sequence[Item],
        context: AgentToolExecutionContext | None = None,
        cancellation_token: CancellationToken = CancellationToken.none(),
        on_item: Callable[[Item], object] | None = None,
    ) -> ReasonerResult:
        """Query the model and run its calls until it requests no more, or a limit is reached.

        Args:
            turn_input: what the user says, or the items of a conversation.
            context: where the calls come from; handed to every tool.
            cancellation_token: handed to every tool. When cancelled, the request under way is given up, calls not
                yet begun are answered as not run, and the run ends.
            on_item: called with each item as it joins the conversation, so that nothing is lost with an exception.

        Raises:
            InvalidOperationError: a tool cannot be shown to a model any more, or the client gives no response.
            asyncio.CancelledError: the caller's task was cancelled.
            Exception: whatever the client raises, after retries of its own, or `on_item`.
        """
        conversation = _Conversation(turn_input, on_item)
        parameters = self.request_parameters()
        counts: Counter[tuple[str, str | None]] = Counter()
        for number in range(1, self._max_rounds + 1):
            request = {**parameters, "input": list(conversation.items)}
            raw = await _ask(self._client, request, cancellation_token)
            if raw is _CANCELLED:
                return conversation.end(StopReason.CANCELLED)
            response = conversation.hear(read_response(raw, number))
            await self._answer(response, conversation, counts, context, cancellation_token)
            if stopped := _why_stop(response, conversation, cancellation_token):
                return conversation.end(stopped)
        return conversation.end(StopReason.MAX_ROUNDS)

    async def _answer(
        self,
        response: ModelResponse,
        conversation: "_Conversation",
        counts: Counter[tuple[str, str | None]],
        context: AgentToolExecutionContext | None,
        cancellation_token: CancellationToken,
    ) -> None:
        """Run the calls of a response, and add their answers to the conversation in the order of the calls."""
        places = asyncio.Semaphore(self._parallel_calls)

        async def run_call(call: AgentToolCall) -> AgentToolCallResult:
            async with places:
                if cancellation_token.is_cancellation_requested:
                    return _not_run(call, "The call was not run: the conversation was cancelled.", "NOT_RUN")
                return await self._executor.execute(call, context, cancellation_token)

        async def refuse(refused: AgentToolCallResult) -> AgentToolCallResult:
            return refused

        refusals = [self._refusal(requested, response, counts) for requested in response.calls]
        tasks = [
            asyncio.create_task(refuse(refused) if refused else run_call(requested.call))
            for requested, refused in zip(response.calls, refusals, strict=True)
        ]
        try:
            for requested, task in zip(response.calls, tasks, strict=True):
                conversation.settle(requested, await task)
        finally:
            await _end(tasks)

    def _refusal(
        self, requested: RequestedCall, response: ModelResponse, counts: Counter[tuple[str, str | None]]
    ) -> AgentToolCallResult | None:
        """Return the answer to a call that must not run; None if it must run."""
        call = requested.call
        if response.status != "completed":
            return _not_run(call, "The call was not run: the response was not completed.", "NOT_RUN")
        if requested.fault:
            return _not_run(call, f"The call was not run. {requested.fault}", "MALFORMED_CALL")
        key = ((call.name or "").casefold(), call.arguments_json)
        counts[key] += 1
        if counts[key] <= self._max_identical_calls:
            return None
        message = (
            f"The call was not run: it was made {self._max_identical_calls} times already with the same arguments, "
            "and its answers are above. Call with other arguments, or go on without it."
        )
        return _not_run(call, message, "REPEATED_CALL")


class _Conversation:
    """The state of a run: its items so far, and the calls that wait for the client."""

    def __init__(self, turn_input: str | Sequence[Item], on_item: Callable[[Item], object] | None) -> None:
        self.items: list[Item] = (
            [{"role": "user", "content": turn_input}] if isinstance(turn_input, str) else list(turn_input)
        )
        self.pending: list[AgentToolCall] = []
        self._calls: list[AnsweredCall] = []
        self._last: ModelResponse | None = None
        self._rounds = 0
        self._on_item = on_item

    def hear(self, response: ModelResponse) -> ModelResponse:
        self._last = response
        self._rounds += 1
        for item in response.items:
            self._add(item)
        return response

    def settle(self, requested: RequestedCall, result: AgentToolCallResult) -> None:
        self._calls.append(AnsweredCall(requested.call, result))
        if result.requires_client_execution:
            self.pending.append(requested.call)
        else:
            self._add(answer(requested.call_id, result))

    def end(self, stopped: StopReason) -> ReasonerResult:
        return ReasonerResult(
            text=self._last.text if self._last else "",
            items=tuple(self.items),
            calls=tuple(self._calls),
            pending=tuple(self.pending),
            stopped=stopped,
            rounds=self._rounds,
            detail=self._last.detail if self._last else None,
        )

    def _add(self, item: Item) -> None:
        self.items.append(item)
        if self._on_item:
            self._on_item(item)


def _why_stop(
    response: ModelResponse, conversation: _Conversation, cancellation_token: CancellationToken
) -> StopReason | None:
    if response.status != "completed":
        return StopReason.INCOMPLETE
    if not response.calls:
        return StopReason.REFUSED if response.refused else StopReason.ANSWERED
    if conversation.pending:
        return StopReason.CLIENT
    return StopReason.CANCELLED if cancellation_token.is_cancellation_requested else None


def _not_run(call: AgentToolCall, message: str, code: str) -> AgentToolCallResult:
    return AgentToolCallResult(
        call.call_id, call.name, successful=False, errors=(ResultError(message, code),)
    )


async def _ask(
    client: ResponsesClient, request: Mapping[str, object], cancellation_token: CancellationToken
) -> object:
    """Return the response, or `_CANCELLED` if the token was cancelled before there was one."""
    if cancellation_token.is_cancellation_requested:
        return _CANCELLED
    response: object = client.responses.create(**request)
    if not inspect.isawaitable(response):
        return response
    asking = asyncio.create_task(_wait_for(response))
    stopping = asyncio.create_task(cancellation_token.wait())
    try:
        await asyncio.wait({asking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() else _CANCELLED
    finally:
        await _end([asking, stopping])


async def _wait_for(awaitable: Awaitable[object]) -> object:
    """Wrap any awaitable in a coroutine, since only a coroutine can become a task."""
    return await awaitable


async def _end(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel the tasks and wait for their end."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
