"""The loop, with a client that is a plain object; test_reasoner_openai.py has the real one."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from aptix_harness import (
    AgentReasoner,
    AgentToolCall,
    AgentToolExecutionContext,
    AgentToolExecutor,
    AgentToolRegistry,
    CancellationTokenSource,
    InvalidOperationError,
    InvokeResult,
    StopReason,
    function_call_output,
)

USER = {"role": "user", "content": "Go."}
DONE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}


def call(call_id, arguments="{}", name="test_tool"):
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}


class ScriptedClient:
    """Gives the outputs of its script one after another, and keeps the requests. An exception is raised."""

    def __init__(self, *script):
        self.script = list(script)
        self.requests = []
        self.responses = self

    def create(self, **request):
        self.requests.append(request)
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return {"output": step} if isinstance(step, list) else step


class AsyncScriptedClient(ScriptedClient):
    """The same, to be awaited."""

    def create(self, **request):
        async def respond():
            return super(AsyncScriptedClient, self).create(**request)

        return respond()


@pytest.fixture
def make_reasoner(logger, make_tool):
    """Return a function that makes a reasoner with test_tool, which runs `execute`, and the client of a script."""

    def make(*script, execute=None, client=ScriptedClient, members=None, **settings):
        async def succeed(self, arguments_json, context, cancellation_token):
            return InvokeResult.create(json.dumps(arguments_json))

        schema = {
            "type": "function",
            "name": "test_tool",
            "description": "Tests.",
            "parameters": {"type": "object", "properties": {}},
        }
        registry = AgentToolRegistry(logger)
        declared = {"execute": execute or succeed, "get_schema": staticmethod(lambda: schema)}
        registry.register(make_tool(**declared | (members or {})))
        scripted = client(*script) if isinstance(client, type) else client
        reasoner = AgentReasoner(
            scripted, "model-1", registry, AgentToolExecutor(registry, logger), **settings
        )
        return reasoner, scripted

    return make


def outputs(items):
    """Return call id and output of each answer, in order."""
    return [
        (item["call_id"], json.loads(item["output"]))
        for item in items
        if item.get("type") == "function_call_output"
    ]


def codes(result):
    """Return the first error code of each call, None for a success."""
    return [made.result.errors[0].code if made.result.errors else None for made in result.calls]


async def test_answer_without_calls_ends_the_run(make_reasoner):
    """One request is made, and the conversation is the question and the answer."""
    reasoner, client = make_reasoner([DONE])
    result = await reasoner.run("Go.")
    assert (result.text, result.stopped, result.rounds) == ("Done.", StopReason.ANSWERED, 1)
    assert result.items == (USER, DONE)
    assert (result.calls, result.pending, result.detail) == ((), (), None)
    assert len(client.requests) == 1


@pytest.mark.parametrize("client", [ScriptedClient, AsyncScriptedClient])
async def test_each_request_carries_the_whole_conversation(make_reasoner, client):
    """The output of a response, then the answers to its calls; nothing is kept on the server's side."""
    first, second = call("c1", '{"a":  1}'), call("c2", "")
    reasoner, client = make_reasoner([first], [second], [DONE], client=client)
    result = await reasoner.run("Go.")
    answers = [function_call_output("c1", json.dumps('{"a":  1}')), function_call_output("c2", '""')]
    assert [request["input"] for request in client.requests] == [
        [USER],
        [USER, first, answers[0]],
        [USER, first, answers[0], second, answers[1]],
    ]
    assert result.items == (USER, first, answers[0], second, answers[1], DONE)
    assert [made.call for made in result.calls] == [
        AgentToolCall("test_tool", '{"a":  1}', "c1"),
        AgentToolCall("test_tool", "", "c2"),
    ]
    assert all("previous_response_id" not in request for request in client.requests)


@pytest.mark.clause("AGN-005.7.16", "AGN-005.12.3")
async def test_requests_tell_the_model_of_the_tools(make_reasoner):
    """Model, tools, instructions and the caller's options stand in each of them."""
    reasoner, client = make_reasoner(
        [call("c1")], [DONE], instructions="Be kind.", options={"temperature": 0, "store": False}
    )
    await reasoner.run("Go.")
    for request in client.requests:
        assert request.pop("input")
        assert request == {
            "model": "model-1",
            "temperature": 0,
            "store": False,
            "instructions": (
                'Be kind.\n\n<tool_guidance>\n<tool name="test_tool">\nUse it in tests.\n</tool>\n</tool_guidance>'
            ),
            "tools": [
                {
                    "type": "function",
                    "name": "test_tool",
                    "description": "Tests.",
                    "parameters": {"type": "object", "properties": {}},
                    "strict": False,
                }
            ],
        }


