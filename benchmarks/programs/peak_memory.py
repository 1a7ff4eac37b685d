"""A pytest plugin that writes the peak resident memory of its own process, in KiB, to peak_memory.txt beside it."""

import re
from pathlib import Path


def pytest_unconfigure() -> None:
    # Not getrusage: that carries over the peak of the process which this one was forked from.
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    peak = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    Path(__file__).with_suffix(".txt").write_text(peak.group(1) if peak else "0", encoding="ascii")
