"""What is built and not committed: the evidence that `aptix-conformance explain` and `clauses` read from a wheel.

The tests and nonconforming tools that it is gathered from are not in the wheel. A build environment has no
dependencies of the suite, so `aptix_conformance.evidence` needs none.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSTALLED = "aptix_conformance/evidence/evidence.json"


class EvidenceHook(BuildHookInterface[Any]):
    """Puts `evidence.json` into wheels; an editable install reads the checkout instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Gather the evidence into a file of its own, and have it taken into the wheel.

        Raises:
            ContractDataError: a fixture, a test's marker or the golden matrix is malformed.
        """
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "conformance")))
        try:
            from aptix_conformance.evidence import Checkout, gather, text_of  # noqa: PLC0415 - not before
        finally:
            del sys.path[0]
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name, "evidence.json")
        path.write_text(text_of(gather(Checkout(Path(self.root)))), encoding="utf-8")
        build_data["force_include"][str(path)] = INSTALLED

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove the file."""
        if version != "editable":
            self._folder.cleanup()
