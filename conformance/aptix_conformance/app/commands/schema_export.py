"""`aptix-conformance schema export`: schemas in canonical form, and in the forms of providers."""

import argparse
import json
from pathlib import Path
from typing import Any

from aptix_conformance.app.commands.command import OK, add_command, complain, say
from aptix_conformance.app.commands.schema_sides import read_side
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.schemas import canonical, fingerprint
from aptix_conformance.core.schemas.diff import ToolSchema
from aptix_conformance.core.schemas.forms import FORMS
from aptix_conformance.core.schemas.portability import refusals
from aptix_conformance.core.schemas.refusing import (
    ANTHROPIC,
    AZURE,
    BEDROCK,
    GEMINI,
    OPENAI,
    OPENAI_STRICT,
    TABLE,
    VERTEX,
    crowded,
)
from aptix_conformance.core.text import printable

_DESCRIPTION = """\
Write the schemas of tools as JSON: canonical, with their fingerprints, in the forms in which providers take them, and
with what a provider would refuse.

  aptix-conformance schema export my_pkg.tools
  aptix-conformance schema export --form anthropic snapshots/ > tools.json

SPEC is a target spec, or anything that `schema diff` compares. With --form, only a list in that form is written, ready
to be sent, and what its takers would refuse goes to the standard error. Exit status: 0, or 2 on bad input.
"""
_PROVIDERS = {
    "openai-chat": (OPENAI, AZURE, OPENAI_STRICT),
    "openai-responses": (OPENAI, AZURE, OPENAI_STRICT),
    "anthropic": (ANTHROPIC, BEDROCK),
    "gemini": (GEMINI, VERTEX),
    "mcp": tuple({line.who for lines in TABLE.values() for line in lines if line.is_client}),
}
"""Those who take a form, by its name."""


def add(subparsers: Any) -> None:
    """Declare the command and its arguments."""
    parser = add_command(
        subparsers, "export", run, short="schemas in the forms of providers", description=_DESCRIPTION
    )
    parser.add_argument("specs", nargs="+", metavar="SPEC")
    parser.add_argument("--form", choices=sorted(FORMS), help="write only this form")


def run(options: argparse.Namespace) -> int:
    """Read the tools, and print their schemas sorted by name."""
    tools: dict[str, ToolSchema] = {}
    for spec in options.specs:
        for name, tool in read_side(spec, Path.cwd()).tools.items():
            if name in tools:
                raise ConfigurationError(f"two of the specs hold the tool {printable(name)}; name it once")
            tools[name] = tool
    exported = [_exported(name, tools[name]) for name in sorted(tools)]
    if options.form is None:
        say(json.dumps({"tools": exported}, indent=2))
        return OK
    say(json.dumps([written["forms"][options.form] for written in exported], indent=2))
    for most, lines in crowded(len(exported)):
        takers = [line.who for line in lines if line.who in _PROVIDERS[options.form]]
        if takers:
            complain(f"{len(exported):,} tools: {', '.join(takers)} would refuse more than {most} at once")
    for written in exported:
        for refusal in written["refused"]:
            takers = [who for who in refusal["providers"] if who in _PROVIDERS[options.form]]
            if takers:
                complain(
                    f"{printable(written['tool'])}: {', '.join(takers)} would refuse: {refusal['message']}"
                )
    return OK


def _exported(name: str, tool: ToolSchema) -> dict[str, Any]:
    function = {"type": "function", **{key: tool.flat[key] for key in tool.flat if key in _FUNCTION_KEYS}}
    function["parameters"] = tool.parameters
    ordered = json.loads(canonical(tool.function))
    return {
        "tool": name,
        "fingerprint": fingerprint(tool.function),
        "schema": ordered,
        "forms": {form: write(function) for form, write in FORMS.items()},
        "refused": [
            {
                "providers": list(refusal.providers),
                "message": refusal.message,
                "sources": [f"https://{line.source} ({line.dated})" for line in refusal.lines],
            }
            for refusal in refusals(function)
        ],
    }


_FUNCTION_KEYS = frozenset({"name", "description", "strict"})
