"""Calls of a tool over stdio, one after the other, by the suite's host: sent, answered and read as an observation.

`mcp_calls.py CALLS` prints {"calls": …, "wall": seconds, "cpu": seconds of all processes}.
"""

import json
import sys
from pathlib import Path

from processor_time import timed

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.model import Change, Kind, Stimulus

HERE = Path(__file__).parent
CALL = Stimulus("valid", Change(Kind.MINIMAL), '{"a": 1, "b": 2}', None)
WARM_UP = 50


def main(calls: int) -> dict[str, float]:
    with Run.open(HERE, RunOptions(limited=False)) as run:
        (tool,) = run.find("mcp:python mcp_server.py#add").all_found()
        host = run.open_host(tool)
        try:
            host.describe()
            for _ in range(WARM_UP):
                host.execute(CALL)
            found, measured = timed(lambda: [host.execute(CALL).succeeded for _ in range(calls)])
        finally:
            host.close()
    if not all(found):
        raise SystemExit("a call did not succeed")
    return {"calls": calls, **measured}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
