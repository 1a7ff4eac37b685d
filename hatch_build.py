"""What is built and not committed: the evidence that `explain` and `clauses` read, the published JSON Schemas, and the man page.

The evidence is gathered from the tests and nonconforming tools, which are not in the wheel. The schemas are made from the
types: therefore a build needs what the suite depends on (`require-runtime-dependencies` in `pyproject.toml`).
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuiltFilesHook(BuildHookInterface[Any]):
    """Puts the built files into wheels; an editable install makes them of its checkout when they are asked for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the files into a folder of their own, and have them taken into the wheel.

        Raises:
            ContractDataError: a fixture, a test's marker or the golden matrix is malformed.
        """
        if version == "editable":
            return
        sys.path[:0] = [self.root, str(Path(self.root, "conformance"))]
        try:
            from aptix_conformance.present.evidence import text_of  # noqa: PLC0415 - not before
            from tools import evidence, man, schemas  # noqa: PLC0415 - not before
        finally:
            del sys.path[:2]
        self._folder = tempfile.TemporaryDirectory()
        texts = {path: schemas.text_of(schema) for path, schema in schemas.schemas().items()}
        texts["aptix_conformance/present/evidence.json"] = text_of(evidence.gather(evidence.CHECKOUT))
        for path, text in texts.items():
            build_data["force_include"][self._written(path, text)] = path
        build_data["shared_data"][self._written(man.PATH, man.page())] = man.PATH

    def _written(self, path: str, text: str) -> str:
        """The file of that path in the folder, with the text in it."""
        file = Path(self._folder.name, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's signature
        """Remove the files."""
        if version != "editable":
            self._folder.cleanup()
