"""Where packages come from: the index that the user's own pip or npm is set to, and the hosts that serve it.

Settings are read by pip and npm themselves, outside of the containment, as the user runs them. No index is named here.
"""

import base64
import ipaddress
import json
import os
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from packaging.utils import canonicalize_name
from packaging.version import Version

from aptix_conformance.errors import TargetError
from aptix_conformance.targets.endpoints import MOST_HOSTS, is_host
from aptix_conformance.text import printable, quoted

_PIP: Final = (
    *("index_url", "extra_index_urls", "find_links", "no_index"),
    "cert",
    "client_cert",
    "trusted_hosts",
    "proxy",
)
_ASK_PIP: Final = f"""\
import json, pip
from pip._internal.commands import create_command
options, _ = create_command("install").parser.parse_args([])
print(json.dumps({{"version": pip.__version__, **{{name: getattr(options, name) for name in {_PIP}}}}}))
"""
_OLDEST_PIP: Final = "22.3"
"""The first with `--python`."""
_NPM: Final = ("registry", "cafile", "strict-ssl")
_ACCEPTED: Final = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
_LARGEST: Final = 64 << 20
"""Bytes of an index's page on a package."""
_PATIENCE: Final = 30.0
_PORTS: Final = {"https": 443, "http": 80}
_NOT_FOUND: Final = (404, 410)
Host = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Source:
    """What an installer is given: environment variables, paths that it reads, and hosts that it may reach."""

    env: Mapping[str, str]
    visible: tuple[str, ...] = ()
    hosts: tuple[Host, ...] = ()
    secrets: tuple[str, ...] = ()
    """What no message may show."""
    has_wheels: bool | None = None
    """Whether the index has a wheel of the package at all; None where that is not known."""


def python_source(name: str, opened: Sequence[Host] = (), ask: "Mapping[str, Any] | None" = None) -> Source:
    """The source of a distribution and of what it needs, as pip is set. `ask` is for tests, `opened` are further hosts.

    Raises:
        TargetError: there is no pip, no index answers, or none has the distribution.
    """
    said = _asked_of_pip() if ask is None else ask
    if said.get("proxy"):
        raise TargetError(
            "pip is set to a proxy, which would open every host: set it to an index that needs none"
        )
    indexes = [] if said["no_index"] else [said["index_url"], *said["extra_index_urls"]]
    links = list(said["find_links"])
    pages = [_Page.of(url, name, said) for url in indexes if _is_remote(url)]
    files = _local_files([*indexes, *links], name) + [file for page in pages for file in page.files]
    is_known = not any(_is_remote(url) for url in links)
    if is_known and not files and not any(page.is_there for page in pages):
        raise TargetError(f"the index has no package {name}")
    locations = [_location(page.url) for page in pages] + [file for page in pages for file in page.files]
    hosts = hosts_of([*locations, *(url for url in links if _is_remote(url))])
    local = [path for url in (*indexes, *links) if (path := _local(url))]
    certificates = [said[key] for key in ("cert", "client_cert") if said.get(key)]
    env = {
        **_shared_env(),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_NO_CACHE_DIR": "1",
        "PIP_PROGRESS_BAR": "off",
        "PIP_DEFAULT_TIMEOUT": f"{_PATIENCE:g}",
        "PIP_RETRIES": "2",
        "PIP_INDEX_URL": said["index_url"] or "",
        "PIP_EXTRA_INDEX_URL": " ".join(said["extra_index_urls"]),
        "PIP_FIND_LINKS": " ".join(links),
        "PIP_TRUSTED_HOST": " ".join(said["trusted_hosts"]),
        "PIP_CERT": said.get("cert") or "",
        "PIP_CLIENT_CERT": said.get("client_cert") or "",
        **({"PIP_NO_INDEX": "1"} if said["no_index"] else {}),
    }
    return Source(
        env={key: value for key, value in env.items() if value},
        visible=(*local, *certificates, *_certificates()),
        hosts=_few([*hosts, *opened]),
        secrets=_secrets([*indexes, *links]),
        has_wheels=any(urlsplit(file).path.endswith(".whl") for file in files) if is_known else None,
    )


def npm_source(root: Path, opened: Sequence[Host] = ()) -> Source:
    """The source of packages of npm, as npm is set in a project.

    Raises:
        TargetError: there is no npm, or it is set to a proxy.
    """
    said = _asked_of_npm(root)
    if said.get("proxy") or said.get("https-proxy"):
        raise TargetError(
            "npm is set to a proxy, which would open every host: set it to a registry that needs none"
        )
    registries = {key: value for key, value in said.items() if key == "registry" or key.endswith(":registry")}
    settings = {f"npm_config_{key}": _text(said.get(key)) for key in (*_NPM, *registries)}
    user = str(said.get("userconfig") or "")
    visible = [path for path in (user, str(said.get("cafile") or "")) if path and Path(path).is_file()]
    env = {
        **_shared_env(),
        **{key: value for key, value in settings.items() if value},
        **{key: value for key, value in os.environ.items() if key.lower().startswith("npm_config_//")},
        **_named_in(user),
        "npm_config_replace_registry_host": "always",
        "npm_config_update_notifier": "false",
        "npm_config_fetch_retries": "1",
        "npm_config_fetch_timeout": f"{_PATIENCE * 1000:g}",
        **({"npm_config_userconfig": user} if user in visible else {}),
    }
    hosts = hosts_of(str(url) for url in registries.values())
    return Source(
        env, (*visible, *_certificates()), _few([*hosts, *opened]), _secrets(map(str, registries.values()))
    )


