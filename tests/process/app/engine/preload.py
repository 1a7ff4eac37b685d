"""Loaded by each worker before it begins: its examinations are those of `stand_in.py`, and some workers are not as they should be."""

import os
import sys


def dask_setup(worker):
    if str(worker.name) in os.environ.get("BARE_WORKERS", "").split():
        sys.modules["aptix_conformance"] = None
        return
    import aptix_conformance
    from aptix_conformance.app.engine import process

    process.PROGRAM = (sys.executable, os.environ["STAND_IN"])
    if str(worker.name) in os.environ.get("OLD_WORKERS", "").split():
        aptix_conformance.__version__ = "0.0.9"
