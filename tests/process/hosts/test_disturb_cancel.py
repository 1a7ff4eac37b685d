"""The disturbance `cancel`: counted suspensions, the moment itself, and what is seen around it."""

import sys

import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import Outcome


@pytest.fixture(scope="module")
def lab(module_bench):
    """Calls a tool whose `execute` is a body, cancelled at some moments, one after the other in one process."""
    bench = module_bench()
    made = []

    def run(body, *moments, before="", **settings):
        name = f"Tool{len(made)}"
        module = f"lab{len(made)}"
        made.append(module)
        bench.write(module, before + bench.tool(name, body))
        host = bench.open(f"{module}:{name}", **settings)
        try:
            calls = [
                host.execute(
                    stimulus("cancel", "x", "{}", None, disturbance=read_disturbance(f"cancel:{moment}"))
                )
                for moment in moments
            ]
        finally:
            host.close()
        return calls

    return run


def payloads(calls):
    return [call.result.payload if call.result else call.raised.type_name for call in calls]


SIX = """
    await asyncio.sleep(0)
    await asyncio.sleep(0.001)
    event = asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    await event.wait()
    await asyncio.to_thread(int)
    async with asyncio.Lock():
        await asyncio.sleep(0)
    await asyncio.gather(asyncio.get_running_loop().run_in_executor(None, int))
    return InvokeResult.create("{}")
"""


def test_six_awaits_are_six_suspensions_by_name(lab):
    (call,) = lab(SIX, "watch")
    assert [place.partition(" at ")[0] for place in call.disturbed.suspensions] == [
        "asyncio.sleep(0)",
        "asyncio.sleep(0.001)",
        "event.wait()",
        "asyncio.to_thread(int)",
        "asyncio.sleep(0)",
        "asyncio.gather(asyncio.get_running_loop().run_in_executor(N…",
    ]
    assert call.disturbed.suspensions[0].endswith(".execute")
    assert ".py:" in call.disturbed.suspensions[0]
    assert call.disturbed.reached
    assert call.succeeded


CHILDREN = """
    async def child():
        await asyncio.sleep(0.001)
    await asyncio.gather(child(), child())
    async with asyncio.TaskGroup() as group:
        group.create_task(child())
    return InvokeResult.create("{}")
"""


def test_children_of_gather_and_task_group_are_seen(lab):
    (call,) = lab(CHILDREN, "watch")
    children = [place for place in call.disturbed.suspensions if place.endswith("child")]
    assert len(children) == 3
    assert len(call.disturbed.suspensions) == 5


STEPS = """
    steps = 0
    for _ in range(4):
        if cancellation_token.is_cancellation_requested:
            break
        steps += 1
        await asyncio.sleep(0)
    return InvokeResult.create(str(steps))
"""


def test_the_token_is_cancelled_at_exactly_the_kth_suspension(lab):
    calls = lab(STEPS, "before", "token:1", "token:2", "token:3", "token:4", "token:5", "watch")
    assert payloads(calls) == ["0", "1", "2", "3", "4", "4", "4"]
    assert [call.disturbed.reached for call in calls] == [True, True, True, True, True, False, True]
    assert calls[0].disturbed.place == "before the call"
    assert calls[3].disturbed.place == calls[3].disturbed.suspensions[2]


DEAF = """
    async def child():
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await asyncio.gather(child(), child())
    return InvokeResult.create("{}")
"""


def test_the_task_of_the_call_is_cancelled_wherever_the_suspension_is(lab):
    calls = lab(DEAF, *(f"task:{number}" for number in range(1, 6)), "task:6")
    assert [call.outcome for call in calls] == [Outcome.RAISED] * 5 + [Outcome.RETURNED]
    assert {call.raised.category for call in calls[:5]} == {"cancelled"}
    assert not calls[5].disturbed.reached


def test_a_swallowed_cancellation_is_seen_to_be(lab):
    body = """
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        pass
    return InvokeResult.create("{}")
    """
    (call,) = lab(body, "task:1")
    assert call.outcome is Outcome.RETURNED
    assert call.disturbed.reached


RACE = """
    async def child():
        await asyncio.sleep(0)
    await asyncio.wait_for(child(), 60)
    return InvokeResult.create("{}")
"""


def test_a_cancellation_that_wait_for_drops_is_not_held_against_the_tool(lab):
    calls = lab(RACE, *(f"task:{number}" for number in range(1, 3)))
    assert all(not call.disturbed.reached for call in calls if call.outcome is Outcome.RETURNED)
    if sys.version_info >= (3, 12):
        assert calls[0].outcome is Outcome.RAISED


