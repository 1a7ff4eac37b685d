"""What is drawn depends on the seed, and on nothing that happens to be imported."""

import importlib.util
import sys
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from aptix_conformance.generate.same_draws import same_draws

RARE = range(10**30, 10**30 + 20)


@pytest.fixture
def a_project_with_constants(tmp_path, monkeypatch):
    """An imported module of a user's project whose source has numbers that nobody else writes."""
    path = tmp_path / "module_with_constants.py"
    path.write_text(f"NUMBERS = {list(RARE)}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("module_with_constants", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "module_with_constants", module)


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


@pytest.mark.usefixtures("a_project_with_constants")
def test_no_constant_of_a_users_module_is_drawn():
    assert set(drawn(same_draws())).isdisjoint(RARE)


def test_an_import_changes_no_draw(request):
    before = drawn(same_draws())
    request.getfixturevalue("a_project_with_constants")
    assert drawn(same_draws()) == before


@pytest.mark.usefixtures("a_project_with_constants")
def test_the_users_own_tests_draw_as_before_afterwards():
    """This also shows that the numbers would be drawn; where it fails, Hypothesis no longer takes constants of modules."""
    with same_draws():
        pass
    assert not set(drawn(nullcontext())).isdisjoint(RARE)
