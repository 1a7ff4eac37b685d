"""What a contained tool sees of the file system: its interpreter, its code, the programs of the machine, nothing else.

What must be hidden is tried as root and as an ordinary user, with namespaces and without. What must be there is tried
for tools that are imported from odd places.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.bench import HEADER, Bench
from tests.process.hosts.elsewhere import CONDITIONS, NAMES, Once, Request, can_be, examine, examine_once

from aptix_conformance.examine.never_succeeded import refused_to
from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.places import Place
from aptix_conformance.hosts.refused_access import Refused

LOOKS = """
    def attempt(action):
        try:
            return repr(action())
        except Exception as error:
            return type(error).__name__
    place = os.path.dirname(__file__)
    secret, address = json.loads(arguments_json)
    return InvokeResult.create(json.dumps({
        "secret": attempt(lambda: open(secret).read()),
        "listing": attempt(lambda: os.listdir(os.path.dirname(secret))),
        "run": attempt(lambda: subprocess.check_output(["cat", secret], stderr=subprocess.DEVNULL, text=True)),
        "home": attempt(lambda: os.listdir(os.path.expanduser(f"~{os.getuid()}")) or "empty"),
        "shadow": attempt(lambda: open("/etc/shadow").read()),
        "run directory": attempt(lambda: os.listdir("/run") or "empty"),
        "terminal": attempt(lambda: os.listdir("/dev/pts") or "empty"),
        "disk": attempt(lambda: os.stat("/dev/vda") and "there"),
        "environment": attempt(lambda: open(f"{place}/.env").read()),
        "history": attempt(lambda: os.listdir(f"{place}/.git") or "empty"),
        "neighbour": attempt(lambda: os.listdir("..") and open("../../forgotten").read()),
        "keys": attempt(lambda: open("/proc/keys").read() and "there"),
        "socket": attempt(lambda: socket.socket(socket.AF_UNIX).connect(address) or "connected"),
        "data": attempt(lambda: open(f"{place}/data.txt").read()),
        "zone": attempt(lambda: len(open("/usr/share/zoneinfo/UTC", "rb").read()) > 0),
        "fonts": attempt(lambda: len(open("/etc/fonts/fonts.conf").read()) > 0),
        "user": attempt(lambda: len(pwd.getpwall()) > 0),
        "program": attempt(lambda: subprocess.check_output(["/bin/sh", "-c", "echo fine"], text=True)),
        "certificates": attempt(lambda: ssl.create_default_context() and True),
        "random": attempt(lambda: len(open("/dev/urandom", "rb").read(4))),
        "standard": attempt(lambda: open("/dev/stdin").read()),
        "process": attempt(lambda: len(open("/proc/self/maps").read()) > 0),
    }))
