"""`aptix-conformance schema diff OLD NEW --format json`, its answer counted and thrown away.

It exits with 0 where the command does its work: that something breaks is no failure here.
"""

import contextlib
import io
import sys

from aptix_conformance.app.cli import main

if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        status = main(["schema", "diff", *sys.argv[1:], "--format", "json"])
    sys.exit(0 if status == 1 else 3)
