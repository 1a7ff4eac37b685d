"""What `uvx` and `npx` ask for, and which versions they accept."""

import shlex

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.mcp.installing.package_request import Wanted, wanted_by


@pytest.mark.parametrize(
    ("command", "wanted", "words"),
    [
        ("uvx mcp-server-time --utc", Wanted("python", "mcp-server-time", "", (), "mcp-server-time"), 2),
        ("uvx Mcp_Server", Wanted("python", "mcp-server", "", (), "Mcp_Server"), 2),
        ("uvx notes==1.0", Wanted("python", "notes", "==1.0", (), "notes"), 2),
        ("uvx notes@1.0", Wanted("python", "notes", "==1.0", (), "notes"), 2),
        ("uvx notes@latest", Wanted("python", "notes", "", (), "notes"), 2),
        ("uvx notes[b,a]", Wanted("python", "notes", "", ("a", "b"), "notes"), 2),
        ("uvx --from 'notes>=1' serve x", Wanted("python", "notes", ">=1", (), "serve"), 4),
        (
            "uvx --with 'mcp<2' --with httpx notes x",
            Wanted("python", "notes", "", (), "notes", ("mcp<2", "httpx")),
            6,
        ),
        ("npx notes x", Wanted("npm", "notes"), 2),
        ("npx -y @scope/notes@1.2.3", Wanted("npm", "@scope/notes", "1.2.3"), 3),
        ("npx --yes notes@latest", Wanted("npm", "notes"), 3),
        ("npx notes@^1.2", Wanted("npm", "notes", "^1.2"), 2),
    ],
)
def test_a_command_asks_for_a_package(command, wanted, words):
    assert wanted_by(tuple(shlex.split(command))) == (wanted, words)


@pytest.mark.parametrize("command", ["", "python -m notes", "./uvx notes", "uv tool run notes"])
def test_other_commands_ask_for_nothing(command):
    assert wanted_by(tuple(shlex.split(command))) is None


@pytest.mark.parametrize(
    "command",
    [
        *(
            "uvx",
            "uvx --python 3.12 notes",
            "uvx --with git+https://example.com/x notes",
            "uvx --from notes",
            "uvx --from notes ../serve",
            "uvx --from notes --x",
        ),
        *(
            "uvx git+https://example.com/x",
            "uvx 'notes @ https://example.com/x.whl'",
            "uvx ./notes",
            "uvx ../../notes",
        ),
        *("uvx \"notes; python_version > '3'\"", "uvx notes@../x", "uvx @latest"),
        *(
            "npx",
            "npx -p notes serve",
            "npx https://example.com/x.tgz",
            "npx github:me/notes",
            "npx me/notes",
        ),
        *(
            "npx notes@npm:other@1",
            "npx ../notes",
            "npx .",
            "npx @scope/..",
            "npx node_modules",
            "npx notes@file:../x",
        ),
    ],
)
def test_what_names_no_package_of_an_index_is_refused(command):
    with pytest.raises(
        TargetError, match=r"names no package of an index|in place of|not the name of a program"
    ):
        wanted_by(tuple(shlex.split(command)))


@pytest.mark.parametrize(
    ("kind", "asked", "version", "was_asked", "allowed"),
    [
        ("python", "", "1.0", "==1.0", True),
        ("python", "==1.0", "1.0.0", "", True),
        ("python", "==1.0", "1.1", "", False),
        ("python", "==1.0", "1.1", "==1.0", False),
        ("python", ">=1", "2.0b1", "", True),
        ("python", ">=1", "0.9", "", False),
        ("npm", "1.2.3", "1.2.3", "", True),
        ("npm", "v1.2.3", "1.2.3", "", True),
        ("npm", "1.2.3", "1.2.30", "", False),
        ("npm", "1.2.3", "1.2.4", "1.2.3", False),
        ("npm", "1.2", "1.2.30", "", True),
        ("npm", "1", "1.2.3", "", True),
        ("npm", "1", "10.2.3", "", False),
        ("npm", "^1.2", "1.9.0", "^1.2", True),
        ("npm", "^1.2", "1.9.0", "", False),
        ("npm", "next", "2.0.0-beta.1", "next", True),
        ("npm", "next", "2.0.0-beta.1", "", False),
    ],
)
def test_a_version_is_one_that_was_asked_for(kind, asked, version, was_asked, allowed):
    assert Wanted(kind, "notes", asked).allows(version, was_asked) is allowed


def test_the_requirement_is_as_its_installer_reads_it():
    assert Wanted("python", "notes", "==1.0", ("a", "b")).requirement == "notes[a,b]==1.0"
    assert Wanted("npm", "@scope/notes", "1.0.0").requirement == "@scope/notes@1.0.0"
    assert Wanted("npm", "notes").requirement == "notes"
