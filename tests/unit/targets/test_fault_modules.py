"""The key `fault_modules`: modules of the tool's own world that can fail."""

from pathlib import Path

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.targets.config import settings_from


def read(value):
    return settings_from({"tool": {"t": {"fault_modules": value}}}, "pyproject.toml", Path(), ()).tool["t"]


def test_modules_are_named_by_their_dotted_names():
    assert read(["my_db", "my_pkg.clients.http"]).fault_modules == ("my_db", "my_pkg.clients.http")
    assert read([]).fault_modules == ()


@pytest.mark.parametrize("value", ["my_db", ["my-db"], ["my_db:connect"], ["a,b"], [""], [7], True])
def test_what_is_no_array_of_module_names_is_refused_with_its_place(value):
    with pytest.raises(ConfigurationError, match=r"tool\.aptix-conformance\.tool\.t\.fault_modules"):
        read(value)