def hosts_of(urls: Iterable[str]) -> list[Host]:
    """The hosts and ports of some URLs, each once.

    Raises:
        TargetError: one is not named in a way that can be opened inside the containment.
    """
    found: dict[Host, None] = {}
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
        found[host, port] = None
    return list(found)


@dataclass(slots=True)
class _Page:
    """What an index says of a distribution."""

    url: str
    files: tuple[str, ...] = ()
    is_there: bool = True

    @classmethod
    def of(cls, index: str, name: str, said: Mapping[str, Any]) -> "_Page":
        """Ask an index."""
        url = f"{index.rstrip('/')}/{name}/"
        try:
            place, kind, body = _fetched(url, said)
        except urllib.error.HTTPError as error:
            if error.code in _NOT_FOUND:
                return cls(url, is_there=False)
            raise TargetError(f"the index {_printable_location(index)} answers {error.code}") from None
        except (OSError, ValueError) as error:
            why = error.reason if isinstance(error, urllib.error.URLError) else error
            raise TargetError(
                f"the index {_printable_location(index)} cannot be reached: {printable(str(why), 150)}"
            ) from None
        read = _json_files if "json" in kind else _html_files
        files = tuple(urldefrag(urljoin(place, file))[0] for file in read(body))
        return cls(place, tuple(dict.fromkeys(file for file in files if _is_remote(file))))


def _fetched(url: str, said: Mapping[str, Any]) -> tuple[str, str, bytes]:
    """The address, the type and the text of a page. Raises OSError or ValueError."""
    bare, user = _without_user(url)
    certificates = said.get("cert") or None
    is_folder = certificates is not None and Path(certificates).is_dir()
    context = ssl.create_default_context(
        cafile=None if is_folder else certificates, capath=certificates if is_folder else None
    )
    if said.get("client_cert"):
        context.load_cert_chain(said["client_cert"])
    if urlsplit(bare).hostname in said["trusted_hosts"]:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
    )
    request = urllib.request.Request(bare, headers={"Accept": _ACCEPTED, "User-Agent": "aptix-conformance"})  # noqa: S310
    if user:
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(user.encode()).decode()}")
    with opener.open(request, timeout=_PATIENCE) as answer:
        body = answer.read(_LARGEST + 1)
        if len(body) > _LARGEST:
            raise ValueError(f"its page has more than {_LARGEST >> 20} MiB")
        return answer.url, answer.headers.get_content_type(), body


def _json_files(body: bytes) -> list[str]:
    try:
        files = json.loads(body)["files"]
        return [file["url"] for file in files if isinstance(file["url"], str)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


@dataclass
class _Links(HTMLParser):
    """The links of a page."""

    found: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the place of a link."""
        place = dict(attrs).get("href")
        if tag == "a" and place:
            self.found.append(place)


def _html_files(body: bytes) -> list[str]:
    links = _Links()
    links.feed(body.decode("utf-8", "replace"))
    return links.found


def _asked_of_pip() -> Mapping[str, Any]:
    otherwise = f"{sys.executable} has no pip of version {_OLDEST_PIP} or later: install one beside the suite"
    said = _asked([sys.executable, "-I", "-c", _ASK_PIP], Path.cwd(), otherwise)
    if Version(said["version"]) < Version(_OLDEST_PIP):
        raise TargetError(otherwise)
    return said


def _asked_of_npm(root: Path) -> Mapping[str, Any]:
    npm = shutil.which("npm")
    if npm is None:
        raise TargetError("there is no program 'npm' on PATH: install Node.js with npm")
    return _asked([npm, "config", "list", "--json"], root, "npm does not say where its registry is")


def _asked(words: list[str], folder: Path, otherwise: str) -> Mapping[str, Any]:
    """What an installer says of its settings, as a JSON object."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=60, check=True, cwd=folder)  # noqa: S603 - the user's own
        said: Any = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        said = None
    if not isinstance(said, dict):
        raise TargetError(otherwise)
    return said


def _shared_env() -> dict[str, str]:
    """Where the certificates are that the user trusts, and no colours."""
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


def _few(hosts: Iterable[Host]) -> tuple[Host, ...]:
    found = tuple(dict.fromkeys(hosts))
    if len(found) > MOST_HOSTS:
        raise TargetError(f"the index names {len(found)} hosts; at most {MOST_HOSTS} can be opened")
    return found


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


def _local_files(places: Iterable[str], name: str) -> list[str]:
    """The files of a distribution in folders on this machine: those of an index have a folder for each distribution."""
    found = []
    for url in places:
        path = "" if _is_remote(url) else unquote(urlsplit(url).path) if url.startswith("file:") else url
        folder = Path(path).expanduser()
        for each in _names(folder) if path else ():
            if canonicalize_name(each.split("-")[0]) == name:
                found.append(each)
            elif canonicalize_name(each) == name:
                found += _names(folder / each) or [each]
    return found


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - texts
    except OSError:
        return []


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
