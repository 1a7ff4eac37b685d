"""Make a release, or rehearse one: `python -m tools.release FOLDER`, and with `--publish` to upload and tag it.

Both distributions are built twice from a clean copy of the last commit, and must be equal byte for byte. Each is installed on every
Python that is supported, and examines a tool there. FOLDER then has the distributions, an SBOM of what an installation brings
(CycloneDX), and `SHA256SUMS`. Without `--publish` nothing leaves the machine, and the release notes may be missing.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aptix_conformance import __version__

ROOT: Final = Path(__file__).parents[1]
_PYTHONS: Final = ("3.11", "3.12", "3.13")
_TOOL: Final = "aptix_reference_tools.ping_pong"


class ReleaseError(Exception):
    """What keeps the release from being made."""


def main(arguments: list[str]) -> int:
    """Make it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="receives the files; it is made")
    parser.add_argument("--publish", action="store_true", help="upload the distributions, and tag the commit")
    options = parser.parse_args(arguments)
    try:
        if options.publish:
            _check_is_ready()
        options.folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as work:
            files = _build(Path(work), options.folder)
            _run("uvx", "twine", "check", "--strict", *map(str, files))
            for version in _PYTHONS:
                for file in files:
                    environment = _try(file, version, Path(work))
            _write_sbom(environment, options.folder)
        _write_digests(options.folder)
        if options.publish:
            _run("uvx", "twine", "upload", *map(str, files))
            _run("git", "tag", "--annotate", f"v{__version__}", "--message", f"Release {__version__}")
    except (ReleaseError, OSError) as error:
        print(f"no release: {error}", file=sys.stderr)
        return 1
    print(f"{__version__} is in {options.folder}" + ("" if options.publish else "; nothing was published"))
    return 0


def _check_is_ready() -> None:
    """The tree is committed, its release notes are written, and no release has its tag.

    Raises:
        ReleaseError: one of them is not so.
    """
    if _run("git", "status", "--porcelain"):
        raise ReleaseError("there are changes that are not committed")
    if list((ROOT / "changelog.d").glob("+*.md")):
        raise ReleaseError("changelog.d has fragments; write the notes: `towncrier build`")
    if f"## {__version__} " not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ReleaseError(f"CHANGELOG.md says nothing of {__version__}")
    if _run("git", "tag", "--list", f"v{__version__}"):
        raise ReleaseError(f"the tag v{__version__} is there; raise the version")


def _build(work: Path, folder: Path) -> list[Path]:
    """Both distributions, in `folder`.

    Raises:
        ReleaseError: a second build gives other bytes.
    """
    epoch = _run("git", "log", "-1", "--format=%ct").strip()
    for number in ("first", "second"):
        checkout = work / number / "source"
        _run("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(checkout))
        built = folder if number == "first" else work / number / "built"
        _run(
            "uv", "build", "--quiet", "--out-dir", str(built), str(checkout), env={"SOURCE_DATE_EPOCH": epoch}
        )
    files = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    for file in files:
        if file.read_bytes() != (work / "second" / "built" / file.name).read_bytes():
            raise ReleaseError(f"a second build of {file.name} has other bytes")
    return files


def _try(file: Path, version: str, work: Path) -> Path:
    """An environment with a distribution that has examined a tool."""
    environment = work / f"{version}-{file.suffix}"
    _run("uv", "venv", "--quiet", "--python", version, str(environment))
    _run("uv", "pip", "install", "--quiet", "--python", str(environment), str(file))
    _run(str(environment / "bin" / "aptix-conformance"), "check", _TOOL, "--quick", cwd=work)
    print(f"{file.name} examines a tool on Python {version}")
    return environment


def _write_sbom(environment: Path, folder: Path) -> None:
    text = _run(
        "uvx",
        "--from",
        "cyclonedx-bom",
        "cyclonedx-py",
        "environment",
        "--output-reproducible",
        str(environment),
    )
    (folder / "sbom.cdx.json").write_text(text, encoding="utf-8")


def _write_digests(folder: Path) -> None:
    files = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz", ".json"))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def _run(*command: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """The standard output of a command.

    Raises:
        ReleaseError: it failed; the message has what it said.
    """
    result = subprocess.run(  # noqa: S603 - the commands are those above
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    if result.returncode:
        raise ReleaseError(f"`{' '.join(command)}` failed:\n{result.stdout}{result.stderr}".rstrip())
    return result.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
