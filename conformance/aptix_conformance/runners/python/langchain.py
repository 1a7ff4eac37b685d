"""Tools of LangChain: objects of `BaseTool`, called with a tool call as `ToolNode` calls them."""

import importlib.metadata
import inspect
import json
import re
import sys
import typing
from collections.abc import Mapping
from contextvars import ContextVar
from functools import partial
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final

from .foreign import attempt, is_a, names_in, safe_str, text_or_none, type_name
from .frameworks import Answer, FrameworkSystem
from .signatures import is_required, parameters_of

_NO_PAIR: Final = re.compile(
    r"two-tuple .*generated response is of type: <class '(?:\w+\.)*(\w+)'>", re.DOTALL
)
_Notes = list[tuple[Any, str]]
"""Messages that LangChain made of results without a JSON form, and why they have none."""
_unwritten: ContextVar[_Notes | None] = ContextVar("aptix_conformance_langchain_unwritten", default=None)
_dumps: Final = json.dumps
_CALL_ID: Final = "call_1"
_ALL_MESSAGES: Final = "__remove_all__"
"""The id of a `RemoveMessage` that empties a graph's messages, `REMOVE_ALL_MESSAGES` in langgraph."""


class System(FrameworkSystem):
    """LangChain, in one interpreter."""

    name = "langchain"

    def load(self) -> None:
        """See `FrameworkSystem`."""
        from langchain_core import tools  # noqa: PLC0415 - only tools of LangChain need it
        from langchain_core.messages import RemoveMessage, ToolMessage, convert_to_messages  # noqa: PLC0415
        from langchain_core.messages.tool import ToolOutputMixin  # noqa: PLC0415
        from langchain_core.tools import base  # noqa: PLC0415
        from langchain_core.utils.function_calling import convert_to_openai_tool  # noqa: PLC0415
        from pydantic import ValidationError  # noqa: PLC0415
        from pydantic.v1 import ValidationError as ValidationErrorV1  # noqa: PLC0415

        self._tool: type = tools.BaseTool
        self._is_injected = base._is_injected_arg_type  # noqa: SLF001 - nothing public knows the class `ToolRuntime` is of
        self._call_id = tools.InjectedToolCallId
        self._message, self._output = ToolMessage, ToolOutputMixin
        self._as_messages, self._removal = convert_to_messages, RemoveMessage
        self._convert = convert_to_openai_tool
        self._invalid = (ValidationError, ValidationErrorV1)
        self._reads_arguments = tools.BaseTool._to_args_and_kwargs.__code__  # noqa: SLF001 - where its refusals come from
        _note_unwritten(base)

    def library(self) -> str:
        """See `FrameworkSystem`."""
        return f"langchain-core {importlib.metadata.version('langchain-core')}"

    def tool_class(self) -> type:
        """See `FrameworkSystem`."""
        return self._tool

    def held_by(self, value: Any) -> list[Any]:
        """See `FrameworkSystem`: a `ToolNode`, an agent that has one, or a toolkit."""
        if hasattr(value, "tools_by_name"):
            return list(value.tools_by_name.values())
        if hasattr(value, "get_tools"):
            return list(value.get_tools())
        nodes = getattr(value, "nodes", {})
        return [tool for node in nodes.values() for tool in _in_node(node)]

    def code_of(self, tool: Any) -> Any:
        """See `FrameworkSystem`."""
        for name in ("coroutine", "func"):
            if callable(function := getattr(tool, name, None)):
                return inspect.unwrap(function)
        cls = type(tool)
        return cls._run if cls._arun is self._tool._arun else cls._arun  # type: ignore[attr-defined]  # noqa: SLF001

    def schema(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        converted = self._convert(tool)
        return {"type": "function", **converted["function"]}

    def injected(self, tool: Any) -> dict[str, bool]:
        """See `FrameworkSystem`. The id of the call, which LangChain itself fills in, is left out."""
        code, model = self.code_of(tool), tool.args_schema
        hints: dict[str, Any] = {}
        for each in (model, code):
            hints |= _hints_of(each)
        fields = attempt(lambda: model.model_fields)[0] or {}
        required = {name: field.is_required() for name, field in fields.items()}
        required |= {parameter.name: is_required(parameter) for parameter in parameters_of(code)}
        return {
            name: required[name]
            for name, hint in hints.items()
            if name in required and self._is_injected(hint) and not self._is_injected(hint, self._call_id)
        }

    def facts(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        code = self.code_of(tool)
        return {"is_async": inspect.iscoroutinefunction(code)}

    async def call(self, tool: Any, arguments: Any, services: Mapping[str, object]) -> Answer:
        """See `FrameworkSystem`."""
        call = {"type": "tool_call", "id": _CALL_ID, "name": tool.name, "args": {**arguments, **services}}
        unwritten: _Notes = []
        _unwritten.set(unwritten)
        try:
            message = await tool.ainvoke(call)
        except self._invalid as error:
            if not self._is_refusal(error):
                raise
            return Answer("ToolMessage", text_or_none(str(error)), refused=True)
        except ValueError as error:
            if match := _NO_PAIR.search(str(error)):
                return Answer(match[1], is_result=False)
            raise
        if not is_a(message, self._message):
            kind, is_taken = type_name(message), is_a(message, self._output, list)
            known = [attempt(partial(attrgetter("tool_call_id"), given))[0] for given in services.values()]
            message, is_missing = self._for_the_model(message, (_CALL_ID, *known))
            if message is None:
                kind += " without one ToolMessage for the call" if is_missing else ""
                return Answer(kind, is_result=is_taken and not is_missing)
        content = message.content
        # A tool that this one called left its notes here too.
        why = next((why for made, why in unwritten if made is message), None)
        text, fault = (content, None) if is_a(content, str) else attempt(lambda: _dumps(content))
        if fault is not None:
            text, why = safe_str(content), f"{type_name(content)}: {fault}"
        return Answer(
            "ToolMessage",
            text_or_none(text),
            refused=message.status == "error",
            content_type=type_name(content),
            unserialisable=why,
        )

    def _for_the_model(self, returned: Any, ids: tuple[Any, ...]) -> tuple[Any, bool]:
        """The message with one of `ids` in what a graph takes, a Command or a list; else None, and whether ToolNode demands it."""
        answers, demanded = [], is_a(returned, list)
        for part in returned if is_a(returned, list) else [returned]:
            update, graph = attempt(partial(attrgetter("update", "graph"), part))[0] or (None, "")
            updated = self._messages_in(update)
            messages = [part] if is_a(part, self._message) else updated or []
            # ToolNode lets one update alone without an answer: the one that removes all messages.
            demanded = demanded or (graph is None and updated is not None and not self._removes_all(updated))
            answers += [each for each in messages if is_a(each, self._message) and each.tool_call_id in ids]
        is_enough = len(answers) == 1 if is_a(returned, list) else bool(answers)
        return (answers[0], False) if is_enough else (None, demanded)

    def _messages_in(self, update: Any) -> list[Any] | None:
        """The messages of a graph's update: a list, or a dict with a list. None for one of another form, which ToolNode does not check.

        A dict has them under the key that its ToolNode was made with, which the tool does not know: "messages", or that of the
        first list with a message for the graph.
        """
        given = update
        if type(update) is dict:
            lists = (each for each in update.values() if type(each) is list)
            given = update.get("messages", next(filter(self._holds_messages, lists), []))
        return self._converted(given) if type(given) is list else None

    def _converted(self, given: list[Any]) -> list[Any]:
        """A list of messages in any form that LangChain reads; empty for anything else."""
        return attempt(partial(self._as_messages, given))[0] or []

    def _holds_messages(self, given: list[Any]) -> bool:
        return any(is_a(each, self._message, self._removal) for each in self._converted(given))

    def _removes_all(self, messages: list[Any]) -> bool:
        return len(messages) == 1 and is_a(messages[0], self._removal) and messages[0].id == _ALL_MESSAGES

    def _is_refusal(self, error: BaseException) -> bool:
        """Whether LangChain raised a validation error while it read the arguments, before the author's code."""
        frame = error.__traceback__
        while frame is not None:
            if frame.tb_frame.f_code is self._reads_arguments:
                return True
            if frame.tb_frame.f_code.co_name in ("_run", "_arun"):
                return False
            frame = frame.tb_next
        return False


def _in_node(node: Any) -> list[Any]:
    """The tools of a node of a compiled graph."""
    inner = getattr(node, "bound", node)
    return list(getattr(inner, "tools_by_name", {}).values())


def _hints_of(source: Any) -> dict[str, Any]:
    """The annotations of a function or a class, without those that cannot be resolved."""
    resolved, _ = attempt(lambda: typing.get_type_hints(source, include_extras=True))
    if resolved is not None:
        return dict(resolved)
    written, _ = attempt(lambda: inspect.get_annotations(source))
    names = names_in(sys.modules.get(getattr(source, "__module__", "")))
    hints: dict[str, Any] = {}
    for name, annotation in (written or {}).items():
        one = SimpleNamespace(__annotations__={name: annotation})
        resolved, _ = attempt(lambda one=one: typing.get_type_hints(one, names, include_extras=True))  # type: ignore[misc]
        hints |= resolved or {}
    return hints


def _note_unwritten(base: Any) -> None:
    """Note each message whose content LangChain gives the model as Python shows it, because it has no JSON form."""
    form = base._format_output  # noqa: SLF001 - no public function shows what a tool returned

    def noting(content: Any, *others: Any) -> Any:
        message = form(content, *others)
        notes = _unwritten.get()
        if (
            notes is not None
            and not is_a(content, str)
            and message is not content
            and is_a(message.content, str)
        ):
            _, fault = attempt(lambda: _dumps(content, allow_nan=False))
            if fault is not None:
                notes.append((message, f"{type_name(content)}: {fault}"))
        return message

    base._format_output = noting  # noqa: SLF001
