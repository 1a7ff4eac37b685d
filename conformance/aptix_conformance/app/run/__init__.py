"""The one way in: `Run` puts contracts, hosts and examinations together, and its options, requests and reports stand beside it."""

from aptix_conformance.app.run.composer import BOUNDS, FoundTools, Run, RunOptions

__all__ = ["BOUNDS", "FoundTools", "Run", "RunOptions"]
