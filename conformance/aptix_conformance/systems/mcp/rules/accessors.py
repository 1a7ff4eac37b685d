"""Reading the server's messages. Whatever is not of the right form is None or empty here; one rule reports it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

from aptix_conformance.core.model import Call, Declaration, Exploration, ProtocolStimulus, ScarceResource
from aptix_conformance.rules.lib.documents import read
from aptix_conformance.rules.lib.kernel import rule
from aptix_conformance.systems.mcp.facts import HttpAnswer, McpResult, McpTool, Revision

Message = dict[str, Any]
LEGACY: Final = "2025-11-25"
"""The last revision with a handshake, and the only one with tasks in its core."""
MODERN: Final = "2026-07-28"
_BAD_REQUEST: Final = 400
UNREAD_LIST: Final = "tools/list was not read to its end: it has too many pages or tools, or takes too long"
SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"
"""Where a result names the server since 2026-07-28, in its `_meta`."""
server_rule: Final = partial(rule, of=("server",), probes=("server",))
"""As `rule`, for the answers that a server gives to the probe `server`."""


def declared(declaration: Declaration) -> McpTool | None:
    """What only MCP's tools declare."""
    return declaration.facts if isinstance(declaration.facts, McpTool) else None


def is_legacy(declaration: Declaration) -> bool:
    """Whether the server is judged by a revision with a handshake."""
    facts = declared(declaration)
    return facts is not None and facts.revision < MODERN


def is_since(declaration: Declaration, revision: Revision) -> bool:
    """Whether the server is judged by a revision or by a later one."""
    facts = declared(declaration)
    return facts is None or facts.revision >= revision


def is_list_read(declaration: Declaration) -> bool:
    """Whether tools/list was read to its end."""
    facts = declared(declaration)
    return facts is None or not facts.list_fault


def has_tasks(declaration: Declaration) -> bool:
    """Whether the server is judged by the revision that has tasks in its core."""
    facts = declared(declaration)
    return facts is not None and facts.revision == LEGACY


def is_over_http(declaration: Declaration) -> bool:
    """Whether the server was asked over HTTP."""
    facts = declared(declaration)
    return facts is not None and facts.http is not None


def is_over_sse(declaration: Declaration) -> bool:
    """Whether the server was asked over HTTP with SSE."""
    facts = declared(declaration)
    return facts is not None and facts.http is not None and facts.http.is_sse


def over_stdio(declaration: Declaration) -> str | None:
    """The `applies` of a rule on standard output."""
    return "over HTTP standard output is free" if is_over_http(declaration) else None


def over_http(declaration: Declaration) -> str | None:
    """The `applies` of a rule on HTTP."""
    return None if is_over_http(declaration) else "the server was asked over stdio"


def http(call: Call) -> HttpAnswer | None:
    """The HTTP answer to a stimulus; None where there was none to look at."""
    facts = received(call)
    return facts.http if facts else None


def refused_by_status(call: Call) -> bool:
    """Whether a stimulus was answered over HTTP with an error status."""
    answer = http(call)
    return answer is not None and answer.status >= _BAD_REQUEST


def opening(declaration: Declaration) -> Message:
    """The result of `initialize` or `server/discover`."""
    facts = declared(declaration)
    return members(members(read(facts.opening).value).get("result")) if facts else {}


def definition(declaration: Declaration) -> Message:
    """The tool's entry in tools/list."""
    facts = declared(declaration)
    return members(read(facts.definition).value) if facts else {}


def capabilities(declaration: Declaration) -> Message:
    """What the server can do."""
    return members(opening(declaration).get("capabilities"))


def task_support(declaration: Declaration) -> str | None:
    """A tool's execution.taskSupport, `forbidden` where it is absent; None where the server runs no calls as tasks."""
    able = capabilities(declaration).get("tasks")
    for name in ("requests", "tools", "call"):
        able = members(able).get(name)
    support = members(definition(declaration).get("execution")).get("taskSupport", "forbidden")
    return None if able is None else str(support)


def has_output_schema(declaration: Declaration) -> str | None:
    """The `applies` of a rule on the outputSchema."""
    if not is_since(declaration, "2025-06-18"):
        return "the revision has no outputSchema"
    return None if "outputSchema" in definition(declaration) else "the tool has no outputSchema"


def members(value: Any) -> Message:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def received(call: Call) -> McpResult | None:
    """What came back for a stimulus."""
    facts = call.result.facts if call.result else None
    return facts if isinstance(facts, McpResult) else None


def messages(call: Call) -> list[Message]:
    """The messages beside the response, in their order."""
    facts = received(call)
    return [members(read(text).value) for text in facts.others] if facts else []


def response(call: Call) -> Message | None:
    """The response as an object; None where none came."""
    facts = received(call)
    return None if facts is None or facts.message is None else members(read(facts.message).value)


def name_of(call: Call) -> str:
    """The name of a stimulus `wire:NAME`; empty for a call that is none."""
    stimulus = call.plan.disturbance
    return stimulus.name if isinstance(stimulus, ProtocolStimulus) else ""


def is_plain(call: Call) -> bool:
    """A tools/call of the tool under test that was answered, also while something was scarce."""
    disturbance = call.plan.disturbance
    return (disturbance is None or isinstance(disturbance, ScarceResource)) and response(call) is not None


def result(call: Call) -> Message | None:
    """The result of a tools/call that completed; None for an error or another kind of result."""
    value = (response(call) or {}).get("result") if is_plain(call) else None
    if not isinstance(value, dict) or value.get("resultType", "complete") != "complete":
        return None
    return value


def is_success(answer: Message) -> bool:
    """Whether a response to tools/call is a result without `isError`."""
    value = answer.get("result")
    return isinstance(value, dict) and value.get("isError") is not True


def tool_names(answer: Message) -> list[str]:
    """The names in a response to tools/list."""
    tools = members(answer.get("result")).get("tools")
    return [str(members(each).get("name")) for each in tools] if isinstance(tools, list) else []


def has_result(call: Call) -> bool:
    """The call has a complete result."""
    return result(call) is not None


def error(call: Call) -> Message:
    """The member `error` of a response."""
    return members((response(call) or {}).get("error"))


def is_protocol_error(call: Call) -> bool:
    """The response is an error and not a result."""
    answer = response(call)
    return answer is not None and "error" in answer


def blocks(call: Call) -> list[Message]:
    """The blocks of a complete result's content that are objects."""
    content = (result(call) or {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def wire(name: str) -> Callable[[Call], bool]:
    """A predicate: the answered stimulus `wire:NAME`."""
    return lambda call: name_of(call) == name and received(call) is not None


def answered(name: str) -> Callable[[Call], bool]:
    """A predicate: the stimulus `wire:NAME`, with a response."""
    sent = wire(name)
    return lambda call: sent(call) and response(call) is not None


def unanswered_line(call: Call) -> bool:
    """A stimulus to which no response is owed."""
    facts = received(call)
    return facts is not None and facts.message is None


def others(exploration: Exploration) -> Iterator[tuple[Call | None, Message]]:
    """Each message that was no response to the suite's request, with the call that it came with."""
    facts = declared(exploration.declarations[0]) if exploration.declarations else None
    for text in facts.others if facts else ():
        yield None, members(read(text).value)
    for call in exploration.calls:
        received_facts = received(call)
        for text in received_facts.others if received_facts else ():
            yield call, members(read(text).value)