async def test_without_tools_and_instructions_neither_is_sent(logger):
    """A client then leaves the parameter out; null would be a value."""
    registry = AgentToolRegistry(logger)
    client = ScriptedClient([DONE])
    reasoner = AgentReasoner(client, "model-1", registry, AgentToolExecutor(registry, logger))
    await reasoner.run([USER])
    assert client.requests == [{"model": "model-1", "tools": [], "input": [USER]}]


async def test_run_can_be_taken_up_from_its_items(make_reasoner):
    """The result's items are the input of the next run, and the caller's list stays as it was."""
    reasoner, client = make_reasoner([call("c1")], [DONE], [DONE])
    first = await reasoner.run("Go.")
    items = [*first.items, USER]
    await reasoner.run(items)
    assert client.requests[-1]["input"] == items == [*first.items, USER]


async def test_context_and_token_reach_the_tool(make_reasoner):
    """The very objects that the caller gave."""
    seen = []

    async def execute(self, arguments_json, context, cancellation_token):
        seen.extend((context, cancellation_token))
        return InvokeResult.create("{}")

    reasoner, _ = make_reasoner([call("c1")], [DONE], execute=execute)
    context, source = AgentToolExecutionContext(session_id="s"), CancellationTokenSource()
    await reasoner.run("Go.", context, source.token)
    assert seen[0] is context
    assert seen[1] is source.token


@pytest.mark.clause("AGN-005.9.2")
async def test_failures_are_answered_and_the_model_goes_on(make_reasoner):
    """A refusal of the tool, an exception, an unknown tool and malformed calls: each gets its answer, in its order."""

    async def execute(self, arguments_json, context, cancellation_token):
        if arguments_json == "raise":
            raise RuntimeError("secret")
        return InvokeResult.from_error("No name.", "NAME")

    wanted = [
        call("c1"),
        call("c2", "raise"),
        call("c3", name="nobody"),
        call("c4", {"a": 1}),
        call("", "no id"),
        call("c6", name=None),
    ]
    reasoner, client = make_reasoner(wanted, [DONE], execute=execute)
    result = await reasoner.run("Go.")
    assert result.stopped == StopReason.ANSWERED
    answers = outputs(client.requests[1]["input"])
    assert [call_id for call_id, _ in answers] == ["c1", "c2", "c3", "c4", "call_1_4", "c6"]
    assert [output["codes"] for _, output in answers] == [
        ["NAME"], ["TOOL_FAILED"], ["UNKNOWN_TOOL"], ["MALFORMED_CALL"], ["MALFORMED_CALL"], ["UNKNOWN_TOOL"],
    ]  # fmt: skip
    assert answers[0][1]["error"] == "No name."
    assert "secret" not in str(client.requests)


class TestClientTools:
    async def test_run_stops_with_the_calls_that_wait(self, make_reasoner):
        """They have no answer; those beside them have theirs."""

        async def execute(self, arguments_json, context, cancellation_token):
            if arguments_json == "bad":
                return InvokeResult.from_error("No.")
            return InvokeResult.create("{}")

        members = {"is_tool_fully_executed_on_server": property(lambda self: False)}
        wanted = [call("c1"), call("c2", "bad"), call("c3", '{"a": 1}')]
        reasoner, client = make_reasoner(wanted, [DONE], execute=execute, members=members)
        result = await reasoner.run("Go.")
        assert result.stopped == StopReason.CLIENT
        assert result.pending == (
            AgentToolCall("test_tool", "{}", "c1"),
            AgentToolCall("test_tool", '{"a": 1}', "c3"),
        )
        assert outputs(result.items) == [("c2", {"error": "No."})]
        assert len(result.calls) == 3

        answers = [function_call_output(waiting.call_id, '"shown"') for waiting in result.pending]
        assert (await reasoner.run([*result.items, *answers])).text == "Done."
        assert client.requests[1]["input"] == [*result.items, *answers]


