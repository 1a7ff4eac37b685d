"""The lock record as text, and back."""

import json

import pytest

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.schemas import fingerprint, lock_record, read_lock, unused_locks
from aptix_conformance.core.schemas.lock import LockRecord

SCHEMA = {"type": "function", "parameters": {"required": ["ñ"], "properties": {"ñ": {"maximum": 2**63}}}}


READABLE = """\
{
  "tool": "agent_weather",
  "schema": {
    "a": [
      true
    ],
    "b": 1
  },
  "usage_text": [
    "When to call.",
    "",
    "Never twice."
  ],
  "fingerprint": "FINGERPRINT"
}
"""


def test_a_lock_is_readable_json_in_a_fixed_order():
    text = lock_record("agent_weather", {"b": 1.0, "a": [True]}, "When to call.\n\nNever twice.").text()
    assert text == READABLE.replace("FINGERPRINT", fingerprint({"a": [True], "b": 1}))


@pytest.mark.parametrize(
    "usage", ["", "one", "two\nlines", "end\n", "a\r\nb\u2028c\x85", "\ud800\x00\U000e0001\u202e😀"]
)
def test_a_lock_reads_back_as_it_was(usage):
    record = lock_record("agent", SCHEMA, usage)
    assert read_lock(record.text(), "x.json") == record
    assert "\n".join(record.usage_text) == usage


def test_the_same_schema_in_another_order_has_the_same_lock():
    turned = dict(reversed(SCHEMA.items()))
    assert lock_record("agent", turned, "") == lock_record("agent", SCHEMA, "")


def test_nothing_in_a_lock_hides_from_a_reviewer():
    text = lock_record("\x1b[2J", {"\u202e": "\ud800", "é": "\U000e0001"}, "\u2066\x7f").text()
    assert text.replace("\n", "").isprintable()
    assert "é" in text
    assert read_lock(text, "x").tool == "\x1b[2J"


@pytest.mark.parametrize("end", [0, 1, 40, -3])
def test_a_truncated_lock_is_refused_with_the_way_to_mend_it(end):
    text = lock_record("agent", SCHEMA, "usage").text()
    with pytest.raises(
        RecordError, match=r"snapshots/agent\.json is not the JSON of a lock .*--snapshot-update"
    ):
        read_lock(text[:end], "snapshots/agent.json")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[" * 100_000, "is not the JSON of a lock"),
        ("[]", "lock: `object` was expected"),
        ("{}", "the member 'tool' is missing"),
        ('{"tool": 1, "schema": {}, "usage_text": [], "fingerprint": ""}', r"lock\.tool"),
        ('{"tool": "", "schema": {}, "usage_text": "x", "fingerprint": ""}', r"lock\.usage_text"),
        ('{"tool": "", "schema": NaN, "usage_text": [], "fingerprint": ""}', "not a JSON number"),
        (
            '{"tool": "", "schema": {}, "usage_text": [], "fingerprint": "", "more": 0}',
            "unknown member 'more'",
        ),
    ],
)
def test_what_is_no_lock_is_refused(text, wrong):
    with pytest.raises(RecordError, match=wrong):
        read_lock(text, "agent.json")


def test_a_lock_whose_schema_was_edited_by_hand_is_refused():
    data = json.loads(lock_record("agent", SCHEMA, "").text())
    data["schema"]["type"] = "other"
    with pytest.raises(RecordError, match="edited by hand"):
        read_lock(json.dumps(data), "agent.json")


def test_unused_locks_are_those_of_no_configured_tool(tmp_path):
    for name in ("one.json", "two.json", "notes.txt"):
        (tmp_path / name).touch()
    assert unused_locks(tmp_path, {"one"}) == (tmp_path / "two.json",)
    assert unused_locks(tmp_path / "missing", {"one"}) == ()


def test_a_record_is_frozen():
    with pytest.raises(AttributeError):
        LockRecord("a", {}, (), "").tool = "b"
