"""The program of a command: the shim of a version manager is not what runs inside the containment."""

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.hosts.program import behind_shim

SHIM = "/home/ada/.pyenv/shims/python3"
REAL = "/home/ada/.pyenv/versions/3.12.1/bin/python3"


def test_a_shim_of_python_is_the_interpreter_that_it_starts():
    assert behind_shim(SHIM, lambda _: REAL) == REAL


def test_another_program_is_itself():
    assert behind_shim(REAL, lambda _: pytest.fail("asked")) == REAL


@pytest.mark.parametrize(("shim", "answer"), [(SHIM, ""), (SHIM, SHIM), ("/home/ada/.asdf/shims/node", REAL)])
def test_a_shim_that_leads_nowhere_is_one_clear_line(shim, answer):
    with pytest.raises(
        TargetError, match=r"is the shim of a version manager.*name the program itself"
    ) as raised:
        behind_shim(shim, lambda _: answer)
    assert "\n" not in str(raised.value)
