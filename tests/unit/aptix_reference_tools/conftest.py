"""What the tests of the reference tools share: a recording logger, calls, and ways to make things go wrong."""

import json

import pytest
from tests.loggers import RecordingLogger

from aptix_harness import (
    AgentToolExecutionContext,
    AgentToolRequest,
    CancellationToken,
    CancellationTokenSource,
)
from aptix_reference_tools import (
    AgentListModesTool,
    CalculatorTool,
    DelayTool,
    FailureInjectionTool,
    HelloWorldClientTool,
    HelloWorldTool,
    PingPongTool,
    make_catalog,
)

VALID = {
    HelloWorldTool: {"name": "Ada"},
    HelloWorldClientTool: {"name": "Ada"},
    PingPongTool: {"message": "hi", "count": 1},
    CalculatorTool: {"operation": "add", "left": 1, "right": 2},
    DelayTool: {"milliseconds": 0, "note": "n"},
    FailureInjectionTool: {"shouldFail": False, "payload": "p"},
    AgentListModesTool: {"includeExamples": True},
}


class BrokenToken(CancellationToken):
    """A token that cannot be asked: the nearest thing to a bug in the middle of a call."""

    def _on_consulted(self, member):
        raise RuntimeError("secret of the token")


@pytest.fixture
def logger():
    return RecordingLogger()


@pytest.fixture
def broken_token():
    return BrokenToken()


@pytest.fixture
def cancelled_token():
    source = CancellationTokenSource()
    source.cancel()
    return source.token


@pytest.fixture
def context():
    return AgentToolExecutionContext(
        session_id="session-1", request=AgentToolRequest(conversation_id="conversation-1", session_id="other")
    )


@pytest.fixture(params=VALID, ids=lambda tool_type: tool_type.TOOL_NAME)
def tool_type(request):
    """Each of the seven tools in turn."""
    return request.param


@pytest.fixture
def make(logger):
    """Return a function that makes an instance of a tool."""

    def make_tool(tool_type, catalog=None):
        if tool_type is AgentListModesTool:
            return tool_type(logger, catalog or make_catalog())
        return tool_type(logger)

    return make_tool


@pytest.fixture
def tool(tool_type, make):
    return make(tool_type)


@pytest.fixture
def valid(tool_type):
    """Arguments with which the tool succeeds, as text."""
    return json.dumps(VALID[tool_type])


@pytest.fixture
def succeed(make):
    """Return a function that runs one call, checks that it succeeds, and returns its parsed payload."""

    async def succeed_with(tool_type, arguments, context=None, **more):
        text = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
        result = await make(tool_type).execute(text, context, **more)
        assert result.successful, result.error_message
        return json.loads(result.result)

    return succeed_with


@pytest.fixture
def fail(make, logger):
    """Return a function that runs one call, checks that it fails cleanly, and returns its code and message."""

    async def fail_with(tool_type, arguments, **more):
        text = arguments if isinstance(arguments, str | None) else json.dumps(arguments)
        result = await make(tool_type).execute(text, None, **more)
        assert (result.successful, result.result) == (False, None)
        (error,) = result.errors
        assert error.message
        assert [call for call in logger.calls if call[0] == "add_exception"] == []
        return error.code, error.message

    return fail_with
