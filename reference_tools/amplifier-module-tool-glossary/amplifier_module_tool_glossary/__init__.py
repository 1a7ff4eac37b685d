"""An Amplifier module with two tools that conform, to copy from: they look terms up in a glossary.

config: `path`, a JSON file with an object of terms and their explanations; without it the glossary of this package.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from amplifier_core import ModuleCoordinator, ToolResult

__all__ = ["GlossaryListTool", "GlossaryLookupTool", "mount"]
__amplifier_module_type__ = "tool"

MODULE = "tool-glossary"
MOST = 50
_logger = logging.getLogger(__name__)


class InvalidInputError(Exception):
    """What the model sent cannot be used; the message says why and what to send instead."""


class GlossaryTool:
    """What the tools of this module share: reading the glossary, and an answer to every call."""

    name = ""
    description = ""
    input_schema: Mapping[str, Any] = {}

    def __init__(self, path: Path) -> None:
        """`path` is the file of the glossary, which is read at each call, since people edit it."""
        self._path = path

    def get_schema(self) -> Mapping[str, Any]:
        """The schema under the name that the contract gives it; the orchestrators read `input_schema`."""
        return self.input_schema

    async def execute(self, input: dict[str, Any]) -> ToolResult:  # noqa: A002 - the contract's name
        """Answer one call; whatever goes wrong comes back as a failed result.

        Cancellation is no Exception, and goes through.
        """
        try:
            return ToolResult(success=True, output=await self.run(input))
        except InvalidInputError as error:
            return failed(str(error))
        except Exception:
            _logger.exception("%s failed", self.name)
            return failed("The glossary could not be read. Try again later.")

    async def run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The output of one call.

        Raises:
            InvalidInputError: the arguments cannot be used.
        """
        raise NotImplementedError

    async def terms(self) -> dict[str, str]:
        """The glossary, read in a thread so that nothing else has to wait."""
        text = await asyncio.to_thread(self._path.read_text, encoding="utf-8")
        return {str(term): str(explanation) for term, explanation in json.loads(text).items()}


class GlossaryLookupTool(GlossaryTool):
    """Explains one term."""

    name = "glossary_lookup"
    description = (
        "Explains a term of this project's glossary. Give it one term, in English; "
        "it answers with the explanation, or says that the term is not in the glossary."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"term": {"type": "string", "description": "The term to explain, such as verdict."}},
        "required": ["term"],
        "additionalProperties": False,
    }

    async def run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`found`, and the `explanation` where it was."""
        refuse_others(arguments, self.input_schema)
        term = arguments.get("term")
        if not isinstance(term, str):
            raise InvalidInputError("term is required and has to be a text.")
        explanation = (await self.terms()).get(term.strip().casefold())
        return {"found": explanation is not None, "explanation": explanation}


class GlossaryListTool(GlossaryTool):
    """Lists the terms."""

    name = "glossary_list"
    description = (
        "Lists the terms of this project's glossary in alphabetical order. "
        "Without arguments it lists the first ten; limit says how many."
    )
    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST,
                "default": 10,
                "description": f"How many terms at most, 1 to {MOST}. Default: 10.",
            }
        },
        "additionalProperties": False,
    }

    async def run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """`terms`, and the `total` of those that there are."""
        refuse_others(arguments, self.input_schema)
        limit = arguments.get("limit", 10)
        is_whole = isinstance(limit, int | float) and not isinstance(limit, bool) and limit == limit // 1
        if not (is_whole and 1 <= limit <= MOST):
            raise InvalidInputError(f"limit has to be a whole number from 1 to {MOST}.")
        terms = sorted(await self.terms())
        return {"terms": terms[: int(limit)], "total": len(terms)}


def failed(message: str) -> ToolResult:
    """A failed result; its message is what the model has to go on."""
    return ToolResult(success=False, error={"message": message})


def refuse_others(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """See that there are no arguments but those of the schema.

    Raises:
        InvalidInputError: there is one.
    """
    unknown = sorted(set(arguments) - set(schema["properties"]))
    if unknown:
        known = ", ".join(schema["properties"])
        raise InvalidInputError(f"There is an argument that is not known; those known are: {known}.")


async def mount(coordinator: ModuleCoordinator, config: Mapping[str, Any] | None = None) -> GlossaryTool:
    """Register both tools under their names, and name the events."""
    path = (config or {}).get("path")
    file = Path(path) if isinstance(path, str) else Path(__file__).with_name("glossary.json")
    tools = [GlossaryLookupTool(file), GlossaryListTool(file)]
    for tool in tools:
        await coordinator.mount("tools", tool, name=tool.name)
    events = [f"{MODULE}:{what}" for what in ("started", "completed", "error")]
    coordinator.register_contributor("observability.events", MODULE, lambda: events)
    return tools[0]