"""
NEEDED = {
    "data": "'mine'",
    "zone": "True",
    "fonts": "True" if Path("/etc/fonts/fonts.conf").exists() else "FileNotFoundError",
    "user": "True",
    "program": "'fine\\n'",
    "certificates": "True",
    "random": "4",
    "standard": "''",
    "process": "True",
}
HIDDEN = {
    "PermissionError",
    "FileNotFoundError",
    "NotADirectoryError",
    "ConnectionRefusedError",
    "CalledProcessError",
}
EMPTY = {"'empty'", "''"}
ALWAYS = ("secret", "listing", "run", "shadow", "terminal", "neighbour")
IN_ROOT = ("home", "run directory", "disk", "environment", "history", "keys", "socket")
"""What Landlock alone does not hide: the existence of files, the connections to sockets, parts of a directory."""


@pytest.fixture(scope="module")
def secret() -> Iterator[tuple[str, str]]:
    """A file that everybody may read, and a socket that everybody may connect to, both outside of any project."""
    with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as server:
        Path(name).chmod(0o755)
        file, address = Path(name) / "secret.txt", f"{name}/agent.sock"
        file.write_text("token")
        server.bind(address)
        server.listen()
        Path(address).chmod(0o666)
        yield str(file), address


@pytest.fixture(scope="module", params=CONDITIONS, ids=NAMES)
def seen(
    request: pytest.FixtureRequest, secret: tuple[str, str], once: Once
) -> tuple[tuple[str, bool], dict[str, str]]:
    """What a tool sees, under each condition."""
    if not can_be(request.param):
        pytest.skip("this user cannot start this version or read what the suite needs")
    source = HEADER + "import pwd, ssl, subprocess\n" + Bench.tool("Looks", LOOKS)
    files = {".env": "TOKEN=1", ".git/config": "mine", "data.txt": "mine"}
    asked = Request(source, {"Looks": [json.dumps(secret)]}, files=files)
    answers = examine_once(once, request.param, asked)
    [(outcome, text)] = answers["Looks"]["calls"]
    assert outcome == "returned"
    return request.param, json.loads(text)


def test_files_of_others_are_hidden(seen):
    _, found = seen
    assert {name: found[name] for name in ALWAYS if found[name] not in HIDDEN | EMPTY} == {}


def test_an_almost_empty_root_has_no_homes_sockets_devices_and_secrets_of_the_project(seen):
    (_, namespaces), found = seen
    if not namespaces:
        pytest.skip("without namespaces there is no own root")
    assert {name: found[name] for name in IN_ROOT if found[name] not in HIDDEN | EMPTY} == {}


def test_what_every_program_needs_is_there(seen):
    _, found = seen
    assert {name: found[name] for name in NEEDED} == NEEDED


SAYS = "return InvokeResult.create(odd.WORD)"


def paths(places: list[Place]) -> list[str]:
    return [place.path for place in places]


@pytest.fixture
def odd(make_bench, tmp_path) -> Path:
    """A directory outside of the project, for a package `odd`."""
    place = tmp_path / "elsewhere"
    (place / "odd").mkdir(parents=True)
    (place / "odd" / "__init__.py").write_text("WORD = 'found'\n")
    return place


def call(bench: Bench, *reads: Path) -> str | None:
    bench.write("tools", "import odd\n" + bench.tool("Odd", SAYS))
    made = bench.call("tools:Odd", reads=tuple(map(str, reads)))
    assert made.result is not None, made
    return made.result.payload


def with_path(bench: Bench, *added: Path) -> Bench:
    environment = bench.pool.environment
    object.__setattr__(environment, "sys_path", (*map(str, added), *environment.sys_path))
    return bench


def test_a_directory_of_pythonpath_is_seen(make_bench, odd):
    assert call(with_path(make_bench(), odd)) == "found"


def test_an_archive_is_seen(make_bench, odd, tmp_path):
    archive = tmp_path / "packed.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(odd / "odd" / "__init__.py", "odd/__init__.py")
    assert call(with_path(make_bench(), archive)) == "found"


def test_a_package_that_is_a_link_is_seen_where_reads_allows_it(make_bench, odd, tmp_path):
    site = tmp_path / "site-packages"
    site.mkdir()
    (site / "odd").symlink_to(odd / "odd")
    assert call(with_path(make_bench(), site), odd) == "found"


def test_the_project_of_an_editable_distribution_is_seen_where_reads_allows_it(make_bench, odd, tmp_path):
    """Its import hook finds the package where no entry of `sys.path` leads."""
    site = tmp_path / "site-packages"
    record = site / "odd-1.0.dist-info"
    record.mkdir(parents=True)
    (record / "direct_url.json").write_text(json.dumps({"url": odd.as_uri(), "dir_info": {"editable": True}}))
    bench = with_path(make_bench(), site)
    bench.write("tools", f"sys.path.append({str(odd)!r})\nimport odd\n" + bench.tool("Odd", SAYS))
    assert bench.call("tools:Odd", reads=(str(odd),)).result.payload == "found"


def test_a_package_that_nothing_names_is_not_seen_and_reads_shows_it(make_bench, odd):
    bench = make_bench()
    source = f"sys.path.append({str(odd)!r})\ntry:\n    import odd\nexcept ImportError:\n    odd = None\n"
    bench.write(
        "tools", source + bench.tool("Odd", "return InvokeResult.create(odd.WORD if odd else 'hidden')")
    )
    assert bench.call("tools:Odd").result.payload == "hidden"
    assert bench.call("tools:Odd", reads=(str(odd),)).result.payload == "found"


def test_a_link_on_the_way_is_followed(make_bench, odd, tmp_path):
    (tmp_path / "link").symlink_to(odd)
    assert call(with_path(make_bench(), tmp_path / "link")) == "found"


def test_of_a_home_directory_only_packages_are_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "Documents").mkdir()
    (tmp_path / ".ssh").mkdir()
    (tmp_path / "tools.py").touch()
    assert paths(readable_paths.directory(str(tmp_path))) == [f"{tmp_path}/pkg", f"{tmp_path}/tools.py"]
    assert f"{tmp_path.parent}/" not in paths(readable_paths.directory(str(tmp_path.parent)))
    (tmp_path / "pyproject.toml").touch()
    shown = ["Documents", "pkg", "pyproject.toml", "tools.py"]
    assert paths(readable_paths.directory(str(tmp_path))) == [f"{tmp_path}/{name}" for name in shown]


@pytest.mark.parametrize("condition", CONDITIONS, ids=NAMES)
def test_a_module_in_a_home_directory_is_found_and_the_keys_there_are_not(condition):
    if not can_be(condition):
        pytest.skip("this user cannot start this version or read what the suite needs")
    looks = """
    place = os.path.dirname(__file__)
    try:
        key = open(f"{place}/.ssh/id").read()
    except OSError:
        key = "hidden"
    return InvokeResult.create(json.dumps([beside.WORD, key]))
