"""LCT: what LangChain demands of a tool, and no other contract does. What it shares with others stands in clauses.yaml."""

from collections.abc import Iterator, Mapping
from typing import Final

from aptix_conformance.core.model import Call, Declaration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib import declarations
from aptix_conformance.rules.lib.kernel import Finding, rule

_IN_THE_SCHEMA: Final = ("config", "runtime")
"""Names that stay in the schema, and are replaced in an agent's call."""
_NOT_IN_THE_SCHEMA: Final = ("run_manager", "callbacks")
"""Names that the schema leaves out."""


@rule(
    "LCT001",
    "LCT.2.3",
    differs_by="the argument",
    remedy="Rename the argument. For what an agent's run provides, annotate the parameter with ToolRuntime or RunnableConfig.",
)
def no_argument_has_a_reserved_name(declaration: Declaration) -> Iterator[Finding]:
    """No argument of the model's is named config, runtime, run_manager or callbacks.

    LangChain gives its own values to parameters of these names. The model's value is lost: a call with config raises TypeError,
    run_manager and callbacks are not in the schema, and runtime is replaced by the runtime of the agent. A parameter
    config: RunnableConfig asks for LangChain's value, also where LangChain offers it to the model: it does so for a class without
    args_schema.
    """
    properties = declarations.properties(declaration)
    named = [
        name
        for name in _IN_THE_SCHEMA
        if name in properties and not _asks_for_the_configuration(declaration, name, properties[name])
    ]
    named += [
        each.name
        for each in declaration.execute.parameters
        if each.name in _NOT_IN_THE_SCHEMA and each.required and "callback" not in each.annotation.casefold()
    ]
    for name in named:
        yield Finding(f"The argument {quoted(name)} has a name that LangChain reserves.", cause=name)


def _asks_for_the_configuration(declaration: Declaration, name: str, schema: object) -> bool:
    """Whether a parameter is LangChain's by its annotation, and the schema has what LangChain makes of that: an object."""
    return (
        isinstance(schema, Mapping)
        and schema.get("type") == "object"
        and any(
            each.name == name and each.annotation.rpartition(".")[2] == "RunnableConfig"
            for each in declaration.execute.parameters
        )
    )


@rule(
    "LCT002",
    "LCT.4.2",
    when=lambda call: call.succeeded,
    differs_by="the type of what was returned",
    remedy='Return texts, numbers, lists and dicts: model_dump(mode="json") of a pydantic model, asdict() of a dataclass, '
    "isoformat() of a date, and null for a number that is none.",
)
def structured_result_is_json(call: Call) -> Finding | None:
    """A result that is no text can be written as JSON.

    LangChain writes it as JSON for the model. Where that fails, it gives the model what Python's str makes of the result, such as
    `{'due': datetime.date(2026, 1, 2)}` or `name='Ada' age=36`, without an error. Content blocks it passes on as they are, and a
    request to a model that holds them cannot be written.
    """
    why = call.result.unserialisable if call.result else None
    if not why:
        return None
    kind = why.partition(":")[0]
    return Finding(f"The result has no JSON form ({printable(why, 120)}).", cause=kind)
