"""One probe's drawn calls: drawn, sent to the tool's own process, judged by every rule, by the real engine.

`ours_calls.py PROBE CALLS SEED` prints {"calls": …, "wall": seconds, "cpu": seconds of all processes}.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from aptix_conformance.contracts import load
from aptix_conformance.examination.examine import Suite, bearing
from aptix_conformance.examination.ledger import Ledger
from aptix_conformance.examination.scan import Budget, Scan
from aptix_conformance.examination.storage import hypothesis_home
from aptix_conformance.generate import usable_schema
from aptix_conformance.hosts import Environment, PythonHostPool
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.model.codec import replace
from aptix_conformance.probes import PROBES, Subject
from aptix_conformance.systems.registry import TRAITS
from aptix_conformance.systems.rulebook import all_rules
from aptix_conformance.targets.settings import Target, ToolSettings

HERE = Path(__file__).parent
TARGET = Target("measure_tool:MeasureTool", "aptix", "measure_tool", "MeasureTool")
BUDGET = 600.0
WARM_UP = 50


def main(probe_name: str, calls: int, seed: int) -> dict[str, float]:
    environment = Environment(rootdir=HERE, sys_path=(str(HERE), *sys.path), systems=TRAITS)
    with PythonHostPool(environment) as pool, hypothesis_home(None):
        host = pool.open(TARGET, ToolSettings())
        try:
            return _measured(host, probe_name, calls, seed)
        finally:
            host.close()


def _measured(host: ToolHost, probe_name: str, calls: int, seed: int) -> dict[str, float]:
    if host.read_only:
        raise SystemExit(f"no call can be made here: {host.read_only}")
    declaration = host.describe()
    inventory = load()
    suite = Suite(all_rules(), inventory.edition("aptix-tul-011"), inventory)
    ledger = Ledger(bearing(suite, declaration))
    schema, _ = usable_schema(declaration)
    subject = Subject(
        declaration=declaration, schema=schema, settings=ToolSettings(), seed=seed, examples=calls
    )
    probes = {probe.name: probe for probe in PROBES}
    if probe_name not in probes:
        raise SystemExit(f"there is no probe {probe_name}")
    valid, probe = probes["valid"], probes[probe_name]
    scan = Scan(host, ledger, Budget(BUDGET), probe.name, seed, examples=calls)
    scan.run_fixed(valid.fixed(subject, ()))
    strategy = probe.drawn(subject, ledger.calls)
    if strategy is None:
        raise SystemExit(f"the probe {probe_name} draws nothing")
    # What the first calls cost once belongs to the start of a run, which is a row of its own.
    replace(scan, seed=seed + 1_000_000, examples=WARM_UP, made={}, drawn=set(), rounds=[]).run_drawn(
        strategy
    )
    return _timed(lambda: scan.run_drawn(strategy), lambda: len(scan.made))


def _timed(work: Callable[[], None], count: Callable[[], int]) -> dict[str, float]:
    before, children, cpu, wall = count(), _children_cpu(), time.process_time(), time.perf_counter()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"calls": count() - before, "wall": wall, "cpu": cpu + _children_cpu() - children}


def _children_cpu() -> float:
    """Seconds of processor that the processes below this one have used."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return sum(time.user + time.system for time in times)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
