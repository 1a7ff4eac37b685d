"""Hostile tool names as file names and node ids."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptix_conformance.targets.names import file_stem, item_name, short_specs

HOSTILE = [
    "",
    " ",
    ".",
    "..",
    "../../x",
    "/etc/passwd",
    "C:\\x",
    "con",
    "CON",
    "nul",
    "com1",
    "lpt9",
    "-rf",
    ".hidden",
    "agent_weather",
    "Agent_Weather",
    "AGENT_WEATHER",
    "agent weather",
    "agent%20weather",
    "agent+0123456789abcdef",
    "%",
    "%~",
    "a::b",
    "a:",
    "a[0]",
    "a\0b",
    "a\nb",
    "\ud800",
    "\udfff",
    "\u202eabc",
    "é",
    "e\u0301",
    "😀",
    "ß",
    "ss",
    "x" * 100,
    "x" * 101,
    "x" * 102,
    "é" * 5000,
    "é" * 5001,
    "$(reboot)",
]


@pytest.mark.parametrize("name", ["agent_weather", "a", "7", "_x", "testing-delay", "x" * 100])
def test_a_plain_name_is_its_own_stem(name):
    assert file_stem(name) == name


@pytest.mark.parametrize("name", HOSTILE)
def test_every_stem_is_a_harmless_file_name(name):
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_+-]{0,99}", file_stem(name))
    assert file_stem(name) not in {"con", "nul", "com1", "lpt9"}


@pytest.mark.parametrize("name", HOSTILE)
def test_every_item_name_is_one_part_of_a_node_id(name):
    assert re.fullmatch(r"[\w.%~-]{1,100}", item_name(name))
    assert item_name(name).isprintable()
    item_name(name).encode()


@pytest.mark.parametrize("change", [file_stem, item_name])
def test_no_two_names_become_one(change):
    for one, other in itertools.combinations(HOSTILE, 2):
        assert change(one) != change(other)


@given(st.text(st.characters(), max_size=130), st.text(st.characters(), max_size=130))
def test_no_two_names_become_one_whatever_they_are(one, other):
    if one != other:
        assert file_stem(one) != file_stem(other)
        assert item_name(one) != item_name(other)


def test_no_name_can_take_the_form_that_another_is_changed_into():
    for name in HOSTILE:
        for change in (file_stem, item_name):
            changed = change(name)
            assert changed == name or change(changed) != changed


def test_a_plain_name_is_its_own_item_name_and_the_rest_is_percent_encoded():
    assert item_name("agent_weather") == "agent_weather"
    assert item_name("a::b [x]/y") == "a%3A%3Ab%20%5Bx%5D%2Fy"


def test_a_long_name_is_not_cut_inside_an_escape():
    for length in range(60, 90):
        cut = item_name("a" * length + " " * 200)
        assert re.fullmatch(r"(a|%20)+%~[0-9a-f]{16}", cut)


@pytest.mark.parametrize(
    ("specs", "short"),
    [
        (["pkg.tools:Owl"], ["Owl"]),
        (["pkg.a:Owl", "pkg.b:Owl"], ["pkg.a:Owl", "pkg.b:Owl"]),
        (["art:./tools/a.mjs#Owl", "art:./tools/b.mjs#Ape"], ["Owl", "Ape"]),
        (["art:./tools/a.mjs#Owl", "art:./tools/b.mjs#Owl"], ["a.mjs#Owl", "b.mjs#Owl"]),
        (["art:./x/a.mjs#Owl", "art:./y/a.mjs#Owl"], ["x/a.mjs#Owl", "y/a.mjs#Owl"]),
        (["a:Owl", "b:owl"], ["a:Owl", "b:owl"]),
        (["broken_tools"], ["broken_tools"]),
        (["host:./my-host/"], ["my-host/"]),
        (["", "x:"], ["", "x:"]),
    ],
)
def test_a_spec_is_told_from_others_by_its_shortest_end(specs, short):
    assert list(short_specs(specs).values()) == short
