"""`aptix-conformance schema`: tool schemas compared, and written in the forms of providers."""

import argparse
from typing import Any

from aptix_conformance.app.commands import schema_diff, schema_export
from aptix_conformance.app.commands.command import add_group


def add(subparsers: Any) -> None:
    """Declare the command and its subcommands."""
    own = add_group(subparsers, "schema", "Compare tool schemas, or write them in a provider's form.")
    schema_diff.add(own)
    schema_export.add(own)


def run(options: argparse.Namespace) -> int:
    """Run the subcommand, which the parser has chosen."""
    status: int = options.run(options)
    return status
