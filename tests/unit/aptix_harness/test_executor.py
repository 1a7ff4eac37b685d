import asyncio
import dataclasses
import types

import pytest

from aptix_harness import (
    AgentToolCall,
    AgentToolCallResult,
    AgentToolExecutionContext,
    AgentToolExecutor,
    AgentToolRegistry,
    CancellationToken,
    CancellationTokenSource,
    InvokeResult,
    OperationCanceledError,
    ResultError,
    ToolFactory,
)

CALL = AgentToolCall("test_tool", "{}", "call-1")


@pytest.fixture
def run(logger, make_tool):
    """Return a function that registers one tool, made of `execute` and other members, and runs one call of it."""

    async def run_tool(execute, *, call=CALL, token=None, context=None, **members):
        registry = AgentToolRegistry(logger)
        registry.register(make_tool(execute=execute, **members))
        executor = AgentToolExecutor(registry, logger)
        return await executor.execute(call, context, token or CancellationToken.none())

    return run_tool


def returning(value):
    """Return an execute method that returns `value`."""

    async def execute(self, arguments_json, context, cancellation_token):
        return value

    return execute


def raising(error):
    """Return an execute method that raises `error`."""

    async def execute(self, arguments_json, context, cancellation_token):
        raise error

    return execute


def assert_failed(result, code):
    """Check that a result is failed, with one error of this code, and give its text."""
    assert (result.successful, result.result, result.requires_client_execution) == (False, None, False)
    assert (result.call_id, result.name) == ("call-1", "test_tool")
    (error,) = result.errors
    assert error.code == code
    assert error.details is None
    assert "test_tool" in result.error_message
    return result.error_message


async def test_result_of_the_tool_comes_back_with_the_identity_of_the_call(run):
    """Call id, name and payload are those of the call and of the tool."""
    result = await run(returning(InvokeResult.create('{"a": 1}')))
    assert (result.call_id, result.name) == ("call-1", "test_tool")
    assert (result.successful, result.result, result.errors) == (True, '{"a": 1}', ())
    assert result.error_message is None
    assert not result.requires_client_execution


@pytest.mark.clause("AGN-005.3.7")
@pytest.mark.parametrize("text", [None, "", " \n", "{not json", '{"a":1 , "a":2}', "\ud800"], ids=ascii)
async def test_tool_gets_the_arguments_as_they_came(run, text):
    """The very object is handed on, with the context and the token."""
    seen = []

    async def execute(self, *arguments):
        seen.extend(arguments)
        return InvokeResult.create("{}")

    context, source = AgentToolExecutionContext(session_id="s"), CancellationTokenSource()
    await run(execute, call=AgentToolCall("test_tool", text), context=context, token=source.token)
    assert all(got is sent for got, sent in zip(seen, [text, context, source.token], strict=True))


async def test_context_and_token_may_be_left_out(logger, make_tool):
    """The tool then gets no context and a token that is not cancelled."""
    seen = []

    async def execute(self, arguments_json, context, cancellation_token):
        seen.append((context, cancellation_token.is_cancellation_requested))
        return InvokeResult.create("{}")

    registry = AgentToolRegistry(logger)
    registry.register(make_tool(execute=execute))
    assert (await AgentToolExecutor(registry, logger).execute(CALL)).successful
    assert seen == [(None, False)]


@pytest.mark.parametrize("name", [None, "", "  \n"])
async def test_call_without_a_name_fails(run, logger, name):
    """It is answered and logged."""
    result = await run(returning(None), call=AgentToolCall(name, "{}", "c"))
    assert (result.successful, result.call_id, result.name) == (False, "c", name)
    assert result.error_message == "The call names no tool."
    assert [call[2] for call in logger.named("add_error")] == ["The call names no tool."]


async def test_call_of_an_unknown_tool_fails(run, logger):
    """The answer repeats the name, escaped and cut short."""
    result = await run(returning(None), call=AgentToolCall("no\n" * 1000))
    assert result.errors[0].code == "UNKNOWN_TOOL"
    assert result.error_message.startswith("There is no tool called 'no\\nno")
    assert len(result.error_message) < 200
    assert len(logger.named("add_error")) == 1


@pytest.mark.clause("AGN-005.2.5")
@pytest.mark.parametrize("name", ["first_tool", "second_tool"])
async def test_call_reaches_the_tool_of_its_name_and_no_other(logger, make_tool, name):
    """Arguments and identity do not matter: of two tools the one that is named answers."""
    registry = AgentToolRegistry(logger)
    for own in ("first_tool", "second_tool"):
        answer = InvokeResult.create(f'"{own}"')
        registry.register(make_tool(TOOL_NAME=own, execute=returning(answer)))
    result = await AgentToolExecutor(registry, logger).execute(AgentToolCall(name, '{"name": "other"}', "c"))
    assert (result.name, result.result) == (name, f'"{name}"')