def test_a_delay_cancels_what_waits_for_the_token(lab):
    (call,) = lab("await cancellation_token.wait()\nreturn InvokeResult.create('{}')", "delay:0.01")
    assert call.succeeded
    assert call.disturbed.place == "after 0.01 s"
    assert call.token_consultations == 1


def test_a_call_that_never_waits_has_no_suspension(lab):
    (call,) = lab("return InvokeResult.create('{}')", "token:1")
    assert call.disturbed.suspensions == ()
    assert not call.disturbed.reached


# ---- what is left


LEFT = {
    "task": (
        "self.kept = asyncio.create_task(asyncio.sleep(60))",
        "the task sleep at",
    ),
    "thread": (
        "threading.Thread(target=time.sleep, args=(60,), daemon=True, name='counter').start()",
        "the thread counter at",
    ),
    "busy executor": (
        "asyncio.get_running_loop().run_in_executor(None, time.sleep, 2)",
        "the thread asyncio_0 at",
    ),
    "process": (
        "self.kept = await asyncio.create_subprocess_exec(sys.executable, '-c', 'import time; time.sleep(60)')",
        "the process ",
    ),
    "socket": (
        "global kept; kept = socket.socketpair()",
        "a socket to another of this process",
    ),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_goes_on_after_the_call_is_named(lab, what):
    statement, told = LEFT[what]
    (call,) = lab(f"{statement}\nreturn InvokeResult.create('{{}}')", "watch;within=0.05")
    assert call.disturbed.left_running
    assert call.disturbed.left_running[0].startswith(told)
    assert not call.looks, "the runner's own look at the processes that are left is not the tool's"


ENDED = {
    "a task that is about to end": "asyncio.create_task(asyncio.sleep(0.03))",
    "a thread that is about to end": "threading.Thread(target=time.sleep, args=(0.03,)).start()",
    "the idle default executor": "await asyncio.to_thread(int)",
    "a process that has ended": "await (await asyncio.create_subprocess_exec(sys.executable, '-c', '')).wait()",
    "a socket that is closed": "[side.close() for side in socket.socketpair()]",
    "a socket in a cycle": "cycle = [socket.socketpair()]; cycle.append(cycle); del cycle",
    "a task that was cancelled": "asyncio.create_task(asyncio.sleep(60)).cancel()",
}


@pytest.mark.parametrize("what", ENDED)
@pytest.mark.filterwarnings("ignore")
def test_what_has_ended_or_only_waits_for_work_is_not_left(lab, what):
    (call,) = lab(f"{ENDED[what]}\nreturn InvokeResult.create('{{}}')", "watch;within=30")
    assert call.succeeded
    assert call.disturbed.left_running == ()


SERVERS = {
    "unix": "asyncio.start_unix_server(print, path='here.sock')",
    "loop": "asyncio.get_running_loop().create_unix_server(asyncio.Protocol, path='here.sock')",
}
SERVING = """
    server = await ({call})
    try:
        await asyncio.sleep(0.01)
    finally:
        {end}
    return InvokeResult.create("{{}}")
"""
AT_EACH = [f"task:{number};within=0.2" for number in (1, 2)]


@pytest.mark.parametrize("call", SERVERS.values(), ids=SERVERS)
def test_a_server_that_asyncio_loses_is_not_left_by_the_tool(lab, call):
    """Cancelled before the tool has got it, it cannot be closed by anybody; one that it has got is its own."""
    calls = lab(SERVING.format(call=call, end="server.close()"), *AT_EACH, side_effects="contained")
    assert [len(call.disturbed.left_running) for call in calls] == [0, 0]
    kept = lab(SERVING.format(call=call, end="self.logger.kept = server"), *AT_EACH)
    assert [len(call.disturbed.left_running) for call in kept] == [0, 1]


def test_what_an_earlier_call_left_is_not_a_later_ones(lab):
    calls = lab(f"{LEFT['thread'][0]}\nreturn InvokeResult.create('{{}}')", *["watch;within=0.01"] * 2)
    assert [len(call.disturbed.left_running) for call in calls] == [1, 1]


# ---- the loop


def test_a_blocked_loop_is_measured_and_its_stack_is_told(lab):
    body = """
    await asyncio.sleep(0)
    time.sleep(0.4)
    return InvokeResult.create("{}")
    """
    (call,) = lab(body, "watch;block=0.1")
    assert call.disturbed.blocked > 0.1
    assert call.disturbed.blocked_at.endswith(".execute")


def test_waiting_does_not_block_the_loop(lab):
    (call,) = lab("await asyncio.sleep(0.3)\nreturn InvokeResult.create('{}')", "watch;block=0.1")
    assert call.disturbed.blocked < 0.1
    assert call.disturbed.blocked_at == ""


# ---- services


CATALOG = """
class Catalog:
    async def get(self):
        return "answer"
    async def _inner(self):
        return ""
    def plain(self):
        return "plain"

class Frozen:
    __slots__ = ()
    async def get(self):
        return "answer"

"""


def service_tool(bench_tool, body):
    return bench_tool.replace("def __init__(self, logger):", "def __init__(self, logger, catalog):").replace(
        "self.logger = logger", "self.logger, self.catalog = logger, catalog"
    )


@pytest.mark.parametrize("kind", ["Catalog", "Frozen"])
def test_a_service_that_answers_at_once_makes_the_tool_wait_all_the_same(make_bench, kind):
    bench = make_bench()
    body = f"""
    assert isinstance(self.catalog, {kind}) and type(self.catalog).__name__ == "{kind}"
    work = asyncio.ensure_future(self.catalog.get())
    stop = asyncio.ensure_future(cancellation_token.wait())
    await asyncio.wait({{stop, work}}, return_when=asyncio.FIRST_COMPLETED)
    answer = work.result() if work.done() else "cancelled"
    stop.cancel(); work.cancel()
    return InvokeResult.create(json.dumps(answer))
    """
    bench.write("served", CATALOG + service_tool(bench.tool("Served", body), body))
    host = bench.open("served:Served", services={"catalog": f"served:{kind}"})
    watched, cancelled = (
        host.execute(stimulus("cancel", "x", "{}", None, disturbance=read_disturbance(f"cancel:{moment}")))
        for moment in ("watch", "token:2")
    )
    assert watched.result.payload == '"answer"'
    assert cancelled.disturbed.place == watched.disturbed.suspensions[1] == f"{kind}.get()"
    assert cancelled.result.payload == '"cancelled"'


def test_a_service_does_not_wait_in_a_call_that_nobody_watches(make_bench):
    bench = make_bench()
    body = "return InvokeResult.create(json.dumps(await self.catalog.get()))"
    bench.write("served", CATALOG + service_tool(bench.tool("Served", body), body))
    call = bench.open("served:Served", services={"catalog": "served:Catalog"}).execute(bench.plan())
    assert call.result.payload == '"answer"'
    assert call.disturbed is None


# ---- what else may happen


def test_a_tool_that_exits_is_answered_and_its_process_goes_on(lab):
    calls = lab("sys.exit(3)", "watch", "before")
    assert [call.raised.category for call in calls] == ["exit", "exit"]
    assert [call.earlier for call in calls] == [0, 1]


def test_callbacks_that_raise_do_not_keep_the_call_from_ending(lab):
    body = """
    cancellation_token.register(lambda: 1 / 0)
    await asyncio.sleep(0)
    return InvokeResult.create("{}")
    """
    (call,) = lab(body, "token:1")
    assert call.succeeded


def test_a_tool_that_does_not_await_is_answered(lab):
    (call,) = lab("return InvokeResult.create('{}')", "watch")
    assert call.succeeded


def test_many_suspensions_are_counted_to_the_end_and_kept_to_the_thousandth(lab):
    body = """
    for _ in range(1500):
        await asyncio.sleep(0)
    return InvokeResult.create("{}")
    """
    watched, cancelled = lab(body, "watch", "token:1400")
    assert len(watched.disturbed.suspensions) == 1000
    assert cancelled.disturbed.reached
    assert cancelled.disturbed.place.startswith("asyncio.sleep(0)")


def test_a_moment_that_there_is_not_is_refused(lab):
    with pytest.raises(HostError, match="cannot be cancelled"):
        lab("return InvokeResult.create('{}')", "never")


def test_the_event_loop_is_given_back_as_it_was(lab):
    body = """
    factory = asyncio.get_running_loop().get_task_factory()
    return InvokeResult.create(json.dumps(getattr(factory, "func", None) is not None))
    """
    watched, _ = lab(body, "watch", "watch")
    assert watched.result.payload == "true"
