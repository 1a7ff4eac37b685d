"""The builders of observations, as a fixture: modules beside tests cannot be imported under importlib mode."""

import importlib.util
import sys
from pathlib import Path

import pytest


def _builders():
    spec = importlib.util.spec_from_file_location("rules_builders", Path(__file__).with_name("builders.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickling look a module up by its name
    spec.loader.exec_module(module)
    return module


_BUILDERS = _builders()


@pytest.fixture
def b():
    """The module of builders."""
    return _BUILDERS