"""
    source = HEADER + "import beside\n" + Bench.tool("Looks", looks)
    files = {".ssh/id": "secret", "beside.py": "WORD = 'found'\n"}
    answers = examine(condition, Request(source, {"Looks": ["{}"]}, files=files, at_home=True))
    [(_, text)] = answers["Looks"]["calls"]
    assert json.loads(text) == ["found", "hidden"]


def test_secrets_of_a_project_are_hidden_unless_they_are_named(tmp_path):
    for name in (".env", ".env.local", ".netrc", "kept.txt"):
        (tmp_path / name).touch()
    place = os.path.realpath(tmp_path)
    assert set(readable_paths.hidden_in(str(tmp_path), ())) == {
        f"{place}/{n}" for n in (".env", ".env.local", ".netrc")
    }
    assert f"{place}/.env" not in readable_paths.hidden_in(str(tmp_path), [f"{place}/.env"])


def test_the_interpreter_and_its_base_are_seen():
    found = paths(readable_paths.python(sys.executable, ()))
    assert {sys.prefix, sys.base_prefix} <= set(found)


@pytest.mark.parametrize("line", ["home = {}/x", "executable = {}/x/python3"])
def test_a_program_is_shown_no_folder_that_its_environment_names_unless_python_is_installed_there(
    tmp_path, line
):
    """The author of a server writes the `pyvenv.cfg` beside its interpreter."""
    private, program = tmp_path / ".ssh", tmp_path / "project" / ".venv" / "bin" / "python"
    private.mkdir()
    program.parent.mkdir(parents=True)
    shutil.copy(os.path.realpath(sys.executable), program)
    named = program.parent.parent / "pyvenv.cfg"
    named.write_text(line.format(private) + "\n", encoding="utf-8")
    found = paths(readable_paths.program(str(program), tmp_path / "project"))
    assert not any(path.startswith(str(private)) for path in found)
    named.write_text(line.format(sys.base_prefix) + "\n", encoding="utf-8")
    assert sys.base_prefix in paths(readable_paths.program(str(program), tmp_path / "project"))


def test_an_installation_in_the_project_and_one_that_links_lead_to_are_seen(tmp_path):
    installed, links = tmp_path / "installed", tmp_path / "links"
    (installed / "bin").mkdir(parents=True)
    (installed / "lib" / "python3.11").mkdir(parents=True)
    (installed / "lib" / "python3.11" / "os.py").touch()
    program = installed / "bin" / "python3"
    program.touch(0o755)
    assert str(installed) in paths(readable_paths.python(str(program), (), tmp_path))
    links.mkdir()
    (links / "python3").symlink_to(os.path.realpath(sys.executable))
    environment = tmp_path / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").touch(0o755)
    (environment / "pyvenv.cfg").write_text(f"home = {links}\n", encoding="utf-8")
    assert sys.base_prefix in paths(readable_paths.python(str(environment / "bin" / "python"), (), tmp_path))


def test_every_directory_of_packages_above_a_script_is_seen(tmp_path):
    (tmp_path / "node_modules" / "@scope").mkdir(parents=True)
    (tmp_path / "linked").mkdir()
    (tmp_path / "node_modules" / "@scope" / "pkg").symlink_to(tmp_path / "linked")
    (tmp_path / "app" / "src").mkdir(parents=True)
    (tmp_path / "app" / "node_modules").mkdir()
    (tmp_path / "app" / "package.json").touch()
    found = paths(readable_paths.node(str(tmp_path / "app" / "src")))
    names = ["app/node_modules", "app/package.json", "node_modules", "linked"]
    assert {str(tmp_path / name) for name in names} <= set(found)


ASKS = """
    path, address = json.loads(arguments_json)
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.connect(address)
    except OSError:
        pass
    finally:
        connected.close()
    with open(path) as stream:
        return InvokeResult.create(stream.read())
"""


def test_what_the_suite_refused_is_named_with_the_line_that_shows_it(make_bench, secret, tmp_path):
    """And what is not there is not; nor what the tool may read."""
    bench = make_bench()
    bench.write("tools", bench.tool("Asks", ASKS))
    path, address = secret
    host = bench.open("tools:Asks")
    if host.containment.level != "full":
        pytest.skip("without namespaces the socket can be reached")
    asked = [host.execute(bench.plan(json.dumps(each))) for each in (secret, ("/none", "/none"))]
    assert refused_to(asked[:1]) == (Refused("read", path), Refused("socket", address))
    assert refused_to(asked[1:]) == ()
    shown = bench.call("tools:Asks", arguments=json.dumps((path, "/none")), reads=(path,))
    assert (shown.result.payload, refused_to([shown])) == ("token", ())
