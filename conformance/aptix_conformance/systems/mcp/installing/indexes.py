"""Where packages come from: the index that the user's own pip or npm is set to, and the hosts that serve it.

pip and npm tell their settings by their public commands, outside of the containment and of the project's directory. What pip is set to
is given to uv in its words. No index is named here.
"""

import ast
import ipaddress
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.targets.endpoints import MOST_HOSTS, is_host

_TRANSLATED: Final = frozenset({
    "index-url", "extra-index-url", "find-links", "no-index", "constraint", "cert", "client-cert", "trusted-host", "proxy",
})  # fmt: skip
_NOT_OF_SOURCES: Final = frozenset({
    "break-system-packages", "cache-dir", "default-timeout", "disable-pip-version-check", "log", "no-cache-dir", "no-color",
    "no-input", "no-warn-script-location", "only-binary", "prefer-binary", "progress-bar", "quiet", "require-virtualenv", "retries",
    "root-user-action", "timeout", "user", "verbose",
})  # fmt: skip
"""Settings of pip that choose no package and no place."""
_SECTIONS: Final = ("global", "install", ":env:")
"""The sections with settings of `pip install`; a later one counts."""
_NPM: Final = ("registry", "cafile", "strict-ssl")
_PATIENCE: Final = 30.0
_LISTING: Final = 60.0
"""Seconds in which pip or npm must list its settings."""
_PORTS: Final = {"https": 443, "http": 80}
Host = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Source:
    """The input of an installer: environment variables, paths that it reads, and hosts that it may reach."""

    env: Mapping[str, str]
    visible: tuple[str, ...] = ()
    hosts: tuple[Host, ...] = ()
    secrets: tuple[str, ...] = ()
    """Texts that no message may show."""
    options: tuple[str, ...] = ()
    """Words for each command of the installer."""
    limits: tuple[str, ...] = ()
    """Words for the command that chooses versions."""


def python_source(opened: Sequence[Host] = (), settings: Mapping[str, str] | None = None) -> Source:
    """The source of distributions, as pip is set. `settings` are for tests, `opened` are further hosts.

    Raises:
        TargetError: there is no pip, it is set to what uv cannot be set to, or its index cannot be opened.
    """
    settings = pip_settings() if settings is None else settings
    unsupported = sorted(settings.keys() - _TRANSLATED - _NOT_OF_SOURCES)
    if unsupported:
        raise TargetError(
            f"pip is set to {printable(', '.join(unsupported), 200)}, which `mcp install` does not support: unset it"
        )
    has_index = settings.get("no-index", "").lower() not in ("1", "true", "yes", "on")
    own = settings.get("index-url", "") if has_index else ""
    more = settings.get("extra-index-url", "").split() if has_index else []
    indexes, links = [url for url in (own, *more) if url], settings.get("find-links", "").split()
    constraints = settings.get("constraint", "").split()
    remote = [url for url in (*indexes, *links) if _is_remote(url)]
    proxy = settings.get("proxy", "")
    env = {
        **_shared_env(),
        "UV_DEFAULT_INDEX": own,
        "UV_INDEX": " ".join(more),
        "UV_NO_CONFIG": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_HTTP_TIMEOUT": f"{_PATIENCE:g}",
        "UV_HTTP_RETRIES": "1",
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # pip takes the best version of all indexes
        "UV_INSECURE_HOST": settings.get("trusted-host", ""),
        "SSL_CLIENT_CERT": settings.get("client-cert", ""),
        **_certificate(settings.get("cert", "")),
        **(dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), proxy) if proxy else {}),
    }
    options = [word for url in links for word in ("--find-links", url)]
    options += [] if has_index else ["--no-index"]
    local = [path for url in (*indexes, *links, *constraints) if (path := _local(url))]
    certificates = [settings[key] for key in ("cert", "client-cert") if settings.get(key)]
    hosts = _proxy_hosts(proxy, opened) if proxy else hosts_of(remote)
    return Source(
        env={key: value for key, value in env.items() if value},
        visible=(*local, *certificates, *_certificates()),
        hosts=few([*hosts, *opened]),
        secrets=_secrets([*indexes, *links, proxy]),
        options=tuple(options),
        limits=tuple(word for path in constraints for word in ("--constraints", path)),
    )


def npm_source(opened: Sequence[Host] = ()) -> Source:
    """The source of packages of npm, as the user's npm is set.

    Raises:
        TargetError: there is no npm, or it is set to a proxy that is not opened.
    """
    npm = _asked_of_npm()
    proxies = {key: str(npm[key]) for key in ("proxy", "https-proxy") if npm.get(key)}
    registries = {key: value for key, value in npm.items() if key == "registry" or key.endswith(":registry")}
    variables = {f"npm_config_{key}": _text(npm.get(key)) for key in (*_NPM, *registries)}
    user = str(npm.get("userconfig") or "")
    visible = [path for path in (user, str(npm.get("cafile") or "")) if path and Path(path).is_file()]
    env = {
        **_shared_env(),
        **{key: value for key, value in variables.items() if value},
        **{f"npm_config_{key}": url for key, url in proxies.items()},
        **{key: value for key, value in os.environ.items() if key.lower().startswith("npm_config_//")},
        **_named_in(user),
        "npm_config_replace_registry_host": "always",
        "npm_config_update_notifier": "false",
        "npm_config_fetch_retries": "1",
        "npm_config_fetch_timeout": f"{_PATIENCE * 1000:g}",
        **({"npm_config_userconfig": user} if user in visible else {}),
    }
    urls = [str(url) for url in registries.values()]
    hosts = [host for url in proxies.values() for host in _proxy_hosts(url, opened)] or hosts_of(urls)
    return Source(
        env, (*visible, *_certificates()), few([*hosts, *opened]), _secrets([*urls, *proxies.values()])
    )


