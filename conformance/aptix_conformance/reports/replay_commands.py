"""The command that reproduces a counterexample.

A report does not know its own path, so that it can be renamed: the commands in it say `report.json`.
"""

import shlex
from typing import Final

from aptix_conformance.targets.settings import Target
from aptix_conformance.targets.sources import HOOK_ORIGIN, OPTION

STANDARD_PATH: Final = "report.json"
"""The path of the report in the commands that a report holds."""


def replay_command(tool: str, rule: str, target: Target) -> str:
    """The command for a finding of a report at `STANDARD_PATH`; it names the target that the project does not configure."""
    reference = _quoted(f"{STANDARD_PATH}#{tool}/{rule}")
    named = f" {OPTION} {_quoted(target.spec)}" if target.origin in {OPTION, HOOK_ORIGIN} else ""
    return f"aptix-conformance replay {reference}{named}"


def for_report_at(path: str, command: str) -> str:
    """A command of `replay_command`, for a report at `path`."""
    if path == STANDARD_PATH:
        return command
    program, verb, reference, *named = shlex.split(command)
    reference = _quoted(path + reference.removeprefix(STANDARD_PATH))
    return " ".join([program, verb, reference, *map(_quoted, named)])


def _quoted(text: str) -> str:
    plain = all(character.isalnum() or character in "._-/#:" for character in text)
    return text if plain else "'" + text.replace("'", "'\\''") + "'"