async def test_tool_is_found_without_regard_to_case(run):
    """The result keeps the name as it was called."""
    result = await run(returning(InvokeResult.create("{}")), call=AgentToolCall("TEST_TOOL"))
    assert (result.successful, result.name) == (True, "TEST_TOOL")


@pytest.mark.parametrize(
    "error", [RuntimeError("secret"), SystemExit("secret"), MemoryError("secret")], ids=repr
)
@pytest.mark.parametrize("place", ["constructor", "execute", "is_tool_fully_executed_on_server"])
async def test_whatever_the_tool_raises_is_logged_and_not_shown(run, logger, error, place):
    """The result is a failure without the exception's text; the log has the exception itself."""

    def explode(self):
        raise error

    members = {
        "constructor": {"__init__": explode},
        "execute": {},
        "is_tool_fully_executed_on_server": {place: property(explode)},
    }[place]
    execute = raising(error) if place == "execute" else returning(InvokeResult.create("{}"))
    message = assert_failed(await run(execute, **members), "TOOL_FAILED")
    assert "secret" not in message
    assert [call[2] for call in logger.named("add_exception")] == [error]


async def test_constructor_that_wants_an_unknown_service_is_a_failure(run, logger):
    """What cannot be injected is logged."""

    def initialise(self, database):
        pass

    assert_failed(await run(returning(None), __init__=initialise), "TOOL_FAILED")
    assert "database" in str(logger.named("add_exception")[0][2])


async def test_factory_of_ones_own_makes_the_tool(logger, make_tool):
    """The executor takes instances from it, a new one for every call."""
    made = []

    async def execute(self, arguments_json, context, cancellation_token):
        return InvokeResult.create(f'"{self.catalog}"')

    def initialise(self, logger, catalog):
        made.append(self)
        self.catalog = catalog

    registry = AgentToolRegistry(logger)
    registry.register(make_tool(execute=execute, __init__=initialise))
    executor = AgentToolExecutor(registry, logger, ToolFactory(logger, {"catalog": "modes"}))
    assert (await executor.execute(CALL)).result == '"modes"'
    assert (await executor.execute(CALL)).result == '"modes"'
    assert len(set(map(id, made))) == 2


@pytest.mark.parametrize("nothing", [None, object(), "tool"], ids=lambda value: type(value).__name__)
async def test_factory_that_makes_no_tool_is_a_failure(logger, make_tool, nothing):
    """A factory that returns something else breaks nothing."""
    registry = AgentToolRegistry(logger)
    registry.register(make_tool())
    result = await AgentToolExecutor(registry, logger, lambda tool_type: nothing).execute(CALL)
    assert_failed(result, "TOOL_FAILED")


@pytest.mark.parametrize(
    "value",
    [
        None,
        "{}",
        {"successful": True},
        types.SimpleNamespace(successful=True, result="{}"),
        InvokeResult("yes", "{}"),
    ],
    ids=["None", "str", "dict", "look-alike", "successful is no bool"],
)
async def test_return_value_that_is_no_result_is_a_failure(run, logger, value):
    """The log says what came back in place of a result."""
    assert_failed(await run(returning(value)), "TOOL_FAILED")
    assert f"of type {type(value).__name__}" in str(logger.named("add_exception")[0][2])


async def test_execute_that_is_not_async_is_a_failure(run):
    """A result that cannot be awaited is not a result."""
    result = await run(lambda self, arguments_json, context, token: InvokeResult.create("{}"))
    assert_failed(result, "TOOL_FAILED")


@pytest.mark.parametrize(
    "payload",
    [None, {}, b"{}", "", "plain text", "NaN", '{"a": Infinity}', '"\ud800"', "{} trailing", "[" * 100_000],
    ids=lambda payload: ascii(payload)[:20],
)
async def test_payload_that_is_not_strict_json_is_a_failure(run, logger, payload):
    """A successful result must hold the text of one RFC 8259 document."""
    assert_failed(await run(returning(InvokeResult.create(payload))), "TOOL_FAILED")
    assert "payload that is not JSON" in str(logger.named("add_exception")[0][2])


async def test_failure_of_the_tool_comes_back_as_it_is(run, logger):
    """Messages, codes and details are the tool's; the log of exceptions stays empty."""
    errors = (ResultError("No name.", "NAME", "It was empty."), ResultError("No age."))
    result = await run(returning(InvokeResult(successful=False, result="{}", errors=errors)))
    assert (result.successful, result.result, result.errors) == (False, None, errors)
    assert result.error_message == "No name.; No age."
    assert logger.named("add_exception") == []


