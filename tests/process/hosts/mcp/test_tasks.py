"""The host of MCP servers follows tasks, and declines what a tool asks of its client."""

import json

import pytest
from tests.process.hosts.mcp.servers import COMMAND, note, opened, wire

from aptix_conformance.core.model import Outcome
from aptix_conformance.targets import Target, ToolSettings

LEGACY_TASKS = """
def answer(method, params):
    if method == "tools/list":
        return {"tools": [{**TOOL, "execution": {"taskSupport": "required"}}]}
    if method == "tools/call":
        return {"task": {"taskId": "1"}} if "task" in params else %s
    return known.get(method)
"""


def test_a_plain_call_and_a_task_are_made_by_turns_as_long_as_their_answers_are_of_different_forms(bench):
    facts = opened(bench(LEGACY_TASKS % "call(params['arguments'])")).execute(wire("as-task")).result.facts
    results = [json.loads(text)["result"] for text in (*facts.others, facts.message)]
    assert ["task" in result for result in results] == [True, *[False, True] * 3]


def test_a_tool_that_is_called_as_a_task_only_says_nothing_of_arguments_by_refusing_a_plain_call(bench):
    host = opened(bench(LEGACY_TASKS % "None"))
    assert host.execute(note("")).result.successful is None
    assert host.execute(wire("as-task")).result.facts.message


TASKS = """
import itertools, random
LEGACY["capabilities"]["tasks"] = {"cancel": {}, "requests": {"tools": {"call": {}}}}
TOOL["execution"] = {"taskSupport": "optional"}
numbers, looks, states = itertools.count(1), {}, {}
MEMBERS = {"createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": 60000}
looked_at, steps = 1, ("completed",)

def state(number):
    return {"taskId": number, "status": states[number], **MEMBERS}

def begun():
    number = str(next(numbers))
    looks[number], states[number] = 0, "working"
    return {"task": state(number)}

def looked(number):
    looks[number] += 1
    if states[number] == "working" and looks[number] > looked_at:
        states[number] = steps[0]
    return state(number)

def ended(number):
    states[number] = "completed"
    return call("done")

def cancelled(number):
    if states[number] == "completed":
        return None
    states[number] = "cancelled"
    return state(number)

def answer(method, params):
    if method == "tools/list":
        return listed
    if method == "tools/call":
        return begun() if "task" in params else call("done")
    if method.startswith("tasks/"):
        of = {"get": looked, "result": ended, "cancel": cancelled}[method.removeprefix("tasks/")]
        return of(params["taskId"]) if params["taskId"] in states else None
    return known.get(method)

"""


def of_tasks(pool, name="task", tool="echo", timeout=0.5):
    target = Target(f"mcp:{COMMAND}#{tool}".rstrip("#"), "mcp", COMMAND, tool)
    return pool.open(target, ToolSettings(timeout=timeout)).execute(wire(name))


def followed(observed):
    """What was asked about each task, in its order; plain calls are those about the task 0."""
    steps = observed.result.facts.steps
    return {number: [step.asked for step in steps if step.task == number] for number in (0, 1, 2, 3)}


def test_a_task_is_followed_to_its_end_another_is_waited_for_and_a_third_is_cancelled(bench):
    observed = of_tasks(bench(TASKS), timeout=5.0)
    assert observed.outcome is Outcome.RETURNED
    assert json.loads(observed.result.facts.message)["result"]["task"]["taskId"] == "1"
    assert followed(observed) == {
        0: ["call"] * 3,
        1: ["create", "get", "get", "result", "get", "cancel", "get"],
        2: ["create", "result", "get"],
        3: ["create", "cancel", "get", "get"],
    }


@pytest.mark.parametrize(
    ("changes", "asked"),
    [
        ("steps = ('working',)", ["create", "get+", "cancel", "get", "get"]),
        (
            "MEMBERS['pollInterval'] = 31_536_000_000; steps = ('working',)",
            ["create", "get", "get", "cancel", "get", "get"],
        ),
        ("steps = ('input_required',)", ["create", "get", "get"]),
        ("steps = ('done',)", ["create", "get", "get"]),
        ("steps = ([],)", ["create", "get", "get"]),
        ("MEMBERS['ttl'] = 0", ["create"]),
        ("MEMBERS['taskId'] = 5", ["create"]),
        ("MEMBERS['taskId'] = 'x' * 2**20", []),
        ("MEMBERS['statusMessage'] = 'x' * 2**20", []),
        ("begun = lambda: {'task': []}", ["create"]),
        ("begun = lambda: None", ["create"]),
        ("looked = lambda number: time.sleep(1)", ["create", "get"]),
    ],
)
def test_a_hostile_task_is_left_alone_in_time(bench, changes, asked):
    """What is asked is asked within the time of a call, and no call counts as hanging."""
    observed = of_tasks(bench(TASKS + changes))
    assert observed.outcome is Outcome.RETURNED
    found = followed(observed)
    looks = found[1].count("get") - 2
    assert found[1] == [each for word in asked for each in (["get"] * looks if word == "get+" else [word])]
    assert found[2] == found[3] == []


