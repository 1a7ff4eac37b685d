"""langchain-tests' standard unit tests for a small tool with the measured tool's arguments (a pytest file)."""

from typing import Literal

import measures
from langchain_core.tools import BaseTool
from langchain_tests.unit_tests import ToolsUnitTests


class MeasureTool(BaseTool):
    name: str = "benchmark_measure"
    description: str = "Gives back a measure."

    def _run(
        self,
        name: str,
        count: int,
        ratio: float = 0,
        unit: Literal["metre", "mile", "foot"] = "metre",
        detailed: bool = False,  # noqa: FBT001, FBT002 - an argument of the tool
    ) -> dict[str, object]:
        return measures.measure(
            {"name": name, "count": count, "ratio": ratio, "unit": unit, "detailed": detailed}
        )


class TestMeasureTool(ToolsUnitTests):
    @property
    def tool_constructor(self) -> type[MeasureTool]:
        return MeasureTool

    @property
    def tool_invoke_params_example(self) -> dict[str, object]:
        return {"name": "plank", "count": 3}
