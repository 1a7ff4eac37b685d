"""agent_list_modes: a tool with a service behind it, and with a contract of its own (TUL-010)."""

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NotRequired, Self, TypedDict

from aptix_harness import (
    AdminLogger,
    AgentToolExecutionContext,
    CancellationToken,
    InvokeResult,
    OperationCanceledError,
)
from aptix_reference_tools._arguments import (
    INVALID_ARGUMENTS,
    ArgumentError,
    optional_boolean,
    parse_object,
)
from aptix_reference_tools.mode_catalog import AgentModeCatalogService, AgentModeSummary, ModeCatalogError


@dataclass(frozen=True, slots=True)
class _AgentListModesArgs:
    """The arguments, checked, with their defaults."""

    include_examples: bool

    @classmethod
    def parse(cls, arguments_json: str | None) -> Self:
        arguments = parse_object(arguments_json)
        return cls(include_examples=optional_boolean(arguments, "includeExamples", default=False))


class _Mode(TypedDict):
    """A mode as the model sees it. These keys are published: they never change (TUL-010.3.6)."""

    id: str
    key: str
    displayName: str
    description: str
    systemPromptSummary: str
    isDefault: bool
    humanRoleHints: list[str] | None
    exampleUtterances: list[str] | None


class _AgentListModesResult(TypedDict):
    """The payload: `modes` and nothing else (TUL-010.3.5), unless the call was cancelled."""

    modes: list[_Mode]
    cancelled: NotRequired[bool]


class AgentListModesTool:
    """Lists the modes of the catalog (C#: `AgentListModesTool`; TUL-010.3.1)."""

    TOOL_NAME: Final = "agent_list_modes"
    TOOL_USAGE_METADATA: Final = """\
agent_list_modes — Usage Guide

Primary purpose:
- Lists all agent modes that are configured, and for each of them what it is for. It informs and does nothing else.

Rules:
- Use it when the user asks which modes there are.
- Use it when the user does not understand a mode, or needs help to choose one.
- Use it before you propose a change of mode, so that the user sees the options and what each is for.
- Do not call it for every message of the user.
- Do not call it when you know the current mode and have no choice to offer.
- Do not call it instead of the mode-change tool (TUL-007): choosing and changing a mode are done elsewhere.
- It is read-only and has no side effects. As long as the catalog stays the same, so does the answer (idempotent). It
  always returns the whole catalog, without paging: some tens of modes at most. Once in a conversation is enough.
- Trust the answer over what you remember about modes. Name modes to the user by their display names.
- A call that was cancelled before the catalog answered succeeds, lists no modes and says that it was cancelled: that
  does not mean that there are none.

Arguments:
- includeExamples: optional, true to get sample requests for each mode as well; false if left out. Ask for them when
  the user has to choose, and leave them out when the names and descriptions will do.

Error codes:
- INVALID_ARGUMENTS: includeExamples is neither true nor false. Correct it and call again.
- CATALOG_UNAVAILABLE: the catalog could not be read. Say that the modes cannot be listed now; do not invent any.

Good usage:
- The user asks "Which modes do you have?": call with {}.
- The user asks "Which mode should I take for writing a contract?": call with {"includeExamples": true}.

Bad usage:
- The user says "Switch to review mode": this is a task for the mode-change tool.
- Calling it at the start of every turn to find out what mode you are in.
"""

    def __init__(self, logger: AdminLogger, catalog: AgentModeCatalogService) -> None:
        self._logger = logger
        self._catalog = catalog

    @property
    def name(self) -> str:
        """The tool's name (C#: `Name`)."""
        return self.TOOL_NAME

    @property
    def is_tool_fully_executed_on_server(self) -> bool:
        """True: nothing is left for a client to do (C#: `IsToolFullyExecutedOnServer`; TUL-010.3.1)."""
        return True

    @staticmethod
    def get_schema() -> Mapping[str, object]:
        """Return the function schema (C#: `GetSchema`; TUL-010.3.3)."""
        return {
            "type": "function",
            "name": AgentListModesTool.TOOL_NAME,
            "description": "Lists all agent modes with what each is for, to explain them or to help with a choice.",
            "parameters": {
                "type": "object",
                "properties": {
                    "includeExamples": {
                        "type": "boolean",
                        "description": "Whether to list sample requests for each mode as well. Default: false.",
                    },
                },
                "required": [],
            },
        }

    async def execute(
        self,
        arguments_json: str | None,
        context: AgentToolExecutionContext | None,  # noqa: ARG002 - its own contract wants no identifiers
        cancellation_token: CancellationToken = CancellationToken.none(),
    ) -> InvokeResult[str]:
        """Return the modes, and nothing else (TUL-010.3.5).

        A catalog that answers at once is listed even if the token is cancelled. If the token comes first, there is
        an empty list, marked `cancelled` (AGN-005.8.2).

        Fails with INVALID_ARGUMENTS or, if the catalog does not do its part, with CATALOG_UNAVAILABLE
        (TUL-010.4.3); raises nothing of its own (AGN-005.4.2).
        """
        try:
            args = _AgentListModesArgs.parse(arguments_json)
            result: _AgentListModesResult
            try:
                modes = await _get_modes(self._catalog, cancellation_token)
            except OperationCanceledError:
                if not cancellation_token.is_cancellation_requested:
                    raise
                result = {"modes": [], "cancelled": True}
            else:
                result = {"modes": [_describe(mode, args) for mode in modes]}
            return InvokeResult.create(json.dumps(result, allow_nan=False))
        except ArgumentError as error:
            return InvokeResult.from_error(str(error), INVALID_ARGUMENTS)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, a tool answers (AGN-005.4.2)
            self._logger.add_exception("[AgentListModesTool_ExecuteAsync__Exception]", error)
            return InvokeResult.from_error("The mode catalog is not available.", "CATALOG_UNAVAILABLE")


