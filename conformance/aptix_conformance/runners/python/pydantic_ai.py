"""Tools of Pydantic AI: objects of `Tool`, called through the tool manager as a run calls them."""

import copy
import importlib.metadata
import inspect
from collections.abc import Mapping
from typing import Any

from .codec import dumps
from .foreign import attempt, is_a, safe_str, text_or_none, type_name
from .frameworks import Answer, FrameworkSystem


class System(FrameworkSystem):
    """Pydantic AI, in one interpreter."""

    name = "pydantic-ai"

    def load(self) -> None:
        """See `FrameworkSystem`."""
        import pydantic_ai  # noqa: PLC0415 - only tools of Pydantic AI need it
        from pydantic_ai import exceptions, messages, tool_manager, usage  # noqa: PLC0415
        from pydantic_ai.models.test import TestModel  # noqa: PLC0415

        self._ai, self._messages = pydantic_ai, messages
        self._retry, self._failed = exceptions.ToolRetryError, exceptions.ToolFailedError
        self._deferred = exceptions.CallDeferred
        self._manager, self._usage, self._model = tool_manager.ToolManager, usage.RunUsage, TestModel

    def library(self) -> str:
        """See `FrameworkSystem`."""
        return f"pydantic-ai-slim {importlib.metadata.version('pydantic-ai-slim')}"

    def tool_class(self) -> type:
        """See `FrameworkSystem`."""
        tool: type = self._ai.Tool
        return tool

    def held_by(self, value: Any) -> list[Any]:
        """See `FrameworkSystem`: a `FunctionToolset`, a toolset around one, or an agent that has some.

        A tool without a timeout has that of its toolset, as in a run.
        """
        inner: list[Any] = []
        toolset_class: type = self._ai.AbstractToolset
        for toolset in value.toolsets if is_a(value, self._ai.Agent) else [value]:
            if is_a(toolset, toolset_class):
                toolset.apply(inner.append)
        tools = []
        for each in inner:
            for tool in each.tools.values() if is_a(each, self._ai.FunctionToolset) else ():
                tool.timeout = each.timeout if tool.timeout is None else tool.timeout
                tools.append(tool)
        return tools

    def code_of(self, tool: Any) -> Any:
        """See `FrameworkSystem`."""
        return inspect.unwrap(tool.function)

    def schema(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        definition = tool.tool_def
        return {
            "type": "function",
            "name": definition.name,
            "description": definition.description or "",
            "parameters": definition.parameters_json_schema,
        }

    def injected(self, tool: Any) -> dict[str, bool]:
        """See `FrameworkSystem`: the dependencies of the run, which a tool finds in its context."""
        return {"deps": False} if tool.takes_ctx else {}

    def facts(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        return {"is_async": inspect.iscoroutinefunction(self.code_of(tool))}

    async def call(self, tool: Any, arguments: Any, services: Mapping[str, object]) -> Answer:
        """See `FrameworkSystem`. A retry prompt and a failed tool return are refusals; an approval is given."""
        offered = copy.copy(tool)  # a toolset writes into its tools
        offered.prepare = None  # it decides by the run whether the tool is offered
        toolset = self._ai.FunctionToolset([offered], max_retries=1)
        context = self._ai.RunContext(deps=services.get("deps"), model=self._model(), usage=self._usage())
        manager = await self._manager(toolset).for_run_step(context)
        call = self._messages.ToolCallPart(tool.name, dumps(arguments), "call_1")
        try:
            returned = await manager.handle_call(call, approved=True)
        except self._retry as error:
            feedback: Any = error.tool_retry
            is_prompt = not is_a(feedback, self._messages.ToolReturnPart)
            text = (
                feedback.model_response() if is_prompt else feedback.model_response_str(wrap_if_error=False)
            )
            return Answer(type_name(feedback), safe_str(text), refused=True)
        except self._failed as error:
            return Answer("ToolReturnPart", safe_str(error.tool_failed.content), refused=True)
        except self._deferred as error:  # the application gives the result, after the run
            return Answer(type_name(error), "deferred")
        return self._answer(tool.name, returned)

    def _answer(self, name: str, returned: Any) -> Answer:
        """What a model's request has of a result. One that cannot be written into a request ends the run."""
        value = returned.return_value if is_a(returned, self._ai.ToolReturn) else returned
        if is_a(value, list) and any(is_a(each, self._ai.ToolReturn) for each in value):
            return Answer("list that holds a ToolReturn", is_result=False)
        part = self._messages.ToolReturnPart(name, value, "call_1")
        text, fault = attempt(part.model_response_str)
        if fault is not None:
            return Answer(f"{type_name(value)} that has no JSON form", is_result=False)
        return Answer("ToolReturnPart", text_or_none(text), content_type=type_name(value))
