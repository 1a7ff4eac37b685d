"""The examination of one tool or server as plain data: a `Task` goes to any machine as JSON, and an `Answer` comes back.

A task names its target and says how it is examined. It brings no code: the machine that answers it has the same project
folder, the same packages and the same suite. `Facts` are how that is checked before anything is examined.
"""

import hashlib
import os
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Final, Literal

import aptix_conformance
from aptix_conformance.app.certificates.code import is_cache, name_of, package_digest
from aptix_conformance.app.certificates.walk import Walk
from aptix_conformance.core.errors import CertificateError, ConfigurationError
from aptix_conformance.core.files import is_file
from aptix_conformance.core.model.codec import Record, replace, to_text
from aptix_conformance.core.model.containment import ContainmentLevel
from aptix_conformance.core.model.report import Digest, Positive, ToolReport
from aptix_conformance.core.model.verdict import Thoroughness
from aptix_conformance.core.text import printable

TASK_FORMAT: Final = "aptix-conformance-task/1"
_BUILT: Final = frozenset({"evidence.json"})
"""Files of the suite that only a built distribution has."""


class Facts(Record, frozen=True):
    """What decides a verdict on a machine, as far as digests and versions tell."""

    suite: str
    """The version of the suite."""
    code: Digest
    """The SHA-256 of its code and rules."""
    python: str
    """The version of Python."""
    packages: Digest
    """The SHA-256 of the names and versions of the installed distributions."""
    project: Digest
    """The SHA-256 of the files of the project folder."""

    def differences(self, other: "Facts") -> str:
        """A clause for each fact in which another machine differs from this one; empty where it is equal."""
        clauses = []
        if other.suite != self.suite:
            clauses.append(f"it has aptix-conformance {printable(other.suite, 40)}, not {self.suite}")
        elif other.code != self.code:
            clauses.append("the code of its aptix-conformance is another one: install the same build")
        if other.python != self.python:
            clauses.append(f"it has Python {printable(other.python, 40)}, not {self.python}")
        if other.packages != self.packages:
            clauses.append("other packages are installed there: compare `pip freeze`")
        if other.project != self.project:
            clauses.append(
                "the files of the project folder differ: copy the folder again, and write no output into it"
            )
        return "; ".join(clauses)


class TaskOptions(Record, frozen=True):
    """The options of a run that a verdict depends on, as in `RunOptions`."""

    edition: str | None
    seed: int
    thoroughness: Thoroughness
    examples: int | None
    budget: Positive
    timeout: Positive
    memory: int
    containment: ContainmentLevel | None
    waivers: bool
    variables: tuple[str, ...]
    sys_path: tuple[str, ...] | None


class Task(Record, frozen=True):
    """One examination."""

    format: Literal["aptix-conformance-task/1"]
    directory: str
    """The absolute path of the project folder, equal on all machines."""
    target: str
    """The target spec of the tool or the server."""
    edition: str
    """The edition that judges it: a server can be judged in several."""
    tool: str
    """What reports call it."""
    shared: tuple[str, ...]
    """Its declared name, where other tools of the run have that too, which withholds what the project grants to the name."""
    options: TaskOptions
    extensions: tuple[str, ...] | None
    """The distributions that extend the suite; None for all that are installed."""
    facts: Facts
    """The machine that made the task."""
    day: str = ""
    """The day for which the result holds, where it depends on more than the facts cover; empty where it does not."""
    left_out: tuple[str, ...] = ()
    """Paths in the project folder that `Facts.project` does not cover: reports, and a store."""

    @property
    def address(self) -> str:
        """The SHA-256 of all that the result depends on, in hexadecimal."""
        return hashlib.sha256(to_text(replace(self, left_out=())).encode()).hexdigest()


class Answer(Record, frozen=True):
    """What came of a task; exactly one of the first three is there, unless the result is `kept`."""

    report: ToolReport | None = None
    refused: str = ""
    """Why this machine must not examine the tool; another one may."""
    died: str = ""
    """How the process of the examination ended before it had answered."""
    kept: bool = False
    """Whether the report is in the store, and not here."""
    unkept: str = ""
    """Why the report could not be stored."""


def facts_of(directory: Path, left_out: Iterable[str] = ()) -> Facts:
    """The facts of this machine.

    Raises:
        ConfigurationError: the project folder is missing, cannot be read, or is too large for a digest.
    """
    named = (f"{name_of(each)} {each.version}" for each in metadata.distributions())
    packages = hashlib.sha256("\n".join(sorted(set(named))).encode()).hexdigest()
    return Facts(
        aptix_conformance.__version__,
        f"sha256:{package_digest([Path(str(aptix_conformance.__file__)).parent], without=_BUILT)}",
        platform.python_version(),
        f"sha256:{packages}",
        f"sha256:{project_digest(directory, left_out)}",
    )


def project_digest(directory: Path, left_out: Iterable[str] = ()) -> str:
    """The SHA-256 of the files of a project folder, in hexadecimal.

    It does not cover hidden entries, installed packages (`node_modules`, virtual environments), compiled files, what a link to a
    folder leads to, and what is `left_out`: paths of files or folders from there.

    Raises:
        ConfigurationError: as `facts_of`.
    """
    if not directory.is_dir():
        raise ConfigurationError(f"there is no project folder {printable(str(directory), 300)}")
    out = {str(PurePosixPath(path)) for path in left_out}
    walk, whole = Walk(), hashlib.sha256()
    try:
        named = walk.names(directory, is_out=lambda name: name in out or _is_no_source(directory / name))
        for name in sorted(name for name in named if not is_cache(name)):
            path = directory / name
            whole.update(f"{len(name)}:{name}\0".encode("utf-8", "surrogateescape"))
            if path.is_symlink() and not is_file(path):
                whole.update(b"link:" + os.fsencode(path.readlink()) + b"\0")
            else:
                whole.update(walk.file_hash(directory, name, follow=True).encode())
    except OSError as error:
        raise ConfigurationError(
            f"the project folder {directory} cannot be read: {error.strerror}"
        ) from error
    except CertificateError as error:
        raise ConfigurationError(
            f"the project folder {directory} cannot be compared with that of other machines: {error}"
        ) from error
    return whole.hexdigest()


def _is_no_source(entry: Path) -> bool:
    return entry.name.startswith(".") or entry.name == "node_modules" or is_file(entry / "pyvenv.cfg")
