"""What reading the targets imports, in a fresh interpreter."""

import subprocess
import sys


def test_reading_the_targets_imports_neither_pytest_nor_a_judge_of_schemas():
    code = (
        "import sys, aptix_conformance.targets, aptix_conformance.core.schemas;"
        "print([name for name in ('pytest', 'syrupy', 'jsonschema', 'hypothesis') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
