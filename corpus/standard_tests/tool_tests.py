"""langchain-tests' unit and integration tests for one tool (a pytest file). The environment names its module, the tool and the call."""

import importlib
import json
import os
from typing import Any

from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests


def _find() -> BaseTool:
    found: list[Any] = []
    for value in vars(importlib.import_module(os.environ["TOOL_MODULE"])).values():
        found += value.get_tools() if hasattr(value, "get_tools") and not isinstance(value, type) else []
        found += value if isinstance(value, list) else [value]
    return next(each for each in found if isinstance(each, BaseTool) and each.name == os.environ["TOOL_NAME"])


class _Tool:
    @property
    def tool_constructor(self) -> BaseTool:
        return _find()

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        call: dict[str, Any] = json.loads(os.environ["TOOL_CALL"])
        return call


class TestUnit(_Tool, ToolsUnitTests):
    """Six tests; none makes a call."""


class TestIntegration(_Tool, ToolsIntegrationTests):
    """Five tests; four make the call."""
