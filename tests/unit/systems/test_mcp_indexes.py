"""Where packages come from, as pip and npm are set: hosts, credentials, and what uv is given for it."""

import subprocess

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.mcp.installing import indexes
from aptix_conformance.systems.mcp.installing.indexes import hosts_of, npm_source, pip_settings, python_source


def pip(**changes):
    return {name.replace("_", "-"): value for name, value in changes.items()}


def test_what_pip_is_set_to_is_read_as_pip_install_reads_it(monkeypatch):
    """Its own section counts more than the global one, and the environment most."""
    said = "global.index-url='https://a.example/'\ninstall.index-url='https://b.example/'\n:env:.find-links='/w'\n"
    said += "download.proxy='x'\nglobal.no_index='1'\n:env:.config-file='/dev/null'\n"
    monkeypatch.setattr(indexes, "_said", lambda *_: said)
    assert pip_settings() == pip(index_url="https://b.example/", find_links="/w", no_index="1")


def test_each_setting_of_a_place_is_given_to_uv(tmp_path):
    certificates = str(tmp_path / "ca.pem")
    source = python_source(
        (("more.example.com", 443),),
        pip(
            index_url="https://me:secret@index.example.com/simple",
            extra_index_url="https://a.example/ https://b.example:8443/",
            find_links=f"{tmp_path} https://c.example/",
            trusted_host="index.example.com",
            cert=certificates,
            client_cert="/client.pem",
            constraint="/limits.txt",
        ),
    )
    wanted = {
        "UV_DEFAULT_INDEX": "https://me:secret@index.example.com/simple",
        "UV_INDEX": "https://a.example/ https://b.example:8443/",
        "UV_INSECURE_HOST": "index.example.com",
        "SSL_CERT_FILE": certificates,
        "SSL_CLIENT_CERT": "/client.pem",
        "UV_NO_CONFIG": "1",
    }
    assert wanted.items() <= source.env.items()
    assert source.options == ("--find-links", str(tmp_path), "--find-links", "https://c.example/")
    assert source.limits == ("--constraints", "/limits.txt")
    assert source.hosts == (
        ("index.example.com", 443),
        ("a.example", 443),
        ("b.example", 8443),
        ("c.example", 443),
        ("more.example.com", 443),
    )
    assert {str(tmp_path), certificates, "/client.pem", "/limits.txt"} <= {*source.visible}
    assert source.secrets == ("me:secret", "secret")


def test_without_an_index_no_host_is_opened():
    source = python_source((), pip(no_index="true", index_url="https://index.example.com/"))
    assert (source.hosts, source.options) == ((), ("--no-index",))
    assert "UV_DEFAULT_INDEX" not in source.env


def test_a_setting_that_uv_cannot_be_given_is_named():
    said = pip(index_url="https://index.example.com/", no_binary=":all:", timeout="5", pre="1")
    with pytest.raises(
        TargetError, match=r"^pip is set to no-binary, pre, which `mcp install` does not support"
    ):
        python_source((), said)


def test_a_folder_is_visible_with_the_files_beside_it(tmp_path):
    source = python_source((), pip(index_url=f"file://{tmp_path}/simple"))
    assert source.hosts == ()
    assert str(tmp_path) in source.visible


def test_a_proxy_is_used_where_the_user_opens_it(monkeypatch):
    """It reaches every host, so that a setting alone does not open it."""
    proxy, opened = "http://proxy.example.com:3128", (("proxy.example.com", 3128),)
    with pytest.raises(TargetError, match=r"--open proxy\.example\.com:3128$"):
        python_source((), pip(proxy=proxy))
    source = python_source(opened, pip(proxy=proxy, index_url="https://index.example.com/"))
    assert (source.env["HTTPS_PROXY"], source.hosts) == (proxy, opened)
    monkeypatch.setattr(indexes, "_asked_of_npm", lambda: {"https-proxy": proxy})
    with pytest.raises(TargetError, match="through which every host is reached"):
        npm_source()
    assert npm_source(opened).env["npm_config_https-proxy"] == proxy


@pytest.mark.parametrize(("ask", "program"), [(pip_settings, "pip"), (npm_source, "npm")])
def test_a_program_that_does_not_answer_in_time_is_said_to_be_late(monkeypatch, ask, program):
    def run(words, **options):
        raise subprocess.TimeoutExpired(words, options["timeout"])

    monkeypatch.setattr(indexes.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(indexes.subprocess, "run", run)
    with pytest.raises(TargetError, match=rf"^{program} did not list its settings in 60 s, .*: try again$"):
        ask()


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
    monkeypatch.setattr(indexes, "_asked_of_npm", lambda: said)
    source = npm_source()
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


def test_many_hosts_are_refused():
    links = " ".join(f"https://f{number}.example.com/" for number in range(40))
    with pytest.raises(TargetError, match="at most 32 can be opened"):
        python_source((), pip(find_links=links))
