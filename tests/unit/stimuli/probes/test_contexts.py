"""Contexts can be recognised, and depend on the call only."""

import re

from aptix_conformance.stimuli.probes.contexts import PREFIX
from aptix_conformance.systems.aptix.traits import PARTS, fresh_context, without


def identifiers(value):
    if isinstance(value, dict):
        return [found for item in value.values() for found in identifiers(item)]
    return [value] if isinstance(value, str) and value.startswith(PREFIX) else []


def test_every_identifier_is_32_hexadecimal_digits_with_our_beginning():
    found = identifiers(fresh_context(1, "tool", "valid", "minimal", "{}"))
    assert len(found) == 8
    assert all(re.fullmatch(r"c0ffee[0-9a-f]{26}", identifier) for identifier in found)
    assert len(set(found)) == 7  # the session is named twice


def test_equal_calls_have_equal_contexts_and_others_do_not():
    call = (1, "tool", "valid", "minimal", "{}")
    others = [
        (2, "tool", "valid", "minimal", "{}"),
        (1, "toal", "valid", "minimal", "{}"),
        (1, "tool", "context", "minimal", "{}"),
        (1, "tool", "valid", "full", "{}"),
        (1, "tool", "valid", "minimal", ""),
        (1, "tool", "valid", "minimal", None),
        (1, "tool", "valid", "minimal", "null"),
        (1, "tool", "valid", "minimal", "\ud800"),
    ]
    assert fresh_context(*call) == fresh_context(*call)
    sessions = {fresh_context(*key)["session_id"] for key in [call, *others]}
    assert len(sessions) == 1 + len(others)


def test_a_context_without_a_part_has_the_others():
    whole = fresh_context(1, "tool", "context", "x", "{}")
    for part in PARTS:
        smaller = without(whole, part)
        assert smaller != whole
        assert len(str(smaller)) < len(str(whole))
    assert "session_id" in without(whole, "conversation_id")["request"]
    assert "conversation_id" not in without(whole, "conversation_id")["request"]
    assert "session_id" in without(whole, "request-session_id")
