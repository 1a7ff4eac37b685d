"""What lies outside of a folder to which a tool is confined, and how the canary is known."""

import base64

import pytest

from aptix_conformance.core.model import confinement
from aptix_conformance.stimuli.probes.confined import paths_outside


@pytest.mark.parametrize(
    ("path", "outside"),
    [
        ("notes-canary-7a90c4d2", True),
        ("notes-canary-7a90c4d2/canary.txt", True),
        ("canary-7a90c4d2/new-7a90c4d2.txt", True),
        ("new-7a90c4d2.txt", True),
        ("notes", False),
        ("notes/new-7a90c4d2.txt", False),
        ("notes.log", False),
        ("server.log", False),
    ],
)
def test_only_what_the_probe_aims_at_lies_outside(path, outside):
    assert confinement.is_outside(path, "notes") is outside


def test_the_other_folder_lies_beside_a_nested_one():
    assert confinement.other("data/notes") == "data/canary-7a90c4d2"
    assert confinement.similar("data/notes") == "data/notes-canary-7a90c4d2"


@pytest.mark.parametrize("before", [b"", b"a", b"ab"])
def test_the_canary_is_known_in_base64(before):
    assert confinement.shows(base64.b64encode(before + confinement.CANARY.encode()).decode())
    assert not confinement.shows(base64.b64encode(before + b"bread and salt").decode())


def test_no_argument_has_the_canary():
    """A tool may repeat what it was sent."""
    assert not any(map(confinement.shows, paths_outside("data/notes").values()))
