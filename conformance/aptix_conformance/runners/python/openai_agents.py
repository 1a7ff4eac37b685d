"""Tools of the OpenAI Agents SDK: objects of `FunctionTool`, invoked as a run invokes them."""

import copy
import importlib.metadata
import inspect
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from .codec import dumps
from .foreign import attempt, is_a, safe_str, text_or_none, type_name
from .frameworks import Answer, FrameworkSystem


class System(FrameworkSystem):
    """The OpenAI Agents SDK, in one interpreter."""

    name = "openai-agents"

    def load(self) -> None:
        """See `FrameworkSystem`."""
        import agents  # noqa: PLC0415 - only tools of the SDK need it
        from agents import tool, tool_context  # noqa: PLC0415

        agents.set_tracing_disabled(disabled=True)
        self._tool: type = agents.FunctionTool
        self._helpers = agents.ItemHelpers
        self._context = tool_context.ToolContext
        self._invalid = agents.ModelBehaviorError
        self._tool_file = tool.function_tool.__code__.co_filename
        self._invoke = tool._invoke_function_tool_with_metadata  # noqa: SLF001 - what a run calls: it keeps to the tool's timeout
        self._fixed_text = tool.default_tool_error_function(agents.RunContextWrapper(None), Exception())
        self._handler_of = tool.resolve_function_tool_failure_error_function
        self._set_handler = tool.set_function_tool_failure_error_function

    def library(self) -> str:
        """See `FrameworkSystem`."""
        return f"openai-agents {importlib.metadata.version('openai-agents')}"

    def tool_class(self) -> type:
        """See `FrameworkSystem`."""
        return self._tool

    def held_by(self, value: Any) -> list[Any]:
        """See `FrameworkSystem`: an agent."""
        tools = getattr(value, "tools", ())
        return list(tools) if type(tools) is list else []

    def code_of(self, tool: Any) -> Any:
        """See `FrameworkSystem`."""
        wrapped, _ = attempt(lambda: tool.__wrapped__)
        return inspect.unwrap(wrapped) if callable(wrapped) else tool.on_invoke_tool

    def schema(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        return {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.params_json_schema,
            "strict": tool.strict_json_schema,
        }

    def injected(self, tool: Any) -> dict[str, bool]:  # noqa: ARG002 - the same for all
        """See `FrameworkSystem`: the object that the application gives a run, which a tool finds in its context."""
        return {"context": False}

    def facts(self, tool: Any) -> dict[str, Any]:
        """See `FrameworkSystem`."""
        return {
            "is_async": inspect.iscoroutinefunction(self.code_of(tool)),
            "is_strict": bool(tool.strict_json_schema),
            "has_own_handler": self._has_own_handler(tool),
        }

    async def call(self, tool: Any, arguments: Any, services: Mapping[str, object]) -> Answer:
        """See `FrameworkSystem`. What the tool's failure_error_function answers is a refusal."""
        text = dumps(arguments)
        call: Any = SimpleNamespace(
            call_id="call_1"
        )  # the SDK's own record makes pydantic look at the runner's frames
        context = self._context(
            services.get("context"), tool_name=tool.name, tool_call_id=call.call_id, tool_arguments=text
        )
        failures: list[Exception] = []
        try:
            invoked = await self._invoke(
                function_tool=self._marking(tool, failures), context=context, arguments=text
            )
        except self._invalid as error:  # the tool has no failure_error_function, and the run ends
            if not self._is_refusal(error):
                raise
            return Answer("FunctionCallOutput", safe_str(error), refused=True)
        output, by_default = invoked.output, invoked.is_sdk_generated_error
        # A run holds every output to the tool's schema, but not the SDK's own text for a failure.
        schema = None if by_default else tool.output_json_schema
        adapter = None if by_default else tool._output_type_adapter  # noqa: SLF001 - a run passes it too
        item, fault = attempt(
            lambda: self._helpers.tool_call_output_item(
                call, output, output_json_schema=schema, output_type_adapter=adapter
            )["output"]
        )
        if fault is not None:
            wanted = "" if schema is None else " where output_json_schema wants a JSON object that fits"
            return Answer(type_name(output) + wanted, is_result=False)
        shown = item if is_a(item, str) else dumps(item, default=safe_str)
        return Answer(
            "FunctionCallOutput",
            text_or_none(shown),
            refused=by_default or bool(failures),
            content_type=type_name(output),
            by_framework=by_default and output == self._fixed_text,
        )

    def _has_own_handler(self, tool: Any) -> bool:
        """Whether the tool has a failure_error_function of its author's. The SDK puts no text of an exception beside its own."""
        by_default = tool._use_default_failure_error_function  # noqa: SLF001 - the public function does not part them
        return not by_default and self._handler_of(tool) is not None

    def _marking(self, tool: Any, failures: list[Exception]) -> Any:
        """A copy of a tool whose failures are noted where functions of its author's answer them."""
        marked = copy.copy(tool)
        if self._has_own_handler(tool):
            self._set_handler(marked, _noting(self._handler_of(tool), failures))
        if tool.timeout_error_function is not None:
            marked.timeout_error_function = _noting(tool.timeout_error_function, failures)
        return marked

    def _is_refusal(self, error: BaseException) -> bool:
        """Whether the SDK raised an exception while it read the arguments, before the author's code."""
        frame = error.__traceback__ and error.__traceback__.tb_next  # the first one is the runner's
        while frame is not None and frame.tb_frame.f_code.co_filename == self._tool_file:
            if frame.tb_frame.f_code.co_name == "_prepare_arguments":
                return True
            frame = frame.tb_next
        return False


def _noting(answer: Any, failures: list[Exception]) -> Any:
    """A function that answers an error as `answer` does, and notes the error."""

    async def noting(context: Any, error: Exception) -> Any:
        failures.append(error)
        answered = answer(context, error)
        return await answered if inspect.isawaitable(answered) else answered

    return noting
