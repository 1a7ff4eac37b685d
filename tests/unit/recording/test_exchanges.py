"""The file of a recording is written as it is read, and anything else is refused in one line."""

import datetime as dt
import os

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.recording.exchanges import (
    FORM,
    LARGEST_BODY,
    LARGEST_FILE,
    Exchange,
    Recording,
    Request,
    Response,
    body_members,
    read_recording,
    write_recording,
)

DAY = dt.date(2026, 11, 28)
HEAD = "form: 1\ntarget: t\nrecorded: 2026-11-28\nexpires: 2027-11-28\nexchanges:\n"
LINE = "- request: {line: GET https://a.example/}\n"


def recording(*bodies):
    asked = Request("POST https://a.example/x?y=1", body='{"a": 1}')
    return Recording(
        FORM,
        "mcp:node server.mjs",
        DAY,
        DAY,
        tuple(
            Exchange(asked, Response(200, {"Content-Type": "text/plain"}, **body_members(b))) for b in bodies
        ),
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"yes",
        b"12",
        b"one\ntwo\n",
        b" blank \n end ",
        b"a\r\nb",
        b"\xff\xfe",
        "é😀\x85".encode(),
        b"\x00\x01",
        b"*alias",
    ],
)
def test_what_is_written_is_read_again(tmp_path, body):
    file = tmp_path / "recordings" / "weather.yaml"
    write_recording(file, recording(body, b"{}"))
    assert read_recording(file) == recording(body, b"{}")
    assert read_recording(file).exchanges[0].response.content == body


def test_a_person_can_read_it(tmp_path):
    write_recording(tmp_path / "r.yaml", recording(b"one\ntwo\n"))
    text = (tmp_path / "r.yaml").read_text(encoding="utf-8")
    assert "    line: POST https://a.example/x?y=1\n" in text
    assert "    body: |\n      one\n      two\n" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "expected"),
        ("[]", "Expected `object`"),
        (HEAD.replace("form: 1", "form: 2") + " []\n", "reads the format 1, not 2"),
        (HEAD + " []\nmore: 1\n", "unknown field `more`"),
        (HEAD.replace("2027-11-28", "soon") + " []\n", "`$.expires`"),
        (HEAD + LINE, "`response`"),
        (HEAD + LINE + "  response: {status: 99}\n", "exchanges[0]: `response.status`"),
        (HEAD + LINE.replace("https", "ftp") + "  response: {status: 200}\n", "exchanges[0]: `request.line`"),
        (
            HEAD + LINE.replace("a.example", "a.example:99999") + "  response: {status: 200}\n",
            "`request.line`",
        ),
        (HEAD + LINE + "  response: {status: 200, headers: {'A B': c}}\n", "not a header of HTTP"),
        (HEAD + LINE + '  response: {status: 200, headers: {A: "b\\r\\nc"}}\n', "not a header of HTTP"),
        (HEAD + LINE + "  response: {status: 200, base64: '%'}\n", "not base64"),
        (HEAD + LINE + "  response: {status: 200, body: a, base64: YQ==}\n", "not both"),
        ("a: &x [1]\nb: *x\n", "no aliases"),
        (HEAD + LINE + f"  response: {{status: 200, body: {'x' * (LARGEST_BODY + 1)}}}\n", "at most 1 MiB"),
        ("[" * 100_000, ""),
        ("- {a,a,a,a}\n" * 6_000, "at most 50,000 YAML events"),
        ("# " + "x" * LARGEST_FILE, "at most 8 MiB"),
    ],
)
def test_anything_else_is_refused_in_one_line(tmp_path, text, said):
    file = tmp_path / "r.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read_recording(file)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(str(file))


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_recording(tmp_path / "r.yaml")


@pytest.mark.parametrize("text", ["", "form: 9\n", "name: a file of the author\n"])
def test_a_file_that_is_no_recording_is_not_replaced(tmp_path, text):
    file = tmp_path / "r.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is not replaced"):
        write_recording(file, recording(b"{}"))
    assert file.read_text(encoding="utf-8") == text


def test_no_link_is_followed(tmp_path):
    other = tmp_path / "other"
    other.write_text("kept", encoding="utf-8")
    (tmp_path / "r.yaml.part").symlink_to(other)
    write_recording(tmp_path / "r.yaml", recording(b"{}"))
    write_recording(tmp_path / "r.yaml", recording(b"[]"))
    assert other.read_text(encoding="utf-8") == "kept"
    assert read_recording(tmp_path / "r.yaml") == recording(b"[]")


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "r.yaml")
    with pytest.raises(ConfigurationError, match="not a regular file"):
        read_recording(tmp_path / "r.yaml")
