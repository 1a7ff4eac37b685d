"""Lock files: what is written to them, and what an edited one may not say."""

import json

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.mcp.installing.locks import (
    npm_lock_of,
    python_lock_of,
    read_npm_lock,
    read_python_lock,
)

HASH = "a" * 64
INTEGRITY = f"sha512-{'A' * 86}=="


COMPILED = f"""\
helper==2.0 \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{"b" * 64}
notes==1.0 \\
    --hash=sha256:{HASH}
"""


def test_what_uv_compiled_is_a_line_for_each_package_with_its_hashes():
    lock = python_lock_of(COMPILED, "notes", "Python 3.11")
    assert lock.text.splitlines()[1:] == [
        f"helper==2.0 --hash=sha256:{HASH} --hash=sha256:{'b' * 64}",
        f"notes==1.0 --hash=sha256:{HASH}",
    ]
    assert (lock.version, lock.packages, lock.versions["helper"]) == ("1.0", 2, "2.0")
    assert read_python_lock(lock.text, "notes") == lock


def test_the_extras_of_the_server_are_in_its_line():
    lock = python_lock_of(COMPILED, "notes", "Python 3.11", ("all", "more"))
    assert f"notes[all,more]==1.0 --hash=sha256:{HASH}" in lock.text
    assert read_python_lock(lock.text, "notes").extras == ("all", "more")


@pytest.mark.parametrize(
    ("compiled", "said"),
    [
        ("notes==1.0\n", "line 2 is not NAME==VERSION"),
        (f"notes @ https://example.com/notes.whl --hash=sha256:{HASH}\n", "line 2 is not NAME==VERSION"),
        (f"--index-url x\n{COMPILED}", "line 2 is not NAME==VERSION"),
        (COMPILED.replace("notes", "other"), "notes is not in it"),
        (COMPILED * 2, "names helper again"),
    ],
)
def test_what_cannot_be_locked_is_refused(compiled, said):
    with pytest.raises(TargetError, match=said):
        python_lock_of(compiled, "notes", "Python 3.11")


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.com/",
        "-r other.txt",
        "-e .",
        "notes>=1.0",
        "notes==1.0",
        f"notes==1.0 --hash=md5:{HASH[:32]}",
        f"notes==1.0 --hash=sha256:{HASH} --global-option=x",
        f"notes @ https://example.com/x.whl --hash=sha256:{HASH}",
        f"notes==1.0 --hash=sha256:{HASH} \\",
        "${HOME}",
        " # x",
    ],
)
def test_a_line_that_pip_would_obey_otherwise_is_refused(line):
    with pytest.raises(TargetError, match="line 2 is not NAME==VERSION --hash"):
        read_python_lock(f"# made\n{line}\n", "notes")


def packages(**changes):
    found = {
        "": {"name": "server", "dependencies": {"notes": "1.0.0"}},
        "node_modules/notes": {"version": "1.0.0", "integrity": INTEGRITY, "dependencies": {"helper": "^1"}},
        "node_modules/helper": {"version": "1.2.0", "integrity": INTEGRITY},
        "node_modules/notes/node_modules/inside": {"version": "1.0.0", "inBundle": True},
    }
    return {**found, **{path: {**found.get(path, {}), **entry} for path, entry in changes.items()}}


def npm_text(found):
    return json.dumps({"name": "server", "lockfileVersion": 3, "packages": found})


def test_what_npm_resolved_names_no_place_and_the_exact_version_of_the_server():
    found = packages(
        **{
            "": {"dependencies": {"notes": "latest"}},
            "node_modules/helper": {"resolved": "https://example.com/helper.tgz"},
        }
    )
    lock = npm_lock_of(npm_text(found), "notes")
    assert (lock.version, lock.packages) == ("1.0.0", 3)
    assert "example.com" not in lock.text
    assert read_npm_lock(lock.text, "notes") == lock


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("node_modules/helper", {"resolved": "git+ssh://example.com/helper.git"}),
        ("node_modules/helper", {"resolved": "file:../helper"}),
        ("node_modules/helper", {"link": True}),
        ("node_modules/helper", {"integrity": None}),
        ("helper", {"version": "1.0.0"}),
    ],
)
def test_what_npm_would_not_take_from_the_index_is_refused(path, entry):
    with pytest.raises(TargetError, match=r"from the index|has no hash|is not a package"):
        npm_lock_of(npm_text(packages(**{path: entry})), "notes")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"node_modules/helper": {"resolved": "https://example.com/x.tgz"}}, "place of its own"),
        ({"node_modules/helper": {"link": True}}, "place of its own"),
        ({"node_modules/helper": {"integrity": "sha1-AAAA"}}, "has no hash in it"),
        ({"node_modules/helper": {"integrity": f"{INTEGRITY} md5-A"}}, "has no hash in it"),
        ({"node_modules/../../x": {"integrity": INTEGRITY}}, "is not a package in it"),
        ({"": {"dependencies": {"notes": "1.0.0", "other": "1"}}}, "notes is not what it is for"),
        ({"": {"dependencies": {"notes": "2.0.0"}}}, "notes is not what it is for"),
    ],
)
def test_an_edited_lock_of_npm_is_refused(changes, said):
    with pytest.raises(TargetError, match=said):
        read_npm_lock(npm_text(packages(**changes)), "notes")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"packages": 5, "lockfileVersion": 3}', "[" * 100_000])
def test_what_is_no_lock_of_npm_is_refused(text):
    with pytest.raises(TargetError, match="not a lock file of notes"):
        read_npm_lock(text, "notes")
