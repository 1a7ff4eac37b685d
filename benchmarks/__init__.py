"""How fast the suite is, each figure beside a peer's in the same run: `python -m benchmarks`."""
