"""The command that reproduces a counterexample.

A report does not know its own path, so that it can be renamed: the commands in it say `report.json`.
"""

import shlex
from dataclasses import dataclass
from typing import Final

from aptix_conformance.targets import item_name
from aptix_conformance.targets.settings import Target
from aptix_conformance.targets.sources import HOOK_ORIGIN, OPTION

STANDARD_PATH: Final = "report.json"
"""The path of the report in the commands that a report holds."""
PROGRAM: Final = "aptix-conformance"


@dataclass(frozen=True, slots=True)
class Shell:
    """Where the commands are pasted.

    `report` is the path of the JSON report; None where none is written: an examination of the rule's item is all that
    reproduces a finding then. `program` and `pytest` are shell words that run the suite's command and this examination.
    """

    report: str | None = STANDARD_PATH
    program: str = PROGRAM
    pytest: str = "pytest --aptix-conformance"

    def reproduce(self, tool: str, item: str, replay: str) -> str:
        """The command for a finding of a tool: `replay` is what its report says, `item` the name of the rule's item."""
        if self.report is None:
            return f"{self.pytest} {quoted(f'aptix::{item_name(tool)}::{item}')}"
        command = for_report_at(self.report, replay)
        return command.replace(PROGRAM, self.program, 1) if command.startswith(PROGRAM) else command


def replay_command(tool: str, rule: str, target: Target) -> str:
    """The command for a finding of a report at `STANDARD_PATH`; it names the target that the project does not configure."""
    reference = quoted(f"{STANDARD_PATH}#{tool}/{rule}")
    named = f" {OPTION} {quoted(target.spec)}" if target.origin in {OPTION, HOOK_ORIGIN} else ""
    return f"{PROGRAM} replay {reference}{named}"


def for_report_at(path: str, command: str) -> str:
    """A command of `replay_command`, for a report at `path`."""
    if path == STANDARD_PATH:
        return command
    program, verb, reference, *named = shlex.split(command)
    reference = quoted(path + reference.removeprefix(STANDARD_PATH))
    return " ".join([program, verb, reference, *map(quoted, named)])


def quoted(text: str) -> str:
    """A text as one word of a shell."""
    plain = all(character.isalnum() or character in "._-/#:" for character in text)
    return text if plain else "'" + text.replace("'", "'\\''") + "'"
