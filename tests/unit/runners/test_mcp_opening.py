"""Which revision a connection is opened in: what the server answers to one handshake decides, and a name that was asked for."""

import json

import pytest

from aptix_conformance.runners.mcp.connection import Connection, Message, ServerEndedError, messages_in
from aptix_conformance.runners.mcp.opening import (
    HANDSHAKES,
    LEGACY,
    MODERN,
    NotUsableError,
    older_revision,
    open_session,
)

OLDEST, BATCHES, LINKS, _ = HANDSHAKES


class Fake(Connection):
    """A connection with a server that speaks some revisions, and keeps what it was sent."""

    watched = None

    def __init__(self, versions, sent, answer=None):
        super().__init__()
        self._versions, self._sent, self._answer = versions, sent, answer

    def close(self):
        pass

    def end_gently(self):
        return True

    def _read(self, seconds=None):
        raise ServerEndedError("it ended")

    def _has_arrived(self):
        return False

    def send(self, line):
        message = json.loads(line)
        self._sent.append((message["method"], message.get("params", {}).get("protocolVersion")))
        if "id" in message:
            value = {"jsonrpc": "2.0", "id": message["id"], **self._said(message)}
            self._messages.append(Message(json.dumps(value), value))

    def _said(self, message):
        if message["method"] == "server/discover" and MODERN in self._versions:
            return {"result": {"supportedVersions": [MODERN], "capabilities": {}}}
        shaken = [each for each in self._versions if each != MODERN]
        if message["method"] != "initialize" or not shaken:
            return {"error": {"code": -32601, "message": "no"}}
        asked = message["params"]["protocolVersion"]
        return {"result": {"protocolVersion": self._answer or (asked if asked in shaken else max(shaken))}}


def opened(*versions, known=None, asked="", answer=None):
    """The session with a server of some revisions, and what it was sent."""
    sent = []
    return open_session(lambda: Fake(versions, sent, answer), known, asked), sent


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_one_handshake_in_the_newest_of_them_names_what_the_server_speaks(revision):
    session, sent = opened(revision, known=revision)
    assert session.revision == revision
    assert sent == [("initialize", LEGACY), ("notifications/initialized", None)]
    assert session.params({}) == {}
    assert session.names_its_revision
    assert session.connection.takes_batches is (revision in (OLDEST, BATCHES))


def test_the_newest_of_several_revisions_is_spoken():
    assert opened(OLDEST, BATCHES, LINKS)[0].revision == LINKS
    assert opened(*HANDSHAKES)[0].revision == LEGACY
    assert opened(*HANDSHAKES, MODERN)[0].revision == MODERN


@pytest.mark.parametrize("asked", HANDSHAKES)
@pytest.mark.parametrize("known", [None, LEGACY, MODERN])
def test_a_revision_that_is_asked_for_by_name_is_spoken_whatever_is_newer(asked, known):
    session, sent = opened(*HANDSHAKES, MODERN, known=known, asked=asked)
    assert session.revision == asked
    assert sent[0] == ("initialize", asked)
    assert session.handshake["protocolVersion"] == asked


def test_the_newest_revision_can_be_asked_for_by_name():
    assert opened(*HANDSHAKES, MODERN, asked=MODERN)[0].revision == MODERN


def test_a_revision_that_the_server_does_not_speak_is_not_examined_as_another():
    with pytest.raises(NotUsableError, match=f"does not speak the revision {LINKS}: .* {OLDEST}"):
        opened(OLDEST, asked=LINKS)
    with pytest.raises(NotUsableError, match=f"does not speak the revision {LINKS}: .* {OLDEST}"):
        opened(OLDEST, known=LINKS)


def test_a_revision_of_nobody_is_named_with_those_that_are_judged():
    with pytest.raises(NotUsableError, match=r"'2023-01-01'.*2024-11-05, 2025-03-26, .* and 2026-07-28"):
        opened(LEGACY, known=LEGACY, answer="2023-01-01")


@pytest.mark.parametrize("version", [7, [LEGACY], {}])
def test_an_answer_without_a_version_is_judged_by_what_was_asked_for(version):
    """MCP002 finds that it names none."""
    assert opened(LEGACY, known=LEGACY, answer=version)[0].revision == LEGACY


@pytest.mark.parametrize(
    ("versions", "older"), [((MODERN,), ""), ((MODERN, LINKS), LINKS), ((MODERN, *HANDSHAKES), LEGACY)]
)
def test_a_server_of_the_modern_revision_may_speak_an_older_one_too(versions, older):
    assert older_revision(lambda: Fake(versions, [])) == older


NOTE = {"jsonrpc": "2.0", "method": "n"}


@pytest.mark.parametrize(
    ("value", "count"), [(NOTE, 1), ([NOTE, NOTE], 2), ([], 0), ([NOTE, 5], 0), ([[NOTE]], 0), ("n", 0)]
)
def test_an_array_is_its_messages_where_batches_are_taken(value, count):
    text = json.dumps(value).encode()
    assert [each.value for each in messages_in(text, takes_batches=True)] == [NOTE] * count
    assert len(messages_in(text, takes_batches=False)) == (1 if value is NOTE else 0)
