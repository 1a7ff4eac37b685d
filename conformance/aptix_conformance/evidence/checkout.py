"""Find the project's own checkout, if the command runs in one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path("conformance", "aptix_conformance")


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
        patterns = ("*.md", "[!.]*/README.md", "docs/**/*.md")
        return tuple(sorted({path for pattern in patterns for path in self.root.glob(pattern)}))


def checkout_around(directory: Path) -> Checkout | None:
    """The checkout that a directory lies in, or None."""
    for root in (directory, *directory.parents):
        if all((root / name).is_dir() for name in (_PACKAGE, "fixtures", "tests")):
            return Checkout(root)
    return None
