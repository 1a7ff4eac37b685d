"""The command `aptix-conformance`."""

import os
import sys
from collections.abc import Sequence
from typing import Final

from aptix_conformance.app.commands.command import BAD_USE, complain
from aptix_conformance.app.commands.wiring import make_parser
from aptix_conformance.core.errors import ConformanceError, HarnessError, own_fault

_CUT_SHORT: Final = 141
"""The exit status of a program whose output is no longer read, as a shell reports it (128 and SIGPIPE)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = make_parser(words[:1]).parse_args(words)
        status: int = options.run(options)
        sys.stdout.flush()
    except ConformanceError as error:
        complain(error.with_traceback_text if isinstance(error, HarnessError) else str(error))
        return BAD_USE
    except BrokenPipeError:
        # Who reads has read enough, as `head` does. What is still buffered would make Python complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CUT_SHORT
    except Exception as error:  # noqa: BLE001 - Python would exit with 1, which means that a check failed
        complain(own_fault(error, "running the command").with_traceback_text)
        return BAD_USE
    return status
