"""How wide the terminal is that shows the run, here and in xdist's workers, which have none."""

from typing import Any, Final

import pytest

from aptix_conformance.present.reports import WIDTH

_SENT: Final = "aptix_width"
"""The key under which the controller tells its workers."""


def columns(config: pytest.Config) -> int:
    """Columns of the terminal; `WIDTH` where the output is no terminal, so that a log does not depend on who ran it."""
    sent = getattr(config, "workerinput", {}).get(_SENT)
    if sent is not None:
        return int(sent)
    writer = config.get_terminal_writer()
    return writer.fullwidth if is_terminal(config) else WIDTH


def is_terminal(config: pytest.Config) -> bool:
    """Whether a person watches: the output is a terminal, and not that of a worker."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return reporter is not None and not hasattr(config, "workerinput") and bool(reporter.isatty)


def tell_worker(node: Any) -> None:
    """Send the width to a worker of xdist."""
    node.workerinput[_SENT] = columns(node.config)
