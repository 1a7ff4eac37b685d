"""Each message that docs/troubleshooting.md quotes is one that the package can show."""

import re
from pathlib import Path

import pytest
from tests.pages import read_page

import aptix_conformance

JOINED = re.compile(r"\"\s*\n\s*f?\"")
"""Between the parts of a text that is written on several lines."""
SOURCES = [
    JOINED.sub("", path.read_text(encoding="utf-8"))
    for path in Path(aptix_conformance.__file__).parent.rglob("*.py")
]
MESSAGES = [row[0] for row in read_page("docs/troubleshooting.md").rows()]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_in_the_source_of_the_package(message):
    """Between its parts, one file has names and numbers."""
    assert re.fullmatch("`[^`]{12,}`", message)
    parts = [re.escape(part.strip(" ")) for part in message.strip("`").split("…")]
    written = re.compile("[^\n]{0,200}?".join(parts))
    assert any(written.search(source) for source in SOURCES)
