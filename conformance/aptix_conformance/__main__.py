"""`python -m aptix_conformance` is the command `aptix-conformance`."""

import sys

from aptix_conformance.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
