"""The finder takes the suite's own modules from pytest's hook, and nothing else."""

import sys
from importlib.machinery import SourceFileLoader

import pytest

import aptix_conformance
from aptix_conformance.app.plugin.plain_imports import PlainImports, use_plain_imports


@pytest.fixture
def config(monkeypatch):
    """As much of a `pytest.Config` as the finder needs: a list of what must be cleaned up."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))

    class Config:
        def __init__(self):
            self.cleanups = []

        def add_cleanup(self, function):
            self.cleanups.append(function)

    return Config()


def test_a_module_of_the_suite_is_found_as_without_pytest():
    spec = PlainImports.find_spec("aptix_conformance.core", aptix_conformance.__path__)
    assert isinstance(spec.loader, SourceFileLoader)


@pytest.mark.parametrize(
    "name", ["json", "json.decoder", "aptix_conformance", "aptix_reference_tools.delay", "conftest"]
)
def test_any_other_module_is_left_to_the_other_finders(name):
    assert PlainImports.find_spec(name) is None


def test_a_module_that_is_not_there_is_left_to_the_other_finders():
    assert PlainImports.find_spec("aptix_conformance.nothing", aptix_conformance.__path__) is None


def test_it_comes_first_and_goes_with_the_run(config):
    before = list(sys.meta_path)
    use_plain_imports(config)
    assert sys.meta_path == [PlainImports, *before]
    for clean_up in config.cleanups:
        clean_up()
    assert sys.meta_path == before


def test_it_may_be_gone_before_the_run_ends(config):
    use_plain_imports(config)
    sys.meta_path.remove(PlainImports)
    for clean_up in config.cleanups:
        clean_up()
    assert PlainImports not in sys.meta_path
