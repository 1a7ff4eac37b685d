"""Hypothesis drawing texts and nothing else: what the malformed row is held against.

`text_alone.py text EXAMPLES SEED` prints {"calls": …, "wall": seconds, "cpu": seconds}.
"""

import json
import sys
import time

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

WARM_UP = 50


def main(examples: int, number: int) -> dict[str, float]:
    drawn = 0

    def run(examples: int, number: int) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(st.text())
        def one(_text: str) -> None:
            nonlocal drawn
            drawn += 1

        one()

    run(WARM_UP, number + 1_000_000)
    drawn = 0
    cpu, wall = time.process_time(), time.perf_counter()
    run(examples, number)
    return {"calls": drawn, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[2]), int(sys.argv[3]))))
