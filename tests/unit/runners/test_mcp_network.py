"""Attempts to reach another machine are read from the kernel's counters, where these say something."""

import pytest

from aptix_conformance.runners.mcp import network

SNMP = "Ip: Forwarding OutRequests OutNoRoutes\nIp: 1 7 {}\nTcp: OutNoRoutes\nTcp: 9\n"
SNMP6 = "Ip6InReceives 4\nIp6OutNoRoutes {}\n"
NO_ROUTE = "Iface Destination Gateway\n"
LOOPBACK6 = "0000 00 0000 00 0000 ffffffff 00000001 00000000 00200200       lo\n"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Files as /proc has them; gives a function that writes one."""

    def write(name, text):
        (tmp_path / name).write_text(text)

    monkeypatch.setattr(
        network,
        "_COUNTERS",
        ((str(tmp_path / "snmp"), "OutNoRoutes"), (str(tmp_path / "snmp6"), "Ip6OutNoRoutes")),
    )
    monkeypatch.setattr(network, "_ROUTES", (str(tmp_path / "route"), str(tmp_path / "ipv6_route")))
    write("snmp", SNMP.format(3))
    write("snmp6", SNMP6.format(2))
    write("route", NO_ROUTE)
    write("ipv6_route", LOOPBACK6)
    return write


def test_the_counters_of_both_families_are_added(kernel):
    assert network.attempts() == 5


def test_a_kernel_without_the_files_or_the_names_counts_none(kernel, tmp_path):
    kernel("snmp", "Ip: Forwarding\nIp: 1\n")
    (tmp_path / "snmp6").unlink()
    assert network.attempts() == 0


@pytest.mark.parametrize("text", [SNMP.format("many"), "Ip: OutNoRoutes\n"])
def test_a_file_of_another_form_says_nothing(kernel, text):
    kernel("snmp", text)
    assert network.attempts() is None
    assert not network.can_count()


def test_a_network_of_its_own_can_be_counted(kernel, monkeypatch):
    monkeypatch.setattr(network.socket, "getaddrinfo", lambda *_: [])
    assert network.can_count()


@pytest.mark.parametrize(
    ("name", "text"), [("route", f"{NO_ROUTE}eth0 0 1\n"), ("ipv6_route", LOOPBACK6.replace("lo", "eth0"))]
)
def test_a_network_with_a_route_cannot(kernel, monkeypatch, name, text):
    monkeypatch.setattr(network.socket, "getaddrinfo", lambda *_: [])
    kernel(name, text)
    assert not network.can_count()


def test_counters_that_count_this_machine_say_nothing(kernel, monkeypatch):
    monkeypatch.setattr(network.socket, "getaddrinfo", lambda *_: kernel("snmp", SNMP.format(4)))
    assert not network.can_count()


@pytest.mark.parametrize("refused", ["socket", "getaddrinfo"])
def test_a_process_that_may_make_no_sockets_has_nothing_to_count(kernel, monkeypatch, refused):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(network.socket, refused, refuse)
    assert not network.can_count()
