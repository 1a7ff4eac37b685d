"""What the containment refused is found in what a tool says, and only where it is there."""

import os
import stat

import pytest

from aptix_conformance.hosts.refused_access import MOST, Refused, refused_in, with_refusals

SAID = [
    "FileNotFoundError: [Errno 2] No such file or directory: '{}'",
    "PermissionError: [Errno 13] Permission denied: '{}'",
    "Error: ENOENT: no such file or directory, open '{}'",
    "EACCES: permission denied, scandir '{}'",
    "Could not find file '{}'.",
    "Could not find a part of the path '{}'.",
    "Access to the path '{}' is denied.",
    'open "{}": cannot; No such file or directory: "{}"',
    "cat: {}: No such file or directory",
    "ls: cannot open {}: Permission denied",
]


@pytest.fixture
def there(tmp_path):
    """A file that the tool was not shown."""
    path = tmp_path / "model.bin"
    path.touch()
    return str(path)


@pytest.mark.parametrize("said", SAID)
def test_a_file_that_is_there_was_hidden_by_the_suite(there, said):
    (found,) = refused_in([said.format(there, there)])
    assert found == Refused("read", there)
    assert f'set reads = ["{there}"]' in found.sentence


@pytest.mark.parametrize("said", SAID)
def test_a_file_that_is_not_there_was_not(there, said):
    """A file that nobody may make there either, so that no write was refused: a path below a file."""
    assert refused_in([said.format(f"{there}/none", f"{there}/none")]) == ()


def test_a_text_that_only_names_a_file_says_nothing(there):
    assert refused_in([f"read {there}", f'File "{there}", line 3', f"No such city\n  at {there}"]) == ()


@pytest.mark.parametrize("words", ["No such file or directory", "Permission denied", "Read-only file system"])
def test_a_path_that_begins_the_next_message_was_not_refused(there, words):
    """Lines are joined by spaces: what follows the last word of one belongs to another."""
    said = f"{there}: can't open file '/srv/none.py': [Errno 2] {words} {there}: usage"
    assert refused_in([said]) == ()
    assert refused_in([f"{words}: {there}"]) != ()


@pytest.mark.parametrize("said", ["EROFS: read-only file system, open '{}'", "Read-only file system: '{}'"])
def test_a_place_that_this_user_can_write_to_was_refused(there, tmp_path, said):
    new = str(tmp_path / "new.txt")
    assert refused_in([said.format(new)]) == (Refused("write", new),)
    assert refused_in([said.format(there)]) == (Refused("write", there),)
    assert "tempfile" in refused_in([said.format(new)])[0].sentence


def test_sockets_and_devices_are_named_and_no_line_of_configuration_shows_them(tmp_path):
    address = str(tmp_path / "agent.sock")
    os.mknod(address, stat.S_IFSOCK)
    said = [f"connect ENOENT {address}", "Permission denied: '/dev/tty'"]
    found = refused_in(said)
    assert refused_in([], [address, f"{address}.none"]) == (Refused("socket", address),)
    assert found == (Refused("socket", address), Refused("device", "/dev/tty"))
    assert not any(refused.setting or "reads" in refused.sentence for refused in found)


@pytest.mark.parametrize("name", [".ssh/id", ".env", ".aws/credentials"])
def test_nobody_is_advised_to_show_secrets(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    (found,) = refused_in([f"No such file or directory: '{path}'"])
    assert found.setting == ""
    assert "may hold secrets" in found.sentence


def test_what_is_odd_is_not_looked_at(there):
    odd = [there.replace("/model.bin", "/./model.bin"), "/proc/self/fd/0", "/\0"]
    assert refused_in(f"No such file or directory: '{path}'" for path in odd) == ()


def test_a_few_are_named_once_each(tmp_path):
    paths = [tmp_path / str(number) for number in range(MOST + 2)]
    for path in paths:
        path.touch()
    texts = [f"No such file or directory: '{path}'" for path in (*paths, *paths)]
    assert [found.path for found in refused_in(texts)] == [str(path) for path in paths[:MOST]]


def test_a_message_is_followed_by_what_was_refused(there):
    said = f"importing tools failed: No such file or directory: '{there}'"
    assert with_refusals(said).startswith(f"{said} The suite hides {there}")
    assert with_refusals("importing tools failed") == "importing tools failed"
