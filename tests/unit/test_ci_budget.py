"""`.ci/run` shows what each step took, and fails past the budget of processor time."""

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("spent", Path(__file__).parents[2] / ".ci" / "spent.py")
STEPS = """0\t1000\t0.1\tinstall
60\t4150\t0.3\ttest
300\t31150\t0.2\twhere the time went
"""


@pytest.fixture
def spent(tmp_path, monkeypatch):
    """The command on two steps of 301.5 processor seconds, on a machine on which work takes 0.2 s."""
    module = importlib.util.module_from_spec(SPEC)
    SPEC.loader.exec_module(module)
    monkeypatch.setattr(module.os, "sysconf", lambda _: 100)
    (tmp_path / "steps").write_text(STEPS)

    def run(allowed, piece=0.2):
        (tmp_path / "budget").write_text(f"{allowed} processor seconds\n{piece} is what it says\n")
        module.main(tmp_path / "steps", tmp_path / "budget")

    return run


def test_each_step_is_shown_with_what_it_took(spent, capsys):
    spent(301.5)
    assert "   4.0 min     270 s of processors  test" in capsys.readouterr().out


def test_more_than_the_budget_fails(spent):
    with pytest.raises(SystemExit, match="see what grew"):
        spent(301)


def test_a_slower_machine_is_allowed_more_and_a_faster_one_no_less(spent):
    spent(151, piece=0.1)
    with pytest.raises(SystemExit, match="see what grew"):
        spent(150, piece=0.1)
    spent(301.5, piece=0.4)
