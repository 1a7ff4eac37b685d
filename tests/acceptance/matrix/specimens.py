"""Which tools are examined: the fixtures, folder by folder, and the reference tools.

A folder of fixtures for another system needs a line in `COLLECTIONS`; it is left out as long as it is not there.
"""

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptix_conformance.core.contracts import load

CHECKOUT = Path(__file__).parents[3]
FIXTURES = CHECKOUT / "fixtures"
REFERENCE = CHECKOUT / "reference_tools" / "aptix_reference_tools"


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """Tools that lie in one folder and are configured in one file; `prefix` is what their modules' names begin with."""

    name: str
    folder: Path
    configuration: Path
    prefix: str
    root: Path = FIXTURES
    """The root directory of those who wrote them."""
    system: str = "aptix"
    runtime: str = ""
    """The prefix of the tools' targets, where it is not the system's name."""
    suffix: str = ".py"
    """What the tools' files end in; it is a part of the module's name where that is a path."""
    not_tools: frozenset[str] = frozenset()
    """Modules that hold none: what the tools share."""
    hurried: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Environment variables that make slow tools quicker."""

    @property
    def editions(self) -> tuple[str, ...]:
        """Every edition of the collection's system."""
        return tuple(edition.name for edition in load().editions.values() if edition.system == self.system)

    def specimens(self) -> Iterator["Specimen"]:
        """The collection's tools, sorted by name."""
        for path in sorted(self.folder.glob(f"*{self.suffix}")):
            if not path.stem.startswith("_") and path.stem not in self.not_tools:
                yield Specimen(self, path.stem)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A module that holds a tool, or several."""

    collection: Collection
    name: str

    @property
    def title(self) -> str:
        """What it is called in the matrix."""
        return f"{self.collection.name}/{self.name}"

    @property
    def module(self) -> str:
        """Where the hosts find it."""
        is_module = self.collection.prefix.endswith(".")
        return self.collection.prefix + self.name + ("" if is_module else self.collection.suffix)

    @property
    def target(self) -> str:
        """The spec of its target."""
        return f"{self.collection.runtime or self.collection.system}:{self.module}"


COLLECTIONS = (
    Collection(
        name="nonconforming",
        folder=FIXTURES / "nonconforming",
        configuration=FIXTURES / "pyproject.toml",
        prefix="nonconforming.",
    ),
    Collection(
        name="conforming",
        folder=FIXTURES / "conforming",
        configuration=FIXTURES / "pyproject.toml",
        prefix="conforming.",
        not_tools=frozenset({"json_tool", "two_steps"}),
    ),
    Collection(
        name="waived",
        folder=FIXTURES / "waived",
        configuration=FIXTURES / "pyproject.toml",
        prefix="waived.",
    ),
    Collection(
        name="clean",
        folder=FIXTURES / "clean",
        configuration=FIXTURES / "clean" / "pyproject.toml",
        prefix="clean.",
        not_tools=frozenset({"house"}),
        hurried={"slow_translation": {"TRANSLATION_SECONDS": "0.05"}},
    ),
    *(
        Collection(
            name=f"art/{kind}",
            folder=FIXTURES / "art" / kind,
            configuration=FIXTURES / "art" / "pyproject.toml",
            prefix=f"./art/{kind}/",
            system="art",
            suffix=".mjs",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"mcp/{kind}",
            folder=FIXTURES / "mcp" / kind,
            configuration=FIXTURES / "mcp" / "pyproject.toml",
            prefix=f"python ./mcp/{kind}/",
            system="mcp",
        )
        for kind in ("nonconforming", "conforming", "incomplete")
    ),
    *(
        Collection(
            name=f"mcp/node/{kind}",
            folder=FIXTURES / "mcp" / "node" / kind,
            configuration=FIXTURES / "mcp" / "pyproject.toml",
            prefix=f"node ./mcp/node/{kind}/",
            system="mcp",
            suffix=".mjs",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"mcp/http/{kind}",
            folder=FIXTURES / "mcp" / "http" / kind,
            configuration=FIXTURES / "mcp" / "http" / "pyproject.toml",
            prefix=f"./mcp/http/{kind}/",
            system="mcp",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"mcp/node/http/{kind}",
            folder=FIXTURES / "mcp" / "node" / "http" / kind,
            configuration=FIXTURES / "mcp" / "node" / "http" / "pyproject.toml",
            prefix=f"./mcp/node/http/{kind}/",
            system="mcp",
            suffix=".mjs",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"amplifier/{kind}",
            folder=FIXTURES / "amplifier" / kind,
            configuration=FIXTURES / "amplifier" / "pyproject.toml",
            prefix=f"./{kind}/",
            root=FIXTURES / "amplifier",
            system="amplifier",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"{system}/{kind}",
            folder=FIXTURES / system / kind,
            configuration=FIXTURES / system / "pyproject.toml",
            prefix=f"{kind}.",
            root=FIXTURES / system,
            system=system,
        )
        for system in ("langchain", "openai-agents", "pydantic-ai")
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"ai-sdk/{kind}",
            folder=FIXTURES / "ai-sdk" / kind,
            configuration=FIXTURES / "ai-sdk" / "pyproject.toml",
            prefix=f"./{kind}/",
            root=FIXTURES / "ai-sdk",
            system="ai-sdk",
            suffix=".mjs",
        )
        for kind in ("nonconforming", "conforming")
    ),
    *(
        Collection(
            name=f"csharp/{kind}",
            folder=FIXTURES / "csharp" / kind,
            configuration=FIXTURES / "csharp" / "pyproject.toml",
            prefix=f"./{kind}/",
            root=FIXTURES / "csharp",
            runtime="aptix-cs",
            suffix=".cs",
        )
        for kind in ("nonconforming", "conforming")
    ),
    Collection(
        name="reference",
        folder=REFERENCE,
        configuration=CHECKOUT / "pyproject.toml",
        prefix="aptix_reference_tools.",
        not_tools=frozenset({"mode_catalog"}),
    ),
)


def all_specimens() -> tuple[Specimen, ...]:
    """Every specimen of every collection that is there, in the order of the matrix."""
    return tuple(found for collection in COLLECTIONS for found in collection.specimens())


def matching(patterns: Sequence[str]) -> tuple[Specimen, ...]:
    """The specimens whose titles match one of some patterns, `clean/*`; all of them where none is given."""
    return tuple(
        specimen
        for specimen in all_specimens()
        if not patterns or any(fnmatch.fnmatchcase(specimen.title, pattern) for pattern in patterns)
    )
