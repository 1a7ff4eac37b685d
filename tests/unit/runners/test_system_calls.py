"""The filter of system calls, answered by hand: the kernel here runs it for one machine only."""

import errno
import struct

import pytest

from aptix_conformance.runners.contain.seccomp import program
from aptix_conformance.runners.contain.system_calls import ALLOWED, NUMBERS

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
UNIX = 1


@pytest.fixture(params=AUDIT)
def machine(request):
    return request.param


def answer(machine, name, *arguments, audit=None):
    """What the filter answers to a call, by name or by number."""
    number = NUMBERS[machine][name] if isinstance(name, str) else name
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, audit or AUDIT[machine], 0, *padded)
    steps, place, held = program(machine, (UNIX,)), 0, 0
    while True:
        code, yes, no, value = steps[place]
        place += 1
        if code == 0x06:
            return value
        if code == 0x20:
            held = struct.unpack_from("<I", data, value)[0]
        elif code == 0x54:
            held &= value
        else:
            is_so = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            place += yes if is_so else no


def test_every_name_has_a_number():
    assert {name for numbers in NUMBERS.values() for name in numbers} >= ALLOWED


def test_no_jump_is_longer_than_an_instruction_holds(machine):
    assert max(max(yes, no) for _, yes, no, _ in program(machine, (UNIX,))) <= 255


def test_what_is_listed_is_allowed_and_nothing_else(machine):
    """The rest that is known is refused, and what a later kernel adds is not there."""
    examined = {name for name in NUMBERS[machine] if answer(machine, name) == ALLOW} - ALLOWED
    assert examined <= {
        *("clone", "unshare", "ioctl", "prctl", "prlimit64", "setpriority", "migrate_pages", "move_pages"),
        *("sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"),
    }
    for name in NUMBERS[machine].keys() & ALLOWED:
        assert answer(machine, name, 1, 1, 1) == ALLOW, name
    for name in ("io_uring_setup", "mount", "bpf", "keyctl", "mq_unlink", "userfaultfd", "kexec_load"):
        assert answer(machine, name) == REFUSE | errno.EPERM
    assert answer(machine, 600) == answer(machine, "clone3") == REFUSE | errno.ENOSYS
    assert answer(machine, "read", audit=0x40000003) == 0x80000000


def test_a_limit_of_another_process_can_be_read_and_not_set(machine):
    new = 2**32  # an address whose lower half is zero is a new limit too
    assert answer(machine, "prlimit64", 0, 7, new) == ALLOW
    assert answer(machine, "prlimit64", 9, 7, 0, new) == ALLOW
    assert answer(machine, "prlimit64", 9, 7, new) == REFUSE | errno.EPERM
