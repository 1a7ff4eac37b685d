"""URLs and headers of servers: what is refused, and how variables are read."""

from pathlib import Path

import pytest

from aptix_conformance.core.errors import ConfigurationError, TargetError
from aptix_conformance.targets import endpoints
from aptix_conformance.targets.values import Place

PLACE = Place("pyproject.toml", "tool.x", Path())


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/mcp", "https://example.com/${TENANT}/mcp?key=${KEY}"])
def test_a_url_is_taken(url):
    assert endpoints.url(url, PLACE) == url


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://example.com", "is not a URL of the form"),
        ("http://", "is not a URL of the form"),
        ("http://example.com:99999/", "is not a URL"),
        ("http://[", "is not a URL"),
        ("http://example.com/a b", "a character that no URL has"),
        ("http://exämple.com/", "a character that no URL has"),
        ("https://me:hunter22@example.com/", "holds credentials"),
        (5, "expected a string"),
    ],
)
def test_what_is_no_url_of_a_server_is_refused_and_shows_no_secret(url, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        endpoints.url(url, PLACE)
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Authorization": "Bearer hunter22"}, "a secret does not belong into a file"),
        ({"X-Api-Key": "hunter22"}, "a secret does not belong into a file"),
        ({"Mcp-Session-Id": "x"}, "the suite sets this header itself"),
        ({"Host": "x"}, "the suite sets this header itself"),
        ({"a b": "x"}, "no header can have this name"),
        ({"X-Team": "a\nb"}, "printable ASCII"),
        ({"X-Team": 5}, "printable ASCII"),
        ([], "expected a table"),
    ],
)
def test_headers_that_cannot_be_sent_or_hold_a_secret_are_refused(headers, said):
    with pytest.raises(ConfigurationError, match=said) as caught:
        endpoints.headers(headers, PLACE)
    assert "hunter22" not in str(caught.value)


def test_other_headers_are_taken():
    said = {"Authorization": "Bearer ${TOKEN}", "X-Team": "tests"}
    assert endpoints.headers(said, PLACE) == said


def test_variables_are_the_environments_or_their_defaults():
    texts = {"the URL": "https://${HOST:-example.com}/${PATH_}", "the header A": "${TOKEN}"}
    environ = {"TOKEN": "t0ken", "PATH_": "mcp"}
    found = dict(endpoints.variables(texts, environ, "mcp:notes"))
    assert found == {"HOST": "example.com", "PATH_": "mcp", "TOKEN": "t0ken"}
    assert endpoints.expanded(texts["the URL"], environ) == "https://example.com/mcp"
    assert endpoints.expanded("${EMPTY:-}", {}) == ""


def test_a_variable_that_is_not_set_is_named():
    with pytest.raises(
        TargetError, match="mcp:notes: the URL needs the environment variable HOST, which is not set"
    ):
        list(endpoints.variables({"the URL": "https://${HOST}/"}, {}, "mcp:notes"))


@pytest.mark.parametrize(
    ("url", "loops"), [("http://localhost:1/", True), ("http://[::1]/", True), ("http://a.b/", False)]
)
def test_which_urls_are_of_this_machine(url, loops):
    assert endpoints.is_loopback(url) is loops


def test_hosts_are_read_once_each_in_small_letters():
    said = ["API.example.com:443", "localhost:5432", "api.example.com:443", "127.0.0.1:80"]
    assert endpoints.network(said, PLACE) == (
        ("api.example.com", 443),
        ("localhost", 5432),
        ("127.0.0.1", 80),
    )


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        (["api.example.com"], r"network\[0\]: api.example.com is not a host with a port"),
        (["https://api.example.com:443"], "is not a host with a port"),
        (["*.example.com:443"], "is not a host with a port"),
        (["api.example.com:0"], "is not a host with a port"),
        (["api.example.com:70000"], "is not a host with a port"),
        (["a\nb:443"], "is not a host with a port"),
        ([f"{'a.' * 130}com:443"], "is not a host with a port"),
        (["10.0.0.5:443"], "is an address: write the host's name"),
        (["127.0.0.999:443"], "is an address"),
        ([f"h{number}.example.com:443" for number in range(33)], "these are 33 hosts; at most 32"),
        ("api.example.com:443", "expected an array"),
        ([443], "expected"),
    ],
)
def test_what_is_no_host_with_a_port_is_refused(hosts, said):
    with pytest.raises(ConfigurationError, match=said):
        endpoints.network(hosts, PLACE / "network")
