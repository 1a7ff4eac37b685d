"""The file of a test while it is put together: imports, constants, classes and functions, the test."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from aptix_conformance.core.errors import ReportError
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests.source import INDENT, imported, sentence


@dataclass(slots=True)
class Draft:
    """The content of a test file so far; all of it is source text that `source` made or this package wrote."""

    directory: Path
    """The project's: what it holds is imported last."""
    modules: set[str] = field(default_factory=set)
    """Modules that are imported whole."""
    names: dict[str, set[str]] = field(default_factory=dict)
    """By module: the names that are imported from it."""
    constants: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    fixtures: set[str] = field(default_factory=set)
    body: list[str] = field(default_factory=list)

    def take(self, module: str, *names: str) -> None:
        """Import names from a module.

        Raises:
            ReportError: another module's name is the same.
        """
        for name in names:
            if any(name in known for other, known in self.names.items() if other != module):
                raise ReportError(f"a test cannot import {name} from two modules")
        if names:
            self.names.setdefault(module, set()).update(names)

    def text(self, rule: Rule) -> str:
        """The file."""
        test = re.sub(r"\W", "_", rule.name, flags=re.ASCII)
        head = f'"""Fails until the tool keeps {rule.code} of aptix-conformance: {sentence(rule.name)}."""'
        lines = [
            f'{INDENT}"""{sentence(rule.demand)}"""',
            *(INDENT + line if line else "" for line in self.body),
        ]
        function = "\n".join([f"def test_{test}({', '.join(sorted(self.fixtures))}):", *lines]) + "\n"
        parts = [head, self._imports(), "\n".join(self.constants)]
        opening = "\n\n".join(part for part in parts if part)
        return "\n\n\n".join([opening, *(text.rstrip("\n") for text in self.definitions), function])

    def _imports(self) -> str:
        standard = [f"import {module}" for module in sorted(self.modules)]
        others, own = list[str](), list[str]()
        for module, names in sorted(self.names.items()):
            (own if self._is_own(module) else others).append(imported(module, names))
        return "\n\n".join("\n".join(group) for group in (standard, others, own) if group)

    def _is_own(self, module: str) -> bool:
        """Whether a module is the project's own, as ruff tells it by default."""
        first = module.partition(".")[0]
        roots = (self.directory, self.directory / "src")
        return any((root / first).is_dir() or (root / f"{first}.py").is_file() for root in roots)