def hosts_of(urls: Iterable[str]) -> list[Host]:
    """The hosts and ports of some URLs, each once.

    Raises:
        TargetError: one is not named in a way that can be opened inside the containment.
    """
    hosts: dict[Host, None] = {}
    for url in urls:
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            host, port = "", 0
        if (
            not port
            or not is_host(host)
            or (_is_address(host) and not ipaddress.ip_address(host).is_loopback)
        ):
            raise TargetError(
                f"{quoted(_printable_location(url), 150)} has no host that can be opened: write the index's host by its name"
            )
        hosts[host, port] = None
    return list(hosts)


def pip_settings() -> dict[str, str]:
    """The settings of `pip install`, by the names of its options.

    Raises:
        TargetError: there is no pip.
    """
    by_section: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in _said([*_PIP, "config", "list"], _NO_PIP).splitlines():
        key, _, value = line.partition("=")
        section, _, option = key.rpartition(".")
        if section in by_section:
            by_section[section][option.replace("_", "-")] = str(ast.literal_eval(value))
    merged = {key: value for section in _SECTIONS for key, value in by_section[section].items()}
    merged.pop("config-file", None)
    return merged


_PIP: Final = (sys.executable, "-I", "-m", "pip")
_NO_PIP: Final = f"{sys.executable} has no pip, whose settings are used: install it beside the suite"
_EMPTY: Final = '{"name": "settings", "private": true}'


def _asked_of_npm() -> Mapping[str, Any]:
    """The settings of npm, without the project's own `.npmrc`: that may be a stranger's."""
    npm = shutil.which("npm")
    if npm is None:
        raise TargetError("there is no program 'npm' on PATH: install Node.js with npm")
    otherwise = "npm does not say where its registry is"
    try:
        config: Any = json.loads(_said([npm, "config", "list", "--json"], otherwise))
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise TargetError(otherwise)
    return config


def _said(words: list[str], otherwise: str) -> str:
    """The output of an installer's command that lists its settings, run in an empty project."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "package.json").write_text(_EMPTY, encoding="utf-8")
        try:
            return subprocess.run(  # noqa: S603 - the user's own
                words,
                env={**os.environ, "npm_config_cache": folder},
                cwd=folder,
                text=True,
                capture_output=True,
                timeout=_LISTING,
                check=True,
            ).stdout
        except subprocess.TimeoutExpired:
            program = "npm" if Path(words[0]).name == "npm" else "pip"
            raise TargetError(
                f"{program} did not list its settings in {_LISTING:g} s, perhaps because the machine is overloaded: try again"
            ) from None
        except (OSError, ValueError, subprocess.SubprocessError):
            raise TargetError(otherwise) from None


def _certificate(path: str) -> dict[str, str]:
    return {"SSL_CERT_DIR" if Path(path).is_dir() else "SSL_CERT_FILE": path} if path else {}


def _proxy_hosts(proxy: str, opened: Sequence[Host]) -> list[Host]:
    """The host of a proxy, which only the user opens.

    Raises:
        TargetError: it is not opened.
    """
    hosts = hosts_of([proxy if "//" in proxy else f"http://{proxy}"])
    if not {*hosts} <= {*opened}:
        host, port = hosts[0]
        raise TargetError(
            f"it is set to a proxy, through which every host is reached: allow that by --open {host}:{port}"
        )
    return hosts


def _shared_env() -> dict[str, str]:
    """The variables that name the certificates of the user, and that turn colours off."""
    return {name: os.environ[name] for name in _CERTIFICATES if name in os.environ} | {"NO_COLOR": "1"}


_CERTIFICATES: Final = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)


def _certificates() -> list[str]:
    return [place for name in _CERTIFICATES if os.path.isabs(place := os.environ.get(name, ""))]  # noqa: PTH117 - texts


def _named_in(path: str) -> dict[str, str]:
    """The environment variables that a file of npm's settings names."""
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {name: value for name, value in os.environ.items() if f"${{{name}}}" in text}


def few(hosts: Iterable[Host]) -> tuple[Host, ...]:
    """Each host once.

    Raises:
        TargetError: they are too many.
    """
    distinct = tuple(dict.fromkeys(hosts))
    if len(distinct) > MOST_HOSTS:
        raise TargetError(f"the index names {len(distinct)} hosts; at most {MOST_HOSTS} can be opened")
    return distinct


def _secrets(urls: Iterable[str]) -> tuple[str, ...]:
    users = [_without_user(url)[1] for url in urls]
    return tuple(part for user in users for part in (user, user.partition(":")[2]) if part)


def _without_user(url: str) -> tuple[str, str]:
    """A URL without the user and the password in it, and these."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return (parts._replace(netloc=host).geturl() if at else url), unquote(user)


def _location(url: str) -> str:
    return _without_user(url)[0]


def _printable_location(url: str) -> str:
    return printable(_location(url), 150)


def _is_remote(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _local(url: str) -> str:
    """The folder of an index or of wheels on this machine; empty where it is elsewhere.

    The files of an index lie beside its folder `simple`, by custom.
    """
    path = unquote(urlsplit(url).path) if url.startswith("file:") else url
    if _is_remote(url) or not path:
        return ""
    place = Path(path).expanduser().absolute()
    return str(place.parent if place.name == "simple" else place)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else ""
