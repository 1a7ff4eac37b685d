"""Measures hosts: the start of a zygote, the fork of a tool's process, and calls a second of a trivial tool.

Run it with `python benchmarks/host_round_trip.py`; it prints, and judges nothing.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from aptix_conformance.hosts import Environment, PythonHostPool
from aptix_conformance.observations import CallPlan
from aptix_conformance.targets.settings import Target, ToolSettings

TOOL = """
from aptix_harness import InvokeResult

class EchoTool:
    TOOL_NAME = "benchmark_echo"
    TOOL_USAGE_METADATA = "Echoes."

    @staticmethod
    def get_schema():
        return {}

    async def execute(self, arguments_json, context, cancellation_token):
        return InvokeResult.create(arguments_json)
"""
CALLS = 5_000
FORKS = 30


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        Path(root, "echo_tools.py").write_text(TOOL, encoding="utf-8")
        environment = Environment(rootdir=Path(root), sys_path=tuple(sys.path))
        target = Target("echo_tools:EchoTool", "aptix", "echo_tools", "EchoTool")
        with PythonHostPool(environment) as pool:
            started = time.perf_counter()
            pool.list_tools("echo_tools", ToolSettings())
            print(f"zygote, contained, with its package imported: {_ms(time.perf_counter() - started)}")
            host = pool.open(target, ToolSettings())
            plan = CallPlan("benchmark", "generated", '{"text": "hello"}', {"session_id": "s"})
            forks = []
            for _ in range(FORKS):
                host.reset()
                started = time.perf_counter()
                host.execute(plan)
                forks.append(time.perf_counter() - started)
            print(f"fork of a tool's process and its first call, median: {_ms(statistics.median(forks))}")
            started = time.perf_counter()
            for _ in range(FORKS):
                host.reset()
                host.describe()
            print(f"end, fork and describe, mean: {_ms((time.perf_counter() - started) / FORKS)}")
            trips = []
            for _ in range(CALLS):
                started = time.perf_counter()
                host.execute(plan)
                trips.append(time.perf_counter() - started)
            print(f"round trip, median: {_ms(statistics.median(trips))}; {CALLS / sum(trips):,.0f} calls/s")


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.3f} ms"


if __name__ == "__main__":
    main()
