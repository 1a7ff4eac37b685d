"""Folders of fixtures and tests."""

import pytest
from tools.evidence import Checkout


@pytest.fixture
def checkout(tmp_path):
    """An empty checkout; files are written by their paths with `write`."""
    for folder in ("fixtures/nonconforming", "fixtures/conforming", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    return Checkout(tmp_path)


@pytest.fixture
def write(checkout):
    def write_file(path, text):
        target = checkout.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    return write_file
