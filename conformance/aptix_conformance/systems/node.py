"""Node.js on PATH: which one runs tools and servers in JavaScript, and from where it loads code besides."""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from aptix_conformance.core.errors import TargetError

OLDEST: Final = 20
"""The oldest supported major version."""
_ASK: Final = """\
const loaded = process.report.getReport().sharedObjects.filter((path) => path.includes('/libnode'));
const folders = require('module').globalPaths;
console.log(JSON.stringify([process.versions.node, process.execPath, [...loaded, ...folders]]));
"""
_PATIENCE: Final = 30.0
"""Seconds that Node.js may take to answer, also on a machine that does much else."""


@dataclass(frozen=True, slots=True)
class Node:
    """An installed Node.js: its version, its program, and what more of it can be loaded: a library, folders of packages."""

    version: str
    program: str
    more: tuple[str, ...] = ()


def node_version(_runtime: str | None = None) -> tuple[str, Sequence[str]]:
    """The Node.js that runs tools, with its version, and what it is (`systems.profile.Runtime.version`).

    Raises:
        TargetError: as `find_node`.
    """
    node = find_node("a tool in JavaScript")
    return f"Node.js {node.version}", (node.program, *node.more)


def find_node(who: str) -> Node:
    """The Node.js on PATH; `who` needs it.

    Raises:
        TargetError: there is none, or only an older one.
    """
    program = shutil.which("node")
    needed = f"{who} needs Node.js {OLDEST} or later"
    if program is None:
        raise TargetError(f"{needed}, and there is no `node` on PATH: install Node.js")
    node = _installed(program)
    major = node.version.partition(".")[0]
    if not major.isdigit() or int(major) < OLDEST:
        raise TargetError(
            f"{needed}, and {program} is {node.version or 'none that runs'}: install a later one"
        )
    return node


@cache
def _installed(program: str) -> Node:
    """The version and folders that a `node` reports of itself; the version is empty if it does not run.

    `node` on PATH may be a script of a version manager, which needs its home directory or closes descriptors. The
    program itself does neither. Folders of packages in the user's home are no tool's, whose home is an empty one; nor
    do its processes get variables such as `NODE_OPTIONS`.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("NODE_")}
    try:
        output = subprocess.run(  # noqa: S603 - the user's own Node.js
            [program, "-e", _ASK], capture_output=True, text=True, timeout=_PATIENCE, check=True, env=env
        ).stdout
        known: Any = json.loads(output)
        version, path, more = known
    except (OSError, ValueError, TypeError, subprocess.SubprocessError):
        return Node("", program)
    home = Path.home()
    theirs = {str(home / name) for name in (".node_modules", ".node_libraries")}
    return Node(version, path, tuple(each for each in more if each not in theirs and Path(each).exists()))