class TestBounds:
    async def test_rounds_are_bounded(self, make_reasoner):
        """The calls of the last round are run and answered, so that the caller may go on."""
        reasoner, client = make_reasoner(*([call(f"c{n}", f"{n}")] for n in range(9)))
        result = await reasoner.run("Go.")
        assert (result.stopped, result.rounds, len(client.requests)) == (StopReason.MAX_ROUNDS, 8, 8)
        assert outputs(result.items)[-1] == ("c7", "7")

    async def test_identical_calls_are_broken_off(self, make_reasoner):
        """The model reads why, and may still answer; other arguments are another call."""
        ran = []

        async def execute(self, arguments_json, context, cancellation_token):
            ran.append(arguments_json)
            return InvokeResult.create("{}")

        reasoner, client = make_reasoner(
            [call("c1"), call("c2", name="TEST_TOOL"), call("c3", "{} ")],
            [call("c4")],
            [DONE],
            execute=execute,
            max_identical_calls=2,
        )
        result = await reasoner.run("Go.")
        assert ran == ["{}", "{}", "{} "]
        assert codes(result) == [None, None, None, "REPEATED_CALL"]
        call_id, output = outputs(client.requests[2]["input"])[-1]
        assert call_id == "c4"
        assert "2 times already" in output["error"]
        assert result.stopped == StopReason.ANSWERED

    async def test_calls_are_counted_anew_in_each_run(self, make_reasoner):
        """A reasoner keeps nothing between runs."""
        reasoner, _ = make_reasoner([call("c1")], [DONE], [call("c1")], [DONE], max_identical_calls=1)
        assert codes(await reasoner.run("Go.")) == [None]
        assert codes(await reasoner.run("Go.")) == [None]

    @pytest.mark.parametrize("parallel", [1, 2])
    async def test_no_more_calls_run_at_once_than_allowed(self, make_reasoner, parallel):
        """Answers keep the order of the calls, also where a later call ends first."""
        running, most, ended = [], [], []
        gate = asyncio.Event()

        async def execute(self, arguments_json, context, cancellation_token):
            running.append(arguments_json)
            most.append(len(running))
            if arguments_json == "1" and parallel > 1:
                await gate.wait()
            gate.set()
            running.remove(arguments_json)
            ended.append(arguments_json)
            return InvokeResult.create(arguments_json)

        wanted = [call(f"c{n}", f"{n}") for n in (1, 2, 3)]
        reasoner, _ = make_reasoner(wanted, [DONE], execute=execute, parallel_calls=parallel)
        result = await reasoner.run("Go.")
        assert max(most) == parallel
        assert (ended == ["1", "2", "3"]) is (parallel == 1)
        assert outputs(result.items) == [("c1", 1), ("c2", 2), ("c3", 3)]

    @pytest.mark.parametrize("bound", ["max_rounds", "max_identical_calls", "parallel_calls"])
    def test_bound_below_one_is_refused(self, make_reasoner, bound):
        """The message names it."""
        with pytest.raises(InvalidOperationError, match=f"{bound} is 0"):
            make_reasoner(**{bound: 0})


class TestConfiguration:
    @pytest.mark.parametrize("option", ["input", "tools", "stream", "previous_response_id"])
    def test_what_the_reasoner_sets_is_no_option(self, make_reasoner, option):
        """The message names it."""
        with pytest.raises(InvalidOperationError, match=f"sets {option} itself"):
            make_reasoner(options={option: None})

    def test_tool_that_cannot_be_shown_stops_the_start_up(self, make_reasoner):
        """No request is ever made without it."""
        with pytest.raises(InvalidOperationError, match="'test_tool'"):
            make_reasoner(members={"get_schema": staticmethod(lambda: {"type": "function"})})

    async def test_usage_text_lost_later_stops_the_next_run(self, make_reasoner):
        """Before anything is sent: classes are read again for each run."""
        reasoner, client = make_reasoner([DONE])
        await reasoner.run("Go.")
        reasoner._registry.get_tool_type("test_tool").TOOL_USAGE_METADATA = " "
        with pytest.raises(InvalidOperationError, match=r"AGN-005\.7\.17"):
            await reasoner.run("Go.")
        assert len(client.requests) == 1


class TestResponsesThatAreNotCompleted:
    async def test_calls_are_answered_and_not_run(self, make_reasoner):
        """A response that was cut short may have cut its calls; the conversation stays well-formed."""

        async def execute(self, arguments_json, context, cancellation_token):
            raise AssertionError

        cut = {
            "output": [call("c1")],
            "status": "incomplete",
            "incomplete_details": {"reason": "content_filter"},
        }
        reasoner, client = make_reasoner(cut, execute=execute)
        result = await reasoner.run("Go.")
        assert (result.stopped, result.detail) == (StopReason.INCOMPLETE, "content_filter")
        assert codes(result) == ["NOT_RUN"]
        assert [call_id for call_id, _ in outputs(result.items)] == ["c1"]
        assert len(client.requests) == 1

    async def test_refusal_ends_the_run(self, make_reasoner):
        """Its words are the text."""
        refusal = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
        result = await make_reasoner([refusal])[0].run("Go.")
        assert (result.stopped, result.text) == (StopReason.REFUSED, "No.")

    @pytest.mark.parametrize("client", [ScriptedClient, AsyncScriptedClient])
    async def test_exception_of_the_client_goes_through_and_nothing_is_lost(self, make_reasoner, client):
        """Who asked to hear of the items has those that came before, also the effects of calls."""
        error, heard = ConnectionError("down"), []
        reasoner, _ = make_reasoner([call("c1")], error, client=client)
        with pytest.raises(ConnectionError) as raised:
            await reasoner.run("Go.", on_item=heard.append)
        assert raised.value is error
        assert heard == [call("c1"), function_call_output("c1", '"{}"')]

    @pytest.mark.parametrize("client", [ScriptedClient, AsyncScriptedClient])
    async def test_client_that_gives_no_response_is_refused(self, make_reasoner, client):
        """None is not taken for a cancellation."""
        with pytest.raises(InvalidOperationError, match="NoneType"):
            await make_reasoner(None, client=client)[0].run("Go.")


