"""Secrets are replaced in what is kept, and two requests are the same whatever their secrets are."""

import gzip

import pytest

from aptix_conformance.recording.exchanges import Request
from aptix_conformance.recording.masking import Masker
from aptix_conformance.recording.secret_names import Secrecy, secrecy_of

KEY = "s3cret-4711-value"


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apikey",
        "X-Api-Key",
        "appid",
        "access_token",
        "accessToken",
        "Authorization",
        "sig",
        "clientSecret",
        "clientsecret",
        "accesstoken",
        "pwd",
        "passphrase",
        "pass",
        "session_id",
        "dsn",
        "user[password]",
        "user%5Bpassword%5D",
    ],
)
def test_a_secret_is_known_by_its_name(name):
    assert secrecy_of(name) is not Secrecy.NONE


@pytest.mark.parametrize(
    "name",
    [
        "city",
        "monkey",
        "key",
        "keyword",
        "tokens_used",
        "author",
        "page",
        "nextPageToken",
        "page_token",
        "next_token",
        "cursor",
    ],
)
def test_other_names_are_none(name):
    assert secrecy_of(name) is Secrecy.NONE


def test_of_a_long_name_the_end_is_looked_at():
    assert secrecy_of("_" * 1_000_000) is Secrecy.NONE
    assert secrecy_of("_" * 1_000_000 + "password") is Secrecy.ALL


def test_secrets_of_a_url_a_body_and_headers_are_replaced():
    asked = Request(
        "POST https://a.example/x?city=Oslo&api_key=abc123", body='{"password": "abc", "q": ["s3cret-9"]}'
    )
    kept = Masker(["s3cret-9"]).exchange(
        asked,
        200,
        {"Set-Cookie": "a=b", "X-Auth-Token": "abc", "ETag": "s3cret-9"},
        b'{"access_token": "abc", "n": 1}',
    )
    assert kept.request.line == "POST https://a.example/x?city=Oslo&api_key=REDACTED"
    assert kept.request.body == '{"password": "REDACTED", "q": ["REDACTED"]}'
    assert kept.response.headers == {"X-Auth-Token": "REDACTED", "ETag": "REDACTED"}
    assert kept.response.body == '{"access_token": "REDACTED", "n": 1}'


def test_what_holds_no_secret_stays_as_it_is():
    body = '{ "celsius":21.50 }'
    kept = Masker(["s3cret-9"]).exchange(Request("GET http://a.example/"), 200, {}, body.encode())
    assert kept.response.body == body


def test_a_secret_is_found_in_other_spellings():
    asked = Request('GET https://a.example/a%2Fb+c?x="a/b+c"', body='"a/b+c"')
    assert "a%2Fb" not in Masker(["a/b+c d"]).request(Request("GET https://a.example/a%2Fb%2Bc%20d")).line
    assert Masker([]).request(asked) == asked


@pytest.mark.parametrize(
    "other",
    [
        Request("POST https://a.example/x?b=2&a=1&api_key=1", body='{"y": 2, "x": 1}'),
        Request("POST https://A.example/x?a=1&b=2&api_key=zzz", body='{"x":1,"y":2}'),
    ],
)
def test_the_same_request_in_another_spelling_is_the_same(other):
    asked = Request("POST https://a.example/x?a=1&b=2&api_key=abc", body='{"x": 1, "y": 2}')
    assert Masker().key(other) == Masker().key(asked)


@pytest.mark.parametrize(
    "other",
    [
        Request("GET https://a.example/x?a=1", body='{"x": 1}'),
        Request("POST http://a.example/x?a=1", body='{"x": 1}'),
        Request("POST https://a.example/x?a=2", body='{"x": 1}'),
        Request("POST https://a.example/x?a=1", body='{"x": 2}'),
        Request("POST https://a.example/x?a=1"),
    ],
)
def test_another_request_is_another_one(other):
    assert Masker().key(other) != Masker().key(Request("POST https://a.example/x?a=1", body='{"x": 1}'))


def kept(body, headers=None):
    """The body of an answer and its headers as they are kept; the body as bytes."""
    response = Masker([KEY]).exchange(Request("GET http://a.example/"), 200, headers or {}, body).response
    return response.content, response.headers


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('{"passwords":["hunter2"]}', '{"passwords": ["REDACTED"]}'),
        ('{"token":{"value":"x"}}', '{"token": {"value": "REDACTED"}}'),
        ('{"password":123456}', '{"password": "REDACTED"}'),
        ('{"url":"https://b/?token=ABC"}', '{"url": "https://b/?token=REDACTED"}'),
        ('{"url":"https://b/?a=1\\u0026token=ABC"}', '{"url": "https://b/?a=1&token=REDACTED"}'),
        ('{"token": "a", "\\ud800": 1}', '{"token": "REDACTED", "\\ud800": 1}'),
        ("a[b]=1&client_secret=abc", "a[b]=1&client_secret=REDACTED"),
        ("see http://u:pw@host/", "see http://u:REDACTED@host/"),
        (f"x {KEY.encode().hex()} y", "x REDACTED y"),
        (f"x {KEY.upper()} y", "x REDACTED y"),
    ],
)
def test_secrets_are_hidden_wherever_they_stand(text, masked):
    assert kept(text.encode())[0].decode() == masked


@pytest.mark.parametrize(
    "text",
    [
        '{"key":"PROJ-1","nextPageToken":"CAUQAA12345"}',
        '{"usage":{"total_tokens":12},"pass":3,"auth":true,"token":null}',
        '{"session_id":"front","tokens":["the","word"]}',
    ],
)
def test_what_a_tool_needs_stays(text):
    assert kept(text.encode())[0].decode() == text


def test_urls_in_headers_are_masked():
    headers = {
        "Location": "https://b/?token=abc123",
        "Link": '<https://b/?page=2&token=abc123>; rel="next"',
    }
    assert kept(b"", headers)[1] == {
        "Location": "https://b/?token=REDACTED",
        "Link": '<https://b/?page=2&token=REDACTED>; rel="next"',
    }


@pytest.mark.parametrize(
    "body",
    [
        '\ufeff{"password": "hunter2"}'.encode(),
        '{"password": "hunter2", "a": "\u2028"}'.encode(),
        f"\ufeffhunter2 is no word, {KEY} is one".encode().replace(b"hunter2", b"one"),
    ],
)
def test_what_is_kept_in_base64_is_masked(body):
    content = kept(body)[0]
    assert b"REDACTED" in content
    assert b"hunter2" not in content
    assert KEY.encode() not in content
    assert content.startswith(body[:3])


@pytest.mark.parametrize(
    "body",
    [b"\xff" + KEY.encode(), ("\xff\xd8" + KEY).encode("utf-16"), gzip.compress(KEY.encode(), mtime=0)],
)
def test_a_secret_in_what_is_no_text_is_found(body):
    assert Masker([KEY]).holds_secret(body)
    assert not Masker(["another-secret"]).holds_secret(body)


def test_a_deep_document_is_a_text():
    asked = Request("POST http://a.example/", body="[" * 600 + f'"{KEY}"' + "]" * 600)
    masked = Masker([KEY]).request(asked)
    assert masked.body == asked.body.replace(KEY, "REDACTED")
    assert Masker([KEY]).key(masked) == Masker([KEY]).key(asked)


@pytest.mark.parametrize("name", ["key", "pageToken", "appid"])
def test_requests_that_differ_by_what_is_no_secret_are_two(name):
    one, two = (Request(f"GET https://a.example/x?{name}=PROJ{n}") for n in (1, 2))
    assert Masker().key(one) != Masker().key(two)
