"""One probe's drawn calls: drawn, sent to the tool's own process, judged by every rule, by the real engine.

`ours_calls.py PROBE CALLS SEED` prints {"calls": …, "wall": seconds, "cpu": seconds of all processes}.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from processor_time import timed

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import ToolUnderTest, applicable_rules
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.scan import Deadline, Scan
from aptix_conformance.examine.storage import hypothesis_home
from aptix_conformance.hosts.host import ToolHost
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.stimuli.probes import PROBES, Subject

HERE = Path(__file__).parent
TARGET = "measure_tool:MeasureTool"
WARM_UP = 50


def main(probe_name: str, calls: int, seed: int) -> dict[str, float]:
    options = RunOptions(edition="aptix-tul-011", examples=calls, seed=seed, limited=False)
    with Run.open(HERE, options) as run, hypothesis_home(None):
        (tool,) = run.find(TARGET).all_found()
        host = run.open_host(tool)
        try:
            return _measured(host, tool, probe_name, run.options)
        finally:
            host.close()


def _measured(host: ToolHost, tool: ToolUnderTest, probe_name: str, options: RunOptions) -> dict[str, float]:
    if host.read_only:
        raise SystemExit(f"no call can be made here: {host.read_only}")
    declaration, seed, calls = host.describe(), options.seed, options.examples
    ledger = Ledger(applicable_rules(tool.suite, declaration))
    schema, _ = usable_schema(declaration)
    subject = Subject(
        declaration=declaration, schema=schema, settings=tool.settings, seed=seed, examples=calls
    )
    probes = {probe.name: probe for probe in PROBES}
    if probe_name not in probes:
        raise SystemExit(f"there is no probe {probe_name}")
    valid, probe = probes["valid"], probes[probe_name]
    scan = Scan(host, ledger, Deadline(options.budget), probe.name, seed, examples=calls)
    scan.run_fixed(valid.fixed(subject, ()))
    strategy = probe.drawn(subject, ledger.calls)
    if strategy is None:
        raise SystemExit(f"the probe {probe_name} draws nothing")
    # What the first calls cost once belongs to the start of a run, which is a row of its own.
    replace(scan, seed=seed + 1_000_000, examples=WARM_UP, calls={}, drawn=set(), rounds=[]).run_drawn(
        strategy
    )
    return _timed(lambda: scan.run_drawn(strategy), lambda: len(scan.calls))


def _timed(work: Callable[[], None], count: Callable[[], int]) -> dict[str, float]:
    before = count()
    _, measured = timed(work)
    return {"calls": count() - before, **measured}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
