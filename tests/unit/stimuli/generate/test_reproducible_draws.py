"""What is drawn depends on the seed, and on nothing that happens to be imported."""

import importlib.util
import sys
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from aptix_conformance.stimuli.generate.reproducible_draws import same_draws

RARE = range(10**30, 10**30 + 20)


@pytest.fixture
def import_a_project(tmp_path, monkeypatch):
    """Gives what imports modules of a user's project whose source has numbers that nobody else writes.

    Hypothesis knows modules by where they lie in memory, which a new one may share with one that is gone: so there are five.
    """

    def import_all():
        for name in (f"module_with_constants_{number}" for number in range(5)):
            path = tmp_path / f"{name}.py"
            path.write_text(f"NUMBERS = {list(RARE)}\n", encoding="utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            monkeypatch.setitem(sys.modules, name, module)

    return import_all


def drawn(around):
    found = []

    @seed(1)
    @settings(
        max_examples=300,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=False,
    )
    @given(st.integers())
    def draw(value):
        found.append(value)

    with around:
        draw()
    return found


def test_an_import_changes_no_draw(import_a_project):
    before = drawn(same_draws())
    import_a_project()
    assert drawn(same_draws()) == before
    assert set(before).isdisjoint(RARE)


def test_the_users_own_tests_draw_as_before_afterwards(import_a_project):
    import_a_project()
    before = drawn(nullcontext())
    assert before != drawn(same_draws()), "Hypothesis no longer takes constants of modules"
    assert drawn(nullcontext()) == before