class TestCancellation:
    @pytest.fixture
    def source(self):
        return CancellationTokenSource()

    async def test_nothing_is_asked_when_cancelled_beforehand(self, make_reasoner, source):
        """The conversation is what the caller gave."""
        source.cancel()
        reasoner, client = make_reasoner([DONE])
        result = await reasoner.run("Go.", None, source.token)
        assert (result.stopped, result.items, result.rounds, result.text) == (
            StopReason.CANCELLED,
            (USER,),
            0,
            "",
        )
        assert client.requests == []

    async def test_request_under_way_is_given_up(self, make_reasoner, source):
        """The client sees its task cancelled, and no task is left."""
        ended = []

        async def create(**request):
            source.cancel()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(request)

        reasoner, _ = make_reasoner(client=SimpleNamespace(responses=SimpleNamespace(create=create)))
        result = await reasoner.run("Go.", None, source.token)
        assert (result.stopped, result.items) == (StopReason.CANCELLED, (USER,))
        assert len(ended) == 1
        assert asyncio.all_tasks() == {asyncio.current_task()}

    async def test_calls_not_begun_are_answered_as_not_run(self, make_reasoner, source):
        """The tool that ran gives its own answer; nothing more is asked."""

        async def execute(self, arguments_json, context, cancellation_token):
            source.cancel()
            return InvokeResult.create('{"cancelled": true}')

        reasoner, client = make_reasoner([call("c1"), call("c2"), call("c3")], [DONE], execute=execute)
        result = await reasoner.run("Go.", None, source.token)
        assert result.stopped == StopReason.CANCELLED
        assert codes(result) == [None, "NOT_RUN", "NOT_RUN"]
        assert [call_id for call_id, _ in outputs(result.items)] == ["c1", "c2", "c3"]
        assert len(client.requests) == 1

    async def test_it_is_told_in_the_last_round_too(self, make_reasoner, source):
        """Cancelled, and not merely at the end of its rounds."""

        async def execute(self, arguments_json, context, cancellation_token):
            source.cancel()
            return InvokeResult.create("{}")

        reasoner, _ = make_reasoner([call("c1")], execute=execute, max_rounds=1)
        assert (await reasoner.run("Go.", None, source.token)).stopped == StopReason.CANCELLED

    async def test_answer_that_came_first_stands(self, make_reasoner, source):
        """Cancelled while a synchronous client blocks: completion won the race."""

        def create(**request):
            source.cancel()
            return {"output": [DONE]}

        reasoner, _ = make_reasoner(client=SimpleNamespace(responses=SimpleNamespace(create=create)))
        assert (await reasoner.run("Go.", None, source.token)).stopped == StopReason.ANSWERED

    @pytest.mark.parametrize("place", ["client", "tool"])
    async def test_cancelled_task_ends_and_leaves_nothing_running(self, make_reasoner, place):
        """Client and tools end with it, those that wait for their turn too."""
        begun = asyncio.Event()

        async def hang(*_, **__):
            begun.set()
            await asyncio.Event().wait()

        client = SimpleNamespace(responses=SimpleNamespace(create=hang)) if place == "client" else None
        wanted = [call("c1"), call("c2")]
        reasoner, _ = make_reasoner(wanted, execute=hang, client=client or ScriptedClient)
        running = asyncio.create_task(reasoner.run("Go."))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert asyncio.all_tasks() == {asyncio.current_task()}

    async def test_no_task_is_left_after_an_answer(self, make_reasoner):
        """Neither what asked nor what watched the token."""
        reasoner, _ = make_reasoner([call("c1")], [DONE], client=AsyncScriptedClient)
        await reasoner.run("Go.")
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_one_reasoner_runs_many_conversations(make_reasoner):
    """They share neither items nor counts."""

    async def create(**request):
        await asyncio.sleep(0)
        return {"output": [DONE] if len(request["input"]) > 1 else [call(request["input"][0]["content"])]}

    client = SimpleNamespace(responses=SimpleNamespace(create=create))
    reasoner, _ = make_reasoner(client=client, max_identical_calls=1)
    results = await asyncio.gather(*(reasoner.run(f"c{n}") for n in range(5)))
    assert [made.call.call_id for result in results for made in result.calls] == [f"c{n}" for n in range(5)]
    assert all(codes(result) == [None] and len(result.items) == 4 for result in results)
