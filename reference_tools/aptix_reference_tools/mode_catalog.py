"""The mode catalog: what a mode is, the service that `agent_list_modes` asks, and two that keep modes (TUL-010.2.1).

A catalog is read-only. Caching is its own business; neither of these two caches anything (TUL-010.4.4).
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final, Protocol

from aptix_harness import CancellationToken

_GUID_WITHOUT_HYPHENS: Final = re.compile(r"[0-9a-fA-F]{32}")


class ModeCatalogError(Exception):
    """A catalog could not be read, or holds what is no mode; the message says where and is not for the model."""


@dataclass(frozen=True, slots=True)
class AgentModeSummary:
    """One mode (C#: `AgentModeSummary`; TUL-010.2.2).

    Attributes:
        id: a GUID without hyphens.
        key: the stable key that sessions and tools use.
        display_name: the name that people see.
        description: a short explanation.
        system_prompt_summary: one paragraph on how prompts treat the mode; may be empty.
        is_default: whether this is the default mode.
        human_role_hints: the human roles that the mode suits; None or empty if nothing is said about them.
        example_utterances: requests that clearly belong to the mode; None or empty if there are none.
    """

    id: str
    key: str
    display_name: str
    description: str
    system_prompt_summary: str = ""
    is_default: bool = False
    human_role_hints: Sequence[str] | None = None
    example_utterances: Sequence[str] | None = None


class AgentModeCatalogService(Protocol):
    """Where modes come from (C#: `IAgentModeCatalogService`; TUL-010.2.1)."""

    async def get_all_modes(self, cancellation_token: CancellationToken) -> Sequence[AgentModeSummary]:
        """Return all modes, in the order in which they are to be shown (C#: `GetAllModesAsync`).

        Raises:
            OperationCanceledError: the token was cancelled first.
            Exception: the catalog could not be read.
        """


class InMemoryModeCatalog:
    """A catalog of modes that the program was written with."""

    def __init__(self, modes: Iterable[AgentModeSummary]) -> None:
        self._modes = tuple(modes)

    async def get_all_modes(self, cancellation_token: CancellationToken) -> Sequence[AgentModeSummary]:  # noqa: ARG002
        """Return all modes at once: there is nothing to cancel."""
        return self._modes


class JsonFileModeCatalog:
    """A catalog in a JSON file, read again each time: `{"modes": [{"id": …, "key": …, "displayName": …, …}]}`.

    The members of a mode are those that the tool shows (TUL-010.3.5). `systemPromptSummary`, `isDefault`,
    `humanRoleHints` and `exampleUtterances` may be missing; the last two may be null.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = Path(path)

    async def get_all_modes(self, cancellation_token: CancellationToken) -> Sequence[AgentModeSummary]:  # noqa: ARG002
        """Read the file and return all modes. It is small, so it is read in one go: there is nothing to cancel.

        Raises:
            ModeCatalogError: the file cannot be read, is not JSON, or holds something that is no mode.
        """
        try:
            document = json.loads(self._path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise ModeCatalogError(f"{self._path} could not be read as JSON. Check the file.") from error
        modes = document.get("modes") if isinstance(document, dict) else None
        if not isinstance(modes, list):
            raise ModeCatalogError(f'{self._path} is not an object with an array "modes". Add it.')
        return tuple(self._read_mode(index, mode) for index, mode in enumerate(modes))

    def _read_mode(self, index: int, mode: object) -> AgentModeSummary:
        if not isinstance(mode, dict):
            raise self._error(index, "is not an object")
        identifier = self._text(index, mode, "id")
        if not _GUID_WITHOUT_HYPHENS.fullmatch(identifier):
            raise self._error(index, "has an id that is not a GUID without hyphens")
        is_default = mode.get("isDefault", False)
        if not isinstance(is_default, bool):
            raise self._error(index, "has an isDefault that is neither true nor false")
        return AgentModeSummary(
            id=identifier,
            key=self._text(index, mode, "key"),
            display_name=self._text(index, mode, "displayName"),
            description=self._text(index, mode, "description"),
            system_prompt_summary=self._text(
                index, {"systemPromptSummary": "", **mode}, "systemPromptSummary"
            ),
            is_default=is_default,
            human_role_hints=self._texts(index, mode, "humanRoleHints"),
            example_utterances=self._texts(index, mode, "exampleUtterances"),
        )

    def _text(self, index: int, mode: Mapping[str, object], member: str) -> str:
        value = mode.get(member)
        if not isinstance(value, str):
            raise self._error(index, f"has no {member}, or one that is not a string")
        return value

    def _texts(self, index: int, mode: Mapping[str, object], member: str) -> Sequence[str] | None:
        values = mode.get(member)
        if values is None:
            return None
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise self._error(index, f"has a {member} that is neither null nor an array of strings")
        return tuple(values)

    def _error(self, index: int, fault: str) -> ModeCatalogError:
        return ModeCatalogError(f"{self._path}: modes[{index}] {fault}. Fix the entry.")


def make_catalog() -> InMemoryModeCatalog:
    """Return a small, typical catalog: a service factory for the conformance suite, and an example."""
    return InMemoryModeCatalog(
        [
            AgentModeSummary(
                id="5f0c7a52d1b34e0f9a6c2b8e7d4f1a03",
                key="general",
                display_name="General",
                description="Everyday questions and tasks that belong to no other mode.",
                system_prompt_summary="Answer briefly and plainly; ask when a request is unclear.",
                is_default=True,
                example_utterances=("What can you help me with?", "Summarise this text for me."),
            ),
            AgentModeSummary(
                id="8b1e64f09c7d4a25b3f8d0e15a92c6d7",
                key="tool_design",
                display_name="Tool design",
                description="Designing agent tools and writing down their contracts.",
                system_prompt_summary="Work from the contract to the code; name the clause that a decision rests on.",
                human_role_hints=("developer", "architect"),
                example_utterances=("Help me to write a new agent tool.",),
            ),
            AgentModeSummary(
                id="c29d3f7be8054b16a47e91d6f0835bc2",
                key="review",
                display_name="Review",
                description="Reading what others wrote and saying what should change.",
                human_role_hints=(),
            ),
        ]
    )
