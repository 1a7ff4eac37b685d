"""`network`: a contained server reaches the hosts that its author names, at their names and ports, and no other."""

import json
import socket
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest
from tests.process.hosts.mcp.servers import COMMAND, SERVER
from tests.stimuli import stimulus

from aptix_conformance import Run, RunOptions
from aptix_conformance.core.errors import ContainmentError, TargetError
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.mcp.pool import McpPool
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

CALLS = """
import socket

def call(arguments):
    try:
        with socket.create_connection((arguments["host"], arguments["port"]), 10) as line:
            line.sendall(arguments["text"].encode() * arguments.get("times", 1))
            line.shutdown(socket.SHUT_WR)
            said = b"".join(iter(lambda: line.recv(65536), b""))
        text = f"{len(said)} {said[:5].decode()}"
    except OSError as error:
        text = type(error).__name__
    return {"content": [{"type": "text", "text": text}]}
"""
NAME = "rates.example.test"


def serve(connection):
    """Send back in capitals what comes, to its end."""
    with connection, suppress(OSError):
        while data := connection.recv(65536):
            connection.sendall(data.upper())


@contextmanager
def service():
    """A service on this machine; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as threads:

        def accept():
            with suppress(OSError):
                while True:
                    thread = threading.Thread(target=serve, args=(listener.accept()[0],))
                    thread.start()
                    threads.callback(thread.join)

        accepting = threading.Thread(target=accept)
        accepting.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()


@pytest.fixture
def port(monkeypatch):
    """The port of a service; the suite finds it by the name `NAME` as well, at that port and at 443."""
    find = socket.getaddrinfo

    with service() as found:

        def getaddrinfo(host, port, *rest, **options):
            is_ours = host == NAME and port in (found, 443)
            return find(*(("127.0.0.1", found) if is_ours else (host, port)), *rest, **options)

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield found


@pytest.fixture
def pool(tmp_path):
    """A pool for a server that connects as its arguments say."""
    (tmp_path / "server.py").write_text(f"{SERVER}\n{CALLS}\nserve()\n")
    with McpPool(Environment(tmp_path, (), limits=Limits(), systems=OURS.traits)) as found:
        yield found


def opened(pool, **settings):
    return pool.open(Target(f"mcp:{COMMAND}#echo", "mcp", COMMAND, "echo"), ToolSettings(**settings))


def said(host, name, port, **more):
    arguments = json.dumps({"host": name, "port": port, "text": "hello", **more})
    call = host.execute(stimulus("valid", "minimal", arguments, None))
    return call.result.payload


@pytest.mark.parametrize("name", [NAME, "localhost", "127.0.0.1"])
def test_a_host_that_is_named_is_reached(pool, port, name):
    assert said(opened(pool, network=((name, port),)), name, port) == "5 HELLO"


def test_a_host_is_reached_at_the_port_that_its_server_uses(pool, port):
    """Also at a low one: the name and the port are those of production, so that certificates fit."""
    host = opened(pool, network=((NAME, 443), (NAME, port), ("localhost", port)))
    places = [(NAME, 443), (NAME, port), ("localhost", port)]
    assert [said(host, *place) for place in places] == ["5 HELLO"] * 3


def test_a_host_that_does_not_answer_is_an_error_of_the_connection(pool, port):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = closed.getsockname()[1]
    assert said(opened(pool, network=(("localhost", nobody),)), "localhost", nobody) in (
        "ConnectionResetError",
        "OSError",
    )


def test_much_is_passed_on_whole(pool, port):
    assert said(opened(pool, network=((NAME, port),)), NAME, port, times=1_000_000) == "5000000 HELLO"


def test_nothing_else_is_reached(pool, port):
    """Neither another host at that port, nor another port of the host, nor anything without `network`."""
    host = opened(pool, network=((NAME, port),))
    with service() as other:
        found = [
            said(host, "localhost", port),
            said(host, NAME, other),
            said(host, "other.example.test", port),
        ]
    assert found == ["ConnectionRefusedError", "ConnectionRefusedError", "gaierror"]
    assert said(opened(pool), "localhost", port) in ("ConnectionRefusedError", "PermissionError")


def test_the_containment_says_what_is_open_and_is_not_full(pool, port):
    containment = opened(pool, network=((NAME, port),)).containment
    assert containment.level == "partial"
    assert containment.reasons[-1] == f"`network` opens {NAME}:{port}"


def test_where_full_containment_is_required_no_host_is_opened(tmp_path, pool, port):
    pool.environment = Environment(tmp_path, (), least_containment="full", systems=OURS.traits)
    with pytest.raises(ContainmentError, match="`network` opens"):
        opened(pool, network=((NAME, port),))


DESTRUCTIVE = "TOOL['annotations'] = {'destructiveHint': True}"


@pytest.mark.parametrize(
    ("settings", "is_read_only"),
    [
        ({}, True),
        ({"side_effects": "contained", "given": frozenset({"side_effects"})}, False),
        (
            {
                "side_effects": "contained",
                "given": frozenset({"side_effects"}),
                "places": {"side_effects": f"tool.{f'mcp:{COMMAND}'!r}.side_effects"},
            },
            True,
        ),
    ],
    ids=["not allowed", "allowed", "allowed for the whole server"],
)
def test_a_destructive_tool_with_a_network_is_only_read_until_its_author_allows_it(
    tmp_path, pool, port, settings, is_read_only
):
    (tmp_path / "server.py").write_text(f"{SERVER}\n{CALLS}\n{DESTRUCTIVE}\nserve()\n")
    reason = opened(pool, network=((NAME, port),), **settings).read_only
    assert (reason is not None and "destructiveHint" in reason) is is_read_only


@pytest.mark.parametrize(
    ("table", "is_read_only"),
    [(f"mcp:{COMMAND}", True), (f"mcp:{COMMAND}#echo", False)],
    ids=["allowed for the whole server", "allowed"],
)
def test_a_destructive_tool_that_nothing_contains_is_only_read_until_its_author_allows_it(
    tmp_path, pool, table, is_read_only
):
    (tmp_path / "server.py").write_text(f"{SERVER}\n{CALLS}\n{DESTRUCTIVE}\nserve()\n")
    allowed = {
        "side_effects": "none",
        "given": frozenset({"side_effects"}),
        "places": {"side_effects": f"tool.{table!r}.side_effects"},
    }
    reason = opened(pool, **allowed).read_only
    assert (reason is not None and "destructiveHint" in reason) is is_read_only


def test_a_contained_tool_is_called_whatever_it_says_it_destroys(tmp_path, pool):
    """What it destroys there is a copy."""
    (tmp_path / "server.py").write_text(f"{SERVER}\n{CALLS}\n{DESTRUCTIVE}\nserve()\n")
    assert opened(pool).read_only is None


def test_a_tool_that_is_no_server_cannot_be_given_hosts(tmp_path):
    settings = ToolSettings(network=((NAME, 443),), places={"network": "tool.x.network"})
    systems = Systems(Environment(tmp_path, ()))
    with systems, pytest.raises(TargetError, match=r"tool\.x\.network is for servers that the suite starts"):
        systems.open(Target("tools:T", "aptix", "tools", "T"), settings)


def test_the_report_says_which_hosts_were_open(tmp_path, port):
    """From the configuration's file to the report."""
    (tmp_path / "server.py").write_text(f"{SERVER}\n{CALLS}\nserve()\n")
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.aptix-conformance]\ntools = ["mcp:{COMMAND}#echo"]\n'
        f'[tool.aptix-conformance.tool."mcp:{COMMAND}#echo"]\nnetwork = ["{NAME}:{port}"]\nside_effects = "destructive"\n'
    )
    with Run.open(tmp_path, RunOptions(limited=False)) as run:
        (tool,) = run.examine_all().tools
    assert f"`network` opens {NAME}:{port}" in str(tool.containment_reached)
