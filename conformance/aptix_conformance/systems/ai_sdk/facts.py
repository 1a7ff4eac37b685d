"""The facts that only tools of the AI SDK declare. No rule is known that the SDK itself breaks for each tool."""

import json

from aptix_conformance.core.model import DeclaredExample
from aptix_conformance.systems.frameworks import FrameworkTool


class AISDKTool(FrameworkTool, frozen=True, kw_only=True):
    """What a tool of the AI SDK declares besides its function."""

    validates: bool
    """Whether its inputSchema validates the arguments: a jsonSchema() without `validate` takes anything."""
    input_examples: str | None = None
    """The JSON text of its inputExamples; None where it has none, or none that can be written."""

    keys: tuple[str, ...] = ()
    """The members by which the tool is reached from its variable, which is called before where `holder` is `function`."""

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
