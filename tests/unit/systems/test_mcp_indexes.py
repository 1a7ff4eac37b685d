"""Where packages come from, as pip and npm are set: hosts, credentials, and what is there."""

import pytest

from aptix_conformance.errors import TargetError
from aptix_conformance.systems.mcp.installing import indexes
from aptix_conformance.systems.mcp.installing.indexes import hosts_of, npm_source, python_source


def pip(**changes):
    said = {
        "index_url": "https://index.example.com/simple",
        "extra_index_urls": [],
        "find_links": [],
        "no_index": False,
        "cert": None,
        "client_cert": None,
        "trusted_hosts": [],
        "proxy": "",
    }
    return {**said, **changes}


@pytest.fixture
def pages(monkeypatch):
    """What the indexes answer, by address: a type and a text."""
    known = {}

    def fetch(url, _said):
        if url not in known:
            raise indexes.urllib.error.HTTPError(url, 404, "Not Found", {}, None)
        if isinstance(known[url], Exception):
            raise known[url]
        return (url, *known[url])

    monkeypatch.setattr(indexes, "_fetched", fetch)
    return known


PAGE = "https://index.example.com/simple/notes/"


@pytest.mark.parametrize(
    "page",
    [
        (
            "text/html",
            b'<a href="https://files.example.com/a/notes-1.0-py3-none-any.whl#sha256=0">x</a><a name="y">',
        ),
        (
            "application/vnd.pypi.simple.v1+json",
            b'{"files": [{"url": "https://files.example.com/a/notes-1.0-py3-none-any.whl"}]}',
        ),
    ],
)
def test_the_hosts_are_the_indexs_and_those_of_its_files(pages, page):
    pages[PAGE] = page
    source = python_source("notes", (("more.example.com", 443),), pip())
    assert source.hosts == (
        ("index.example.com", 443),
        ("files.example.com", 443),
        ("more.example.com", 443),
    )
    assert source.has_wheels is True
    assert source.env["PIP_INDEX_URL"] == "https://index.example.com/simple"


def test_a_page_without_wheels_is_noticed(pages):
    pages[PAGE] = ("text/html", b'<a href="notes-1.0.tar.gz">x</a>')
    assert python_source("notes", (), pip()).has_wheels is False


def test_a_package_that_no_index_has_is_an_error(pages, tmp_path):
    with pytest.raises(TargetError, match=r"^the index has no package notes$"):
        python_source("notes", (), pip(find_links=[str(tmp_path)]))
    (tmp_path / "Notes-1.0-py3-none-any.whl").write_text("")
    assert python_source("notes", (), pip(find_links=[str(tmp_path)])).has_wheels is True


def test_an_index_that_is_not_reached_is_named_without_its_credentials(pages):
    pages["https://me:secret@index.example.com/simple/notes/"] = OSError("refused")
    with pytest.raises(
        TargetError, match=r"^the index https://index\.example\.com/simple cannot be reached: refused"
    ):
        python_source("notes", (), pip(index_url="https://me:secret@index.example.com/simple"))


def test_an_index_that_refuses_is_said(pages):
    pages[PAGE] = indexes.urllib.error.HTTPError(PAGE, 401, "Unauthorized", {}, None)
    with pytest.raises(TargetError, match="answers 401"):
        python_source("notes", (), pip())


def test_credentials_are_secrets(pages):
    pages["https://me:secret@index.example.com/simple/notes/"] = ("text/html", b"")
    source = python_source("notes", (), pip(index_url="https://me:secret@index.example.com/simple"))
    assert source.secrets == ("me:secret", "secret")


def test_a_folder_is_visible_and_opens_no_host(tmp_path):
    folder = tmp_path / "simple" / "notes"
    folder.mkdir(parents=True)
    (folder / "notes-1.0-py3-none-any.whl").write_text("")
    source = python_source("notes", (), pip(index_url=f"file://{tmp_path}/simple"))
    assert source.hosts == ()
    assert str(tmp_path) in source.visible


def test_a_proxy_is_refused(monkeypatch, tmp_path):
    with pytest.raises(TargetError, match="would open every host"):
        python_source("notes", (), pip(proxy="http://proxy.example.com"))
    monkeypatch.setattr(indexes, "_asked_of_npm", lambda _: {"https-proxy": "http://proxy.example.com"})
    with pytest.raises(TargetError, match="would open every host"):
        npm_source(tmp_path)


def test_npm_is_given_its_registries_and_their_hosts(monkeypatch, tmp_path):
    settings = tmp_path / "npmrc"
    settings.write_text("//npm.example.com/:_authToken=${OUR_TOKEN}\n")
    monkeypatch.setenv("OUR_TOKEN", "x")
    said = {
        "registry": "https://npm.example.com/",
        "@scope:registry": "https://scope.example.com:8443/x/",
        "userconfig": str(settings),
        "strict-ssl": True,
    }
    monkeypatch.setattr(indexes, "_asked_of_npm", lambda _: said)
    source = npm_source(tmp_path)
    assert source.hosts == (("npm.example.com", 443), ("scope.example.com", 8443))
    assert source.env["npm_config_@scope:registry"] == said["@scope:registry"]
    assert source.env["npm_config_strict-ssl"] == "true"
    assert source.env["OUR_TOKEN"] == "x"
    assert str(settings) in source.visible


@pytest.mark.parametrize(
    "url", ["https://192.0.2.1/simple", "https://[::1]/", "ftp://example.com/", "https://a:b:c/", "x"]
)
def test_a_host_that_cannot_be_opened_is_refused(url):
    with pytest.raises(TargetError, match="write the index's host by its name"):
        hosts_of([url])


def test_many_hosts_are_refused(pages):
    links = "".join(f'<a href="https://f{number}.example.com/notes.whl">x</a>' for number in range(40))
    pages[PAGE] = ("text/html", links.encode())
    with pytest.raises(TargetError, match="at most 32 can be opened"):
        python_source("notes", (), pip())
