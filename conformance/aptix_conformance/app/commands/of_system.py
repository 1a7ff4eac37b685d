"""`aptix-conformance SYSTEM`: the commands of a system."""

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aptix_conformance.app.commands.command import NO, OK, add_command, add_group, say
from aptix_conformance.systems.named_commands import SYSTEMS_WITH_COMMANDS
from aptix_conformance.systems.profile import SystemCommand, SystemProfile
from aptix_conformance.systems.registry import installed


@dataclass(frozen=True, slots=True)
class SystemCommands:
    """The commands of one system (`command.Command`)."""

    profile: SystemProfile

    def add(self, subparsers: Any) -> None:
        """Declare the command and its subcommands."""
        name = self.profile.name
        short = SYSTEMS_WITH_COMMANDS[name]
        own = add_group(subparsers, name, f"{short[0].upper()}{short[1:]}.")
        for command in self.profile.commands:
            added = add_command(
                own,
                command.name,
                partial(_run_own, command),
                description=command.description,
                short=command.short,
            )
            command.add_arguments(added)

    def run(self, options: argparse.Namespace) -> int:
        """Run the subcommand, which the parser has chosen."""
        status: int = options.run(options)
        return status


def commands_of(name: str) -> SystemCommands:
    """The commands of the system of that name."""
    (profile,) = (profile for profile in installed().profiles if profile.name == name)
    return SystemCommands(profile)


def _run_own(command: SystemCommand, options: argparse.Namespace) -> int:
    settings = installed().load_settings(Path.cwd() / "pyproject.toml")
    return OK if command.run(options, settings, say) else NO
