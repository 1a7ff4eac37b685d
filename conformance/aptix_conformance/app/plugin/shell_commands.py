"""The commands that a run prints, as they work when they are pasted into the shell that started it.

The program may not be on the shell's path, the shell may stand below the project's directory, and there may be no report.
Under xdist the controller knows the shell, and tells its workers.
"""

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

from aptix_conformance.app.plugin.outputs import outputs
from aptix_conformance.app.run.output_files import readable
from aptix_conformance.app.run.programs import program
from aptix_conformance.core.model.codec import from_json, to_json
from aptix_conformance.present.reports import Shell, quoted

_SENT: Final = "aptix_shell"
"""The key under which the controller tells its workers."""
_PROGRAM: Final = "aptix-conformance"
_NEEDED: Final = ("--aptix-", "--rootdir", "-c", "--config-file")
"""How the options begin that an examination of one item needs as well."""
_NOT_NEEDED: Final = frozenset({"--aptix-report", "--aptix-format", "--aptix-advice", "--aptix-conformance"})
_FLAGS: Final = frozenset({"--aptix-allow-incomplete", "--aptix-inline", "--aptix-no-waivers"})
"""Options without a value."""


def shell_of(config: pytest.Config) -> Shell:
    """The shell that started the run."""
    sent = getattr(config, "workerinput", {}).get(_SENT)
    if sent is not None:
        return from_json(Shell, sent)
    here, root = config.invocation_params.dir, config.rootpath
    report = readable(outputs(config))
    options = kept_options([str(argument) for argument in config.invocation_params.args])
    examine = " ".join([program("pytest", here), "--aptix-conformance", *map(quoted, options)])
    if report is None:
        return Shell(None, program(_PROGRAM, here), examine)
    if here == root:
        return Shell(report.argument, program(_PROGRAM, here), examine)
    # `replay` runs in the project's directory.
    change = f"cd {quoted(os.path.relpath(root, here))} && "
    path = report.argument if Path(report.argument).is_absolute() else os.path.relpath(report.path, root)
    return Shell(path, change + program(_PROGRAM, root), examine)


def tell_shell(node: Any) -> None:
    """Send the shell to a worker of xdist."""
    node.workerinput[_SENT] = to_json(shell_of(node.config))


def kept_options(arguments: Sequence[str]) -> list[str]:
    """The options of a run that decide what is examined and how, with their values."""
    options: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if name.startswith(_NEEDED) and name not in _NOT_NEEDED:
            options.append(word)
            if not equals and name not in _FLAGS:
                options += islice(words, 1)
    return options
