"""The project's own checkout."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final


@dataclass(frozen=True, slots=True)
class Checkout:
    """The folders of a checkout that hold evidence."""

    root: Path

    @property
    def fixtures(self) -> Path:
        """The conforming and nonconforming tools."""
        return self.root / "fixtures"

    @property
    def tests(self) -> Path:
        """The project's own tests."""
        return self.root / "tests"

    @property
    def findings(self) -> Path:
        """The failure texts of all fixtures, as the golden matrix stores them."""
        return self.root / "snapshots" / "matrix" / "findings.json"

    @property
    def pages(self) -> tuple[Path, ...]:
        """The pages that are written by hand."""
        patterns = ("*.md", "[!.]*/README.md", "changes/*.md", "docs/**/*.md", "mutation/*.md")
        return tuple(sorted({path for pattern in patterns for path in self.root.glob(pattern)}))


CHECKOUT: Final = Checkout(Path(__file__).parents[2])
"""The one that this file is in."""