@pytest.mark.parametrize(
    "errors",
    [(), (ResultError(" "),), (ResultError(None),), (ResultError("x", code=7),), (ResultError("x", details=b""),),
     ("text",), None],
    ids=["none", "blank", "no message", "code", "details", "text", "no tuple"],
)  # fmt: skip
async def test_failure_that_says_nothing_readable_gets_a_message(run, errors):
    """The model always gets something to go on."""
    assert_failed(await run(returning(InvokeResult(successful=False, errors=errors))), "TOOL_FAILED")


class TestClientTools:
    members = types.MappingProxyType({"is_tool_fully_executed_on_server": property(lambda self: False)})

    async def test_result_is_withheld_and_the_call_marked_for_the_client(self, run):
        """The tool ran and succeeded, but the model gets no result from the server."""
        ran = []

        async def execute(self, arguments_json, context, cancellation_token):
            ran.append(arguments_json)
            return InvokeResult.create('{"Name": "Ada"}')

        result = await run(execute, **self.members)
        assert ran == ["{}"]
        assert (result.successful, result.result, result.requires_client_execution) == (True, None, True)

    async def test_failure_leaves_nothing_to_the_client(self, run):
        """A call that the server refused is failed and not marked."""
        result = await run(returning(InvokeResult.from_error("No name.")), **self.members)
        assert (result.successful, result.requires_client_execution) == (False, False)
        assert result.error_message == "No name."

    async def test_payload_must_be_json_all_the_same(self, run):
        """Withheld does not mean unexamined."""
        assert_failed(await run(returning(InvokeResult.create("text")), **self.members), "TOOL_FAILED")


class TestCancellation:
    async def test_token_cancelled_beforehand_is_the_tools_to_see(self, run):
        """The tool runs and its own answer comes back."""

        async def execute(self, arguments_json, context, cancellation_token):
            return InvokeResult.create(
                '{"cancelled": true}' if cancellation_token.is_cancellation_requested else "{}"
            )

        source = CancellationTokenSource()
        source.cancel()
        assert (await run(execute, token=source.token)).result == '{"cancelled": true}'

    @pytest.mark.parametrize(
        "error", [OperationCanceledError("secret"), asyncio.CancelledError("secret")], ids=repr
    )
    async def test_cancellation_that_the_tool_raises_is_a_failure(self, run, logger, error):
        """The result says that the tool was cancelled; the caller's task is not."""
        source = CancellationTokenSource()
        source.cancel()
        message = assert_failed(await run(raising(error), token=source.token), "CANCELLED")
        assert "cancelled" in message
        assert "secret" not in message
        assert logger.named("add_exception")[0][2] is error

    async def test_tool_that_cancels_its_task_does_not_cancel_the_executors(self, run):
        """The call fails, and the caller goes on."""

        async def execute(self, arguments_json, context, cancellation_token):
            asyncio.current_task().cancel()
            await asyncio.Event().wait()

        assert_failed(await run(execute), "CANCELLED")
        assert asyncio.current_task().cancelling() == 0

    @pytest.mark.parametrize("reaction", ["passes on", "swallows", "raises something else"])
    async def test_cancellation_of_the_caller_goes_through(self, run, reaction):
        """Whatever the tool makes of it, who cancels the task that runs the executor sees it cancelled."""
        begun = asyncio.Event()

        async def execute(self, arguments_json, context, cancellation_token):
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if reaction == "passes on":
                    raise
                if reaction == "raises something else":
                    raise RuntimeError from None
            return InvokeResult.create("{}")

        caller = asyncio.create_task(run(execute))
        await begun.wait()
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_keyboard_interrupt_goes_through(run):
    """Ctrl-C is not the tool's to raise or the executor's to hide."""
    with pytest.raises(KeyboardInterrupt):
        await run(raising(KeyboardInterrupt()))


@pytest.mark.parametrize(
    "record", [CALL, AgentToolCallResult("c", "n", successful=True)], ids=lambda r: type(r).__name__
)
def test_calls_and_their_results_cannot_be_changed(record):
    """Setting a field raises."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"


async def test_no_task_is_left_behind(run):
    """After a call only the caller's task is alive."""
    await run(returning(InvokeResult.create("{}")))
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    "execute", [returning(InvokeResult.create("{}")), raising(ValueError()), returning(None)]
)
async def test_broken_logger_changes_no_result(broken_logger, logger, make_tool, execute):
    """The result is the same with a log that raises."""
    results = []
    for log in (logger, broken_logger):
        registry = AgentToolRegistry(log)
        registry.register(make_tool(execute=execute))
        executor = AgentToolExecutor(registry, log)
        results.append((await executor.execute(CALL), await executor.execute(AgentToolCall("unknown"))))
    assert results[0] == results[1]
