"""Shards of a run: each examines a part of the tools, on any machine, and `aptix-conformance report merge` joins their reports.

A tool belongs to a shard by its target alone, so other tools that come or go do not move it. The tools of a server stay
together. A file of costs, where there is one, balances the shards instead for the targets that it has.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta

from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.model.codec import (
    MOST_VALUES,
    Record,
    from_json,
    most_values,
    read_json,
    replace,
    to_text,
)
from aptix_conformance.core.model.report import MOST_SHARDS, Digest, Report
from aptix_conformance.core.text import printable
from aptix_conformance.examine import FoundTools, ToolUnderTest
from aptix_conformance.examine.applicable import tool_name

COSTS_FORMAT: Final = "aptix-conformance-costs/1"
_LONGEST: Final = 1e9
"""Seconds of an examination that a file of costs may have."""
_LEAST: Final = 0.1
"""Seconds that an examination counts for at least: many short ones are work too."""
_LARGEST: Final = 32 * 2**20
"""Bytes of a file of costs beyond which it is not read."""

_REVISION: Final = re.compile(r"#@[0-9-]+$")
"""The end of the target of a server that is judged in an older revision."""


class Costs(Record, frozen=True):
    """The content of a file of costs, made by `aptix-conformance report costs`."""

    format: Literal["aptix-conformance-costs/1"]
    seconds: Mapping[str, Annotated[float, Meta(ge=0, le=_LONGEST)]]
    """By target, of a server for all of its tools: how long its examination takes."""


class Share(Record, frozen=True):
    """The part of a run that a shard has, and what it must know of the rest."""

    number: int
    of: int
    run: Digest
    """Equal in all shards of a run: the SHA-256 of its tools, its configuration and its costs."""
    elsewhere: tuple[tuple[str, str], ...]
    """The tools of the other shards: the declared name and the target of each."""
    entries: int
    """How many tools and failed targets fell to the shard."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What is asked for: shard `number` of `of`, from 1."""

    number: int
    of: int
    costs: Path | None = None

    @classmethod
    def asked(cls, text: str | None, costs: Path | None, option: str) -> "Shard | None":
        """Read `2/8`, the value of an option; None where it is not given.

        Raises:
            ConfigurationError: it has another form, there is no such shard, or there are costs and no shard.
        """
        if text is None:
            if costs is not None:
                raise ConfigurationError(f"{option}-costs balances shards: add {option} 1/2, or leave it out")
            return None
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
        number, of = map(int, match.groups()) if match else (0, 0)
        if not 1 <= number <= of <= MOST_SHARDS:
            raise ConfigurationError(
                f"{option} {printable(text, 60)!r} is not a shard: write 2/8 for the second of eight; there are at most {MOST_SHARDS:,}"
            )
        return cls(number, of, costs)

    def share(self, found: FoundTools, configuration: bytes) -> tuple[FoundTools, Share]:
        """The tools and failed targets of this shard.

        Raises:
            ConfigurationError: the file of costs cannot be read.
        """
        costs = {} if self.costs is None else read_costs(self.costs).seconds
        place = _Places(self.of, costs)
        is_own = [place.of_key(_key(tool)) == self.number for tool in found.tools]
        tools = tuple(tool for tool, own in zip(found.tools, is_own, strict=True) if own)
        elsewhere = [tool for tool, own in zip(found.tools, is_own, strict=True) if not own]
        # A tool that a server does not have is named behind the server.
        failures = tuple(
            each
            for each in found.failures
            if place.of_key(each.spec.rpartition("#")[0] or each.spec) == self.number
        )
        content = [
            sorted((tool.target.spec, tool.name, tool.suite.edition.name) for tool in found.tools),
            sorted(each.spec for each in found.failures),
            sorted(costs.items()),
            hashlib.sha256(configuration).hexdigest(),
        ]
        share = Share(
            self.number,
            self.of,
            f"sha256:{hashlib.sha256(to_text(content).encode()).hexdigest()}",
            tuple((tool_name(tool.declaration), tool.target.spec) for tool in elsewhere),
            len(tools) + len(failures),
        )
        return replace(found, tools=tools, failures=failures), share


class _Places:
    """Which shard a key belongs to."""

    def __init__(self, shards: int, costs: Mapping[str, float]) -> None:
        self._shards = shards
        loads = [0.0] * shards
        self._known: dict[str, int] = {}
        for key, seconds in sorted(costs.items(), key=lambda each: (-each[1], each[0])):
            least = loads.index(min(loads))
            loads[least] += max(seconds, _LEAST)
            self._known[key] = least + 1

    def of_key(self, key: str) -> int:
        """The number of the shard: by the costs where they have the key, otherwise by its hash."""
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
        return self._known.get(key) or int.from_bytes(digest[:8], "big") % self._shards + 1


def _key(tool: ToolUnderTest) -> str:
    """What stays together in one shard: a tool, or a server with its tools."""
    target = tool.target
    return f"{target.spelling}:{target.module}" if tool.declaration.traits.has_servers else target.spec


def costs_text(report: Report) -> str:
    """The text of the file of costs that a report gives: a server's tools count for the server."""
    seconds: dict[str, float] = {}
    for tool in report.tools:
        if tool.steps:
            key = tool.server or (_REVISION.sub("", tool.target) if tool.kind == "server" else tool.target)
            seconds[key] = seconds.get(key, 0.0) + tool.seconds
    costs = Costs(COSTS_FORMAT, {key: round(min(seconds[key], _LONGEST), 3) for key in sorted(seconds)})
    return to_text(costs, indent=2) + "\n"


def read_costs(path: Path) -> Costs:
    """Read a file of costs.

    Raises:
        ConfigurationError: it cannot be read, is too large, no JSON, or malformed; names the place.
    """
    make = f"make one with aptix-conformance report costs report.json -o {path}"
    try:
        text = read_bounded(path, _LARGEST)
    except OSError as error:
        raise ConfigurationError(f"the costs {path} cannot be read: {error.strerror}; {make}") from error
    if most_values(text) > MOST_VALUES:
        raise ConfigurationError(f"the costs {path} have more than {MOST_VALUES:,} values")
    try:
        return from_json(Costs, read_json(text), "$")
    except RecordError as error:
        raise ConfigurationError(f"the costs {path} are malformed at {error}; {make}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"the costs {path} are not JSON, perhaps truncated: {error}") from error
