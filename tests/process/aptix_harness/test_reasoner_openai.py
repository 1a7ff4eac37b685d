"""The reasoner with the real `openai` package, against a server on loopback that plays a script."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.loggers import RecordingLogger

from aptix_harness import (
    AgentReasoner,
    AgentToolExecutionContext,
    AgentToolExecutor,
    AgentToolRegistry,
    AgentToolRequest,
    StopReason,
    function_call_output,
)
from aptix_reference_tools import CalculatorTool, FailureInjectionTool, HelloWorldClientTool, HelloWorldTool

TOOLS = (HelloWorldTool, HelloWorldClientTool, CalculatorTool, FailureInjectionTool)  # sorted by name
CONTEXT = AgentToolExecutionContext(session_id="s-1", request=AgentToolRequest(conversation_id="k-1"))


def call(call_id, name, arguments, **members):
    item = {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }
    return {**item, "status": "completed", **members}


def message(text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


def reasoning():
    return {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3BhcXVl"}


def response(*output, **members):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "model-1",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": list(output),
        **members,
    }


def complaint(request):
    """Say what the API would refuse a request for, None if nothing: its calls and outputs must pair up."""
    items = request["input"]
    wanted = [item["call_id"] for item in items if item.get("type") == "function_call"]
    given = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    if not all(isinstance(item["output"], str) for item in items if "output" in item):
        return "An output is no text."
    return (
        None
        if sorted(wanted) == sorted(given)
        else f"No tool output found for one of {wanted}: there are {given}."
    )


class ScriptedServer(ThreadingHTTPServer):
    """Answers POST /v1/responses with the responses of its script in turn, and keeps each request's body."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ScriptedHandler)
        self.script = []
        self.requests = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class ScriptedHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        wrong = complaint(body) if self.path == "/v1/responses" else "Not found."
        if wrong:
            return self._send(400, {"error": {"message": wrong}})
        step = self.server.script.pop(0)
        return self._send(*(step if isinstance(step, tuple) else (200, step)))

    def _send(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    """A server with an empty script."""
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(params=["sync", "async"])
async def client(request, server):
    """The package's client, of either kind; a proxy of the machine's is not asked.

    The package takes a second to import: only the workers of a run that use it do so.
    """
    import openai

    settings = {"base_url": server.url, "api_key": "key", "max_retries": 0}
    if request.param == "sync":
        with openai.OpenAI(**settings, http_client=openai.DefaultHttpxClient(trust_env=False)) as synchronous:
            yield synchronous
    else:
        http_client = openai.DefaultAsyncHttpxClient(trust_env=False)
        async with openai.AsyncOpenAI(**settings, http_client=http_client) as asynchronous:
            yield asynchronous


@pytest.fixture
def reasoner(client):
    """A reasoner with four of the reference tools."""
    logger = RecordingLogger()
    registry = AgentToolRegistry(logger)
    for tool_type in reversed(TOOLS):
        registry.register(tool_type)
    return AgentReasoner(
        client, "model-1", registry, AgentToolExecutor(registry, logger), instructions="Be kind."
    )


def outputs(request):
    """Return the answers in a request, call id to document."""
    items = request["input"]
    return {
        item["call_id"]: json.loads(item["output"])
        for item in items
        if item.get("type") == "function_call_output"
    }


@pytest.mark.clause("AGN-005.7.16", "AGN-005.12.3")
async def test_request_holds_schema_and_usage_text_of_every_tool(reasoner, server):
    """As the API wants them: flat functions, not strict; the guidance in the instructions."""
    server.script = [response(message("Hello."))]
    result = await reasoner.run("Hi.", CONTEXT)
    (request,) = server.requests
    assert request["tools"] == [{**tool_type.get_schema(), "strict": False} for tool_type in TOOLS]
    assert request["instructions"].startswith("Be kind.\n\n<tool_guidance>")
    assert all(tool_type.TOOL_USAGE_METADATA in request["instructions"] for tool_type in TOOLS)
    assert request["input"] == [{"role": "user", "content": "Hi."}]
    assert set(request) == {"model", "tools", "instructions", "input"}
    assert (result.text, result.stopped) == ("Hello.", StopReason.ANSWERED)


@pytest.mark.clause("AGN-005.1.3")
async def test_calls_are_run_and_answered_until_the_model_is_done(reasoner, server):
    """Reasoning, text beside calls and the calls themselves go back as they came, each answer after them."""
    first = [reasoning(), message("One moment."), call("c1", "agent_hello_world", '{"name": "Amara"}')]
    server.script = [response(*first), response(message("I have greeted Amara."))]
    result = await reasoner.run("Greet Amara.", CONTEXT)
    assert server.requests[1]["input"][1:4] == first
    (greeting,) = outputs(server.requests[1]).values()
    assert "Amara" in greeting["Message"]
    assert (greeting["SessionId"], greeting["ConversationId"]) == ("s-1", "k-1")
    assert (result.text, result.rounds) == ("I have greeted Amara.", 2)
    assert list(result.items[:-1]) == server.requests[1]["input"]
    assert result.items[-1] == message("I have greeted Amara.")


@pytest.mark.clause("AGN-005.9.2")
async def test_model_can_go_on_after_every_kind_of_failure(reasoner, server):
    """Refused arguments, malformed JSON, an injected failure, an unknown tool and arguments that are no text."""
    wanted = [
        call("c1", "agent_hello_world", "{}"),
        call("c2", "agent_hello_world", '{"name": "Am'),
        call("c3", "testing_failure_injection", '{"shouldFail": true}'),
        call("c4", "agent_nobody", "{}"),
        call("c5", "agent_hello_world", {"name": "Amara"}),
        call("c6", "agent_hello_world", '{"name": "\ud800"}'),
        call("c7", "agent_hello_world", '{"name": "Amara"}'),
    ]
    server.script = [response(*wanted), response(message("Enough."))]
    result = await reasoner.run("Try.", CONTEXT)
    answers = outputs(server.requests[1])
    assert list(answers) == ["c1", "c2", "c3", "c4", "c5", "c6", "c7"]
    assert all(answers[call_id]["error"] for call_id in ("c1", "c2", "c3", "c4", "c5"))
    assert "Amara" in answers["c7"]["Message"]
    assert [made.result.successful for made in result.calls][:5] == [False] * 5
    assert result.text == "Enough."


async def test_client_finishes_its_calls_and_the_conversation_goes_on(reasoner, server):
    """Without the client's output the API would refuse the next request; with it the model goes on."""
    wanted = [
        call("c1", "agent_hello_world_client", '{"name": "Amara"}'),
        call("c2", "agent_hello_world", '{"name": "Ben"}'),
    ]
    server.script = [response(*wanted), response(message("Both are greeted."))]
    result = await reasoner.run("Greet both.", CONTEXT)
    assert result.stopped == StopReason.CLIENT
    (waiting,) = result.pending
    assert (waiting.name, waiting.arguments_json) == ("agent_hello_world_client", '{"name": "Amara"}')

    items = [*result.items, function_call_output(waiting.call_id, '"shown"')]
    assert (await reasoner.run(items, CONTEXT)).text == "Both are greeted."
    assert outputs(server.requests[1])["c1"] == "shown"


async def test_response_cut_short_is_told(reasoner, server):
    """Its call is not run."""
    cut = call("c1", "agent_hello_world", '{"name": "Am', status="incomplete")
    details = {"reason": "max_output_tokens"}
    server.script = [response(cut, status="incomplete", incomplete_details=details)]
    result = await reasoner.run("Greet.", CONTEXT)
    assert (result.stopped, result.detail) == (StopReason.INCOMPLETE, "max_output_tokens")
    assert [made.result.errors[0].code for made in result.calls] == ["NOT_RUN"]


async def test_item_that_the_package_does_not_know_goes_back_as_it_came(reasoner, server):
    """The API grows faster than the package, and the package's types than anyone's warnings."""
    news = {"type": "telepathy", "id": "tp_1", "thought": {"depth": 3}, "content": None}
    server.script = [
        response(news, call("c1", "agent_hello_world", '{"name": "Amara"}')),
        response(message("Hm.")),
    ]
    result = await reasoner.run("Think.", CONTEXT)
    assert server.requests[1]["input"][1] == news
    assert result.text == "Hm."


async def test_error_of_the_api_goes_through(reasoner, server):
    """As the package's own exception."""
    import openai

    server.script = [(429, {"error": {"message": "Slow down."}})]
    with pytest.raises(openai.RateLimitError):
        await reasoner.run("Hi.", CONTEXT)