@pytest.mark.parametrize("interval", ["-1", "0", "'soon'", "None", "float('nan')", "10**400", "True"])
def test_a_time_between_two_looks_that_is_none_is_passed_over(bench, interval):
    observed = of_tasks(bench(f"{TASKS}MEMBERS['pollInterval'] = {interval}"))
    assert followed(observed)[1][:3] == ["create", "get", "get"]


def test_a_result_that_is_refused_before_the_end_is_asked_for_once_more(bench):
    impatient = (
        "ended = lambda number: call('done') if states[number] == 'completed' else None; looked_at = 0"
    )
    assert followed(of_tasks(bench(TASKS + impatient)))[2] == ["create", "result", "get", "result"]


def test_a_silence_about_a_task_is_a_step_without_an_answer_and_the_last(bench):
    silent = "ended = lambda number: time.sleep(1)"
    observed = of_tasks(bench(TASKS + silent))
    assert followed(observed)[1] == ["create", "get", "get", "result"]
    assert observed.result.facts.steps[-1].message == ""


def test_a_server_is_asked_about_a_task_that_there_is_not(bench):
    observed = of_tasks(bench(TASKS), "unknown-task", tool="")
    assert [json.loads(step.message)["error"]["code"] for step in observed.result.facts.steps] == [-32601] * 3
    assert followed(observed)[0] == ["get", "result", "cancel"]


ENDS_LATER = """
import threading
def cancelled(number):
    states[number] = "cancelled"
    threading.Timer(0.1, lambda: os._exit(4)).start()
    return state(number)
"""


def test_a_server_that_ends_of_a_cancellation_is_seen_for_the_server_alone(bench):
    pool = bench(TASKS + ENDS_LATER)
    of_server, of_tool = (
        of_tasks(pool, name, tool) for name, tool in (("cancelled-task", ""), ("task", "echo"))
    )
    assert of_server.result.facts.ended == "the server ended with exit status 4"
    assert followed(of_server)[1][:2] == ["create", "cancel"]
    assert of_tool.outcome is Outcome.RETURNED
    assert of_tool.result.facts.ended == ""
    assert followed(of_tool)[3][:2] == ["create", "cancel"]


ASKING = """
known = {"server/discover": MODERN}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

def answer(method, params):
    if method == "tools/list":
        return listed
    if method != "tools/call":
        return known.get(method)
    if not params["_meta"][CAPABILITIES]:
        return %s
    if "inputResponses" in params:
        return call([params["requestState"], params["inputResponses"]])
    return {"resultType": "input_required", "requestState": "a9-b", "inputRequests": {"name": {"method": "elicitation/create"}}}
"""


def test_a_tool_that_asks_is_declined_and_gets_its_state_as_it_was_and_changed(bench):
    facts = opened(bench(ASKING % "call('plain')")).execute(wire("asking")).result.facts
    assert json.loads(facts.message)["result"]["resultType"] == "input_required"
    texts = [json.loads(text)["result"]["content"][0]["text"] for text in facts.others]
    declined = {"name": {"action": "decline"}}
    states = ["a9-b", "a9-b", "a0-b", "a9-"]
    assert [json.loads(text) for text in texts] == ["plain", *([state, declined] for state in states)]


NEEDING = """
def write(message):
    error = {"error": {"code": -32021, "message": "no"}} if "error" in message else {}
    os.write(1, json.dumps({"jsonrpc": "2.0", **message, **error}).encode() + b"\\n")
"""


def test_a_tool_that_needs_a_client_it_can_ask_says_nothing_of_arguments(bench):
    host = opened(bench(ASKING % "None" + NEEDING))
    assert host.execute(note("")).result.successful is None
