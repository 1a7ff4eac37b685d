"""What the tests of the harness share: a recording logger, and tool classes made to order."""

import pytest
from tests.loggers import RecordingLogger

from aptix_harness import InvokeResult


class BrokenLogger:
    """Raises whatever is asked of it."""

    def add_exception(self, tag, exception, *pairs):
        raise ConnectionError("no log")

    add_error = add_custom_event = trace = add_exception


@pytest.fixture
def logger():
    return RecordingLogger()


@pytest.fixture
def broken_logger():
    return BrokenLogger()


@pytest.fixture
def make_tool():
    """Return a function that makes a well-formed tool class; keywords replace members, None in `without` drops them."""

    def make(*, without=(), metaclass=type, bases=(), **members):
        async def execute(self, arguments_json, context, cancellation_token):
            return InvokeResult.create("{}")

        body = {
            "TOOL_NAME": "test_tool",
            "TOOL_USAGE_METADATA": "Use it in tests.",
            "name": property(lambda self: self.TOOL_NAME),
            "is_tool_fully_executed_on_server": property(lambda self: True),
            "get_schema": staticmethod(lambda: {"type": "function"}),
            "execute": execute,
            "__module__": "made",
            **members,
        }
        for member in without:
            del body[member]
        return metaclass("MadeTool", bases, body)

    return make
