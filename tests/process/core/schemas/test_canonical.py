"""The fingerprint depends on no state of a process."""

import subprocess
import sys

from aptix_conformance.core.schemas import fingerprint


def test_the_fingerprint_is_the_same_in_another_process():
    code = "from aptix_conformance.core.schemas import fingerprint; print(fingerprint({'b': [], 'a': 'é'}))"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == fingerprint({"a": "é", "b": []})
