"""The user's own git in a repository that may be a stranger's: it reads, and runs no program that the repository names."""

import os
import subprocess
from pathlib import Path
from typing import Final

_SECONDS: Final = 10.0
_ENVIRONMENT: Final = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
"""No missing object is fetched, by whatever program the repository names for it, and nothing is written."""
_THEIRS: Final = frozenset({"local", "worktree"})


def git(folder: Path, *arguments: str, trust_owner: bool = False) -> bytes | None:
    """The output of git; None where it fails, takes more than 10 s, or is not installed.

    `trust_owner` reads a repository that belongs to another user, too. A filter that the repository's own configuration
    defines is not run: git then takes the content as it is. One of the user's configuration is.
    """
    named = _run(folder, "config", "--null", "--show-scope", "--name-only", "--get-regexp", r"^filter\.")
    filters = _filters_of_the_repository((named or b"").decode("utf-8", "surrogateescape").split("\0"))
    if any("=" in name for name in filters):
        return None  # no option of git can name it
    without = [
        f"{name}.{key}" for name in filters for key in ("clean=", "smudge=", "process=", "required=false")
    ]
    owner = ["safe.directory=*"] if trust_owner else []
    options = [word for setting in (*owner, *without) for word in ("-c", setting)]
    return _run(folder, *options, *arguments)


def _filters_of_the_repository(fields: list[str]) -> list[str]:
    """The names up to the last dot, such as `filter.lfs`, from fields that are a scope and a key in turn."""
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return sorted({key.rpartition(".")[0] for scope, key in pairs if scope in _THEIRS})


def _run(folder: Path, *arguments: str) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - git, with arguments of ours
            ["git", "-c", "core.fsmonitor=false", *arguments],  # noqa: S607 - the user's own git, wherever it is
            cwd=folder,
            env={**os.environ, **_ENVIRONMENT},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: no program can have the argument
        return None
    return done.stdout if done.returncode == 0 else None
