"""A secret that is configured for a tool is distinguished from a setting, and a canary replaces it in what is seen of the tool."""

import base64
import json
from urllib.parse import quote

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, LogRecord, Outcome, Result, canaries
from aptix_conformance.hosts.configured_secrets import SecretRedactor, secrets_of

SECRET = 'p9ss+"9f8e/7d6c'


def seen(payload, arguments="{}", expected=None, logs=()):
    plan = stimulus("valid", "generated", arguments, None, expected=expected)
    return Call(
        plan, Outcome.RETURNED, 0.0, Result("InvokeResult", True, True, payload, "str"), logs=tuple(logs)
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ATLAS_TOKEN", "p9ss-9f8e7d6c"),
        ("PGPASSWORD", "hunter2hunter2"),
        ("api_key", "a1b2c3d4"),
        ("SECRET_KEY_BASE", "a1b2c3d4"),
        ("AWS_ACCESS_KEY_ID", "AKIA0123456789"),
        ("SENTRY_DSN", "https://9f8e7d6c5b@errors.example/1"),
        ("SIGNING_KEY", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA\n"),
        ("STORE", "postgresql://app:app@db.example/stock"),
        ("CODE_PAT", "a1b2c3d4e5"),
        ("BASIC_AUTH", "a1b2c3d4e5"),
    ],
)
def test_a_secret_is_known_by_its_name_or_by_the_login_in_it(name, value):
    assert secrets_of({name: value}) == {value: name}


def test_the_password_of_a_url_is_a_secret_of_its_own():
    url = "postgresql://app:p9ss%2F9f8e@db.example/stock"
    assert set(secrets_of({"STORE": url})) == {url, "p9ss%2F9f8e", "p9ss/9f8e"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WIND_UNITS", "metric"),
        ("CODE_STYLE", "compact-2024"),
        ("ATLAS_TOKEN", "short1"),
        ("ATLAS_TOKEN", "temperature"),
        ("ATLAS_TOKEN", "20240229"),
        ("TOKENIZER", "cl100k_base"),
        ("COMPASS", "bearing-270"),
        ("FORMAT_COMPAT", "level-2024"),
        ("MAX_TOKENS", "4096"),
        ("SIGNING_KEY_ID", "signing-2024"),
        ("TOKEN_URL", "https://login.example/oauth2/token"),
        ("API_KEY_FILE", "/etc/keys/api-1.txt"),
        ("APPLICATION_CREDENTIALS", "/etc/keys/app-1.json"),
        ("TRACE_DSN", "http://trace1.example:4317"),
        ("CACHE_KEY", "functions-v2"),
        ("PUBLIC_KEY", "p9ss-9f8e7d6c"),
        ("REPOSITORY", "ssh://git@code.example/repo1"),
    ],
)
def test_what_may_stand_in_an_honest_result_is_no_secret(name, value):
    assert secrets_of({name: value}) == {}


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        SECRET.upper(),
        json.dumps({"key": SECRET}),
        quote(SECRET),
        quote(SECRET, safe="").lower(),
        SECRET.encode().hex(),
        *(base64.b64encode(f"{'x' * before}{SECRET}tail".encode()).decode() for before in range(3)),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
    ],
)
def test_a_canary_stands_for_a_secret_however_it_is_written(text):
    payload = SecretRedactor({"ATLAS_TOKEN": SECRET}).redact(seen(f"before {text} after")).result.payload
    assert canaries.standing_for("ATLAS_TOKEN") in payload
    assert payload.startswith("before ")
    assert payload.endswith(" after")
    assert text not in payload


def test_a_secret_in_a_log_is_not_kept_either():
    record = LogRecord("add_custom_event", pairs=(("Key", SECRET),))
    hidden = SecretRedactor({"ATLAS_TOKEN": SECRET}).redact(seen("{}", logs=[record]))
    assert hidden.logs[0].pairs == (("Key", canaries.standing_for("ATLAS_TOKEN")),)


def test_what_a_call_was_sent_with_or_was_to_give_back_is_its_own():
    redactor = SecretRedactor({"ATLAS_TOKEN": SECRET})
    sent = seen(SECRET, arguments=json.dumps({"key": SECRET}))
    vouched = seen(SECRET, expected=json.dumps(SECRET))
    assert redactor.redact(sent) == sent
    assert redactor.redact(vouched) == vouched


def test_a_call_without_a_secret_in_it_is_the_same_object():
    call = seen('{"units": "metric"}')
    assert SecretRedactor({"ATLAS_TOKEN": SECRET, "UNITS": "metric"}).redact(call) is call
    assert SecretRedactor({}).redact(call) is call
