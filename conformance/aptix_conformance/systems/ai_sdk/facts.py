"""The facts that only tools of the AI SDK declare, and what the AI SDK breaks for each of them."""

import json
from typing import Final

from aptix_conformance.core.model import DeclaredExample
from aptix_conformance.systems.frameworks import FrameworkTool, Shares

SHARES: Final[Shares] = {"ai 7": frozenset({("EXC006", "SyntaxError: ")})}
"""Measured with 7.0.173: arguments that are no JSON are refused in the words of JSON.parse, before the tool is called.
`tests/process/hosts/node/test_ai_sdk.py` measures that again, and the other facts of docs/ai-sdk.md."""


class AISDKTool(FrameworkTool, frozen=True):
    """What a tool of the AI SDK declares besides its function."""

    validates: bool
    """Whether its inputSchema validates the arguments: a jsonSchema() without `validate` takes anything."""
    input_examples: str | None = None
    """The JSON text of its inputExamples; None where it has none, or none that can be written."""

    def examples(self) -> tuple[DeclaredExample, ...]:
        """Those whose input is an object."""
        try:
            listed = json.loads(self.input_examples or "null")
        except (ValueError, RecursionError):
            return ()
        return tuple(
            DeclaredExample(number, each["input"])
            for number, each in enumerate(listed if isinstance(listed, list) else (), start=1)
            if isinstance(each, dict) and isinstance(each.get("input"), dict)
        )

    def breaks_by_itself(self, rule: str, cause: str) -> str:
        """The AI SDK, where it breaks the rule for every such tool."""
        return self._share_of(SHARES, rule, cause)
