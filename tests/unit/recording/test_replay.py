"""Services answer from a recording, fail as they are asked to, and say what they were asked."""

import datetime as dt

import pytest

from aptix_conformance.recording.exchanges import FORM, Exchange, Recording, Request, Response
from aptix_conformance.recording.replay import Replay, Traffic, failing, recorded_reply
from aptix_conformance.recording.service import Asked

DAY = dt.date(2026, 11, 28)
JSON = {"Content-Type": "application/json; charset=utf-8"}
OSLO = "GET http://a.example/weather?city=Oslo"


def replay(*bodies, today=DAY, secrets=()):
    answers = [Exchange(Request(OSLO), Response(200, JSON, body)) for body in bodies]
    return Replay(Recording(FORM, "t", DAY, DAY, tuple(answers)), secrets, today)


def ask(services, line=OSLO):
    reply = services.answer(Asked(Request(line), "a.example", 80, is_tls=False, headers={}))
    return reply and reply.content.decode()


def test_what_was_recorded_is_answered_and_said():
    services = replay("{}")
    services.begin()
    assert ask(services) == "{}"
    assert services.end() == Traffic(answered=(OSLO,))


def test_equal_requests_get_their_answers_in_order_and_each_call_begins_again():
    services = replay("1", "2")
    for _ in range(2):
        services.begin()
        assert [ask(services) for _ in range(3)] == ["1", "2", "2"]


def test_what_was_not_recorded_gets_no_answer_and_is_said_without_secrets():
    services = replay("{}", secrets=["s3cret-9"])
    services.begin()
    assert ask(services, "GET http://a.example/weather?city=s3cret-9&api_key=1") is None
    assert services.end().unrecorded == ("GET http://a.example/weather?city=REDACTED&api_key=REDACTED",)


@pytest.mark.parametrize("value", ["s3cret-9", "none"])
def test_a_parameter_that_was_a_secret_may_have_any_value(value):
    answered = Exchange(Request("GET http://a.example/x?city=Oslo&key=REDACTED"), Response(200, JSON, "{}"))
    services = Replay(Recording(FORM, "t", DAY, DAY, (answered,)), ["s3cret-9"], DAY)
    assert ask(services, f"GET http://a.example/x?key={value}&city=Oslo") == "{}"
    assert ask(services, f"GET http://a.example/y?key={value}&city=Oslo") is None


def test_the_next_call_has_nothing_of_the_last_one():
    services = replay("{}")
    services.begin("500")
    ask(services)
    services.end()
    services.begin()
    assert services.end() == Traffic()
    assert ask(services) == "{}"


def test_a_recording_that_has_expired_answers_nothing_and_says_so():
    services = replay("{}", today=DAY + dt.timedelta(days=1))
    services.begin()
    assert ask(services) is None
    assert services.end().unrecorded == (f"{OSLO} (recorded until 2026-11-28)",)


def test_a_client_that_does_not_trust_the_certificate_asks_for_what_is_not_recorded():
    answered = Exchange(Request("GET https://a.example/"), Response(200))
    services = Replay(Recording(FORM, "t", DAY, DAY, (answered,)), (), DAY)
    services.begin()
    services.context("a.example")
    services.end_handshake(is_trusted=False)
    assert "SSL_CERT_FILE" in services.end().unrecorded[0]
    services.begin()
    services.context("A.example")
    services.end_handshake(is_trusted=True)
    assert services.end() == Traffic()


@pytest.mark.parametrize("failure", [None, "certificate"])
def test_a_host_that_was_asked_by_http_alone_has_no_certificate(failure):
    services = replay("{}")
    services.begin(failure)
    with pytest.raises(OSError, match=r"a\.example"):
        services.context("a.example")
    services.end_handshake(is_trusted=False)
    assert services.end() == Traffic(unrecorded=("a request by HTTPS to a.example",))


def test_calls_at_the_same_time_get_the_first_answer():
    services = replay("1", "2")
    services.begin(is_group=True)
    assert [ask(services) for _ in range(3)] == ["1", "1", "1"]
    services.begin()
    assert [ask(services) for _ in range(2)] == ["1", "2"]


def test_a_refused_connection_is_a_failure():
    services = replay("{}")
    services.begin("refused")
    assert not services.takes_connection()
    assert services.end().failed
    assert services.takes_connection()


def test_an_unrecorded_request_is_none_that_failed():
    services = replay("{}")
    services.begin("500")
    ask(services, "GET http://a.example/")
    assert services.end() == Traffic(unrecorded=("GET http://a.example/",))


@pytest.mark.parametrize("failure", ["500", "429", "refused", "cut", "not-json", "encoding"])
def test_each_failure_is_one(failure):
    response = Response(200, JSON, '{"a": 1}')
    assert failing(failure, response) != recorded_reply(response)
    services = replay('{"a": 1}')
    services.begin(failure)
    services.answer(Asked(Request(OSLO), "a.example", 80, is_tls=False, headers={}))
    assert services.end() == Traffic(failed=(OSLO,))


@pytest.mark.parametrize("failure", ["cut", "not-json", "encoding", "certificate"])
def test_a_service_that_cannot_fail_so_answers(failure):
    response = Response(204, {"Content-Type": "text/plain"}, "")
    assert failing(failure, response) == recorded_reply(response)
    services = replay("{}")
    services.begin("certificate")
    ask(services)
    assert services.end().failed == ()


def test_bytes_that_are_no_text_are_none():
    reply = failing("encoding", Response(200, JSON, '{"a": "é"}'))
    with pytest.raises(UnicodeDecodeError):
        reply.content.decode()


def test_the_file_says_nothing_of_the_connection():
    reply = recorded_reply(
        Response(200, {"Content-Length": "9", "Transfer-Encoding": "chunked", "A": "b"}, "{}")
    )
    assert reply.headers == {"A": "b"}
