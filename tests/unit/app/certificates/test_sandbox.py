"""What is found in force around the suite: by what the kernel says of a process."""

import os
from types import SimpleNamespace

import pytest

from aptix_conformance.app.certificates import sandbox
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.hosts import cgroups

HEADER = "Inter-|   Receive  |  Transmit\n face |bytes    packets|bytes    packets\n"
OPEN = {
    "status": "Name:\tpython\nCapPrm:\t0000000000000000\nCapEff:\t00000000a80425fb\nNoNewPrivs:\t0\nSeccomp:\t0\n",
    "net/dev": f"{HEADER}    lo: 0 0 0\n  eth0: 12 3 4\n",
    "ns/pid": "pid:[4026531836]",
    "ns/user": "user:[4026531837]",
}
HELD = {
    "status": "Name:\tpython\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n",
    "net/dev": f"{HEADER}    lo: 0 0 0\n",
    "ns/pid": "pid:[4026532001]",
    "ns/user": "user:[4026532002]",
}


@pytest.fixture
def process(tmp_path, monkeypatch):
    """A function that makes the folder of a process in /proc, where nothing is in force but what is given."""
    limits = []
    monkeypatch.setattr(cgroups, "limits", lambda *_: iter(limits))
    flags = SimpleNamespace(f_flag=0)
    monkeypatch.setattr(sandbox.os, "statvfs", lambda _: flags)

    def make(given, limit=None, root=0):
        limits[:] = [limit] if limit else []
        flags.f_flag = root
        for name, text in {**OPEN, **given}.items():
            place = tmp_path / name
            place.parent.mkdir(exist_ok=True)
            place.unlink(missing_ok=True)
            if name.startswith("ns/"):
                place.symlink_to(text)
            else:
                place.write_text(text)
        return tmp_path

    return make


def test_nothing_is_found_in_force_around_an_ordinary_process(process):
    assert sandbox.protections(process({})) == ()


def test_everything_that_is_in_force_is_found(process):
    assert sandbox.protections(process(HELD, 1 << 31, os.ST_RDONLY)) == tuple(sandbox.PROTECTIONS)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("status", ("no-capabilities", "no-new-privileges", "system-call-filter")),
        ("net/dev", ("no-network",)),
        ("ns/pid", ("process-namespace",)),
        ("ns/user", ("user-namespace",)),
    ],
)
def test_each_protection_is_found_alone(process, name, found):
    assert sandbox.protections(process({name: HELD[name]})) == found


def test_what_cannot_be_read_is_not_in_force(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "limits", lambda *_: iter(()))
    assert sandbox.protections(tmp_path / "none") == ()


@pytest.mark.parametrize("name", ["x" * 101, "a\nb", "\x1b[2J", "\u202e"])
def test_a_name_that_acts_or_does_not_end_is_refused(name):
    with pytest.raises(CertificateError, match="--sandbox takes a name"):
        sandbox.around(name)