async def _get_modes(
    catalog: AgentModeCatalogService, token: CancellationToken
) -> Sequence[AgentModeSummary]:
    """Ask the catalog, and give up when the token is cancelled, whether or not the catalog heeds it.

    Raises:
        OperationCanceledError: the token was cancelled first.
        ModeCatalogError: the catalog returned something other than a sequence.
        Exception: whatever the catalog raises.
    """
    loop = asyncio.get_running_loop()

    def give_up() -> None:
        # The catalog may have answered since the token was cancelled; then there is no waiting left to end.
        with contextlib.suppress(RuntimeError):
            waiting.reschedule(loop.time())

    try:
        async with asyncio.timeout(None) as waiting:
            with token.register(lambda: loop.call_soon_threadsafe(give_up)):
                modes: object = await catalog.get_all_modes(token)
    except TimeoutError as error:
        if waiting.expired():
            raise OperationCanceledError("The token was cancelled before the catalog answered.") from error
        raise
    if not isinstance(modes, Sequence) or isinstance(modes, str):
        raise ModeCatalogError(f"The catalog returned {type(modes).__name__}. Return a sequence of modes.")
    return modes


def _describe(mode: AgentModeSummary, args: _AgentListModesArgs) -> _Mode:
    """Return a mode as the model sees it; a copy, so that nothing of the catalog can change.

    Raises:
        ModeCatalogError: a field is not of its type.
    """
    return {
        "id": _text("id", mode.id),
        "key": _text("key", mode.key),
        "displayName": _text("display_name", mode.display_name),
        "description": _text("description", mode.description),
        "systemPromptSummary": _text("system_prompt_summary", mode.system_prompt_summary),
        "isDefault": _boolean("is_default", mode.is_default),
        "humanRoleHints": _texts("human_role_hints", mode.human_role_hints),
        "exampleUtterances": (
            _texts("example_utterances", mode.example_utterances) if args.include_examples else None
        ),
    }


def _text(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise ModeCatalogError(f"A mode's {field} is {type(value).__name__}. Give it a str.")
    return value


def _boolean(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ModeCatalogError(f"A mode's {field} is {type(value).__name__}. Give it a bool.")
    return value


def _texts(field: str, values: object) -> list[str] | None:
    if values is None:
        return None
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise ModeCatalogError(
            f"A mode's {field} is {type(values).__name__}. Give it a sequence of str, or None."
        )
    return [_text(field, value) for value in values]
