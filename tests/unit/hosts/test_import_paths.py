"""What the interpreter of a tool gets of the suite: the harness, whose folder is named to it."""

from pathlib import Path

import aptix_harness
from aptix_conformance.hosts.import_paths import harness


def test_the_harness_is_found():
    assert Path(harness()) == Path(aptix_harness.__file__).parent
