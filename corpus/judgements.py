"""What a person says of each broken MUST rule, `judgements.toml`: by server, tool, rule and cause."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal

from corpus.servers import HERE

FILE: Final = HERE / "judgements.toml"


@dataclass(frozen=True)
class Judgement:
    """`server`, `tool`, `rule`, `cause` and `sdk` are patterns, as a shell has them. `false` is a fault of the suite."""

    server: str
    rule: str
    judgement: Literal["true", "sdk", "false"]
    reason: str
    tool: str = "*"
    cause: str = "*"
    sdk: str = "*"
    """The SDK that the suite names as the source, with its version: what is true of one version may be false of another."""

    def is_about(self, server: str, tool: str, rule: str, cause: str, sdk: str) -> bool:
        """Whether it judges this finding."""
        patterns = (self.server, self.tool, self.rule, self.cause, self.sdk)
        return all(map(fnmatchcase, (server, tool, rule, cause, sdk), patterns))


def read_judgements(path: Path = FILE) -> Sequence[Judgement]:
    """All judgements; the first that is about a finding counts.

    Raises:
        TypeError: one has a key that there is not, or lacks one.
        ValueError: one says neither true, sdk nor false.
    """
    found = [Judgement(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["judgement"]]
    for each in found:
        if each.judgement not in ("true", "sdk", "false"):
            raise ValueError(
                f"{each.server} {each.rule}: a judgement is true, sdk or false, not {each.judgement!r}"
            )
    return found
