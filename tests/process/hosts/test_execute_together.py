"""Several calls at the same time: they interleave, and each keeps what is its own."""

import json

import pytest

from aptix_conformance.core.errors import HostError
from aptix_conformance.core.model import Change, Kind, Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts import Limits


def plans(bench, count):
    return [
        replace(
            bench.plan(json.dumps({"n": n})),
            change=Change(Kind.TOGETHER, detail="many", number=n, count=count),
        )
        for n in range(count)
    ]


def test_calls_begin_before_any_of_them_ends(bench):
    bench.write(
        "meeting",
        "inside = []\n"
        + bench.tool(
            "Meeting",
            """
        inside.append(arguments_json)
        await asyncio.sleep(0)
        return InvokeResult.create(json.dumps(len(inside)))
    """,
        ),
    )
    calls = bench.open("meeting:Meeting").execute_together(plans(bench, 50))
    assert [call.result.payload for call in calls] == ["50"] * 50
    assert [call.plan.label for call in calls] == [f"together:50:many-{n}" for n in range(50)]
    assert [call.earlier for call in calls] == list(range(50))


def test_logs_and_exceptions_belong_to_their_calls_and_output_to_the_first(bench):
    bench.write(
        "logging_tool",
        bench.tool(
            "Logging",
            """
        self.logger.trace(arguments_json)
        print("hello")
        if json.loads(arguments_json)["n"] == 1:
            raise KeyError("n")
        return InvokeResult.create("{}")
    """,
        ),
    )
    first, second, third = bench.open("logging_tool:Logging").execute_together(plans(bench, 3))
    assert [call.logs[0].message for call in (first, second, third)] == ['{"n": 0}', '{"n": 1}', '{"n": 2}']
    assert (first.succeeded, second.outcome, third.succeeded) == (True, Outcome.RAISED, True)
    assert (first.stdout.total_bytes, second.stdout.total_bytes) == (18, 0)


@pytest.mark.parametrize(
    ("body", "outcome"),
    [("await asyncio.Event().wait()", Outcome.TIMED_OUT), ("os._exit(3)", Outcome.CRASHED)],
)
def test_calls_that_end_the_process_or_never_come_back_end_together(make_bench, body, outcome):
    bench = make_bench(limits=Limits(timeout=0.2, start=5.0))
    bench.write(
        "lost", bench.tool("Lost", f'if "1" in arguments_json:\n    {body}\nreturn InvokeResult.create("1")')
    )
    host = bench.open("lost:Lost")
    assert {call.outcome for call in host.execute_together(plans(bench, 2))} == {outcome}
    assert host.execute(bench.plan("0")).succeeded


def test_a_tool_that_never_suspends_gets_the_time_that_its_calls_took_alone(make_bench):
    """They run one after the other: twelve take longer than the three timeouts that calls at the same time get."""
    bench = make_bench(limits=Limits(timeout=0.3, start=5.0))
    bench.write("blocking", bench.tool("Blocking", 'time.sleep(0.1)\nreturn InvokeResult.create("1")'))
    host = bench.open("blocking:Blocking")
    alone = bench.plan()
    assert host.execute(alone).succeeded
    assert all(call.succeeded for call in host.execute_together([alone] * 12))


def test_a_task_that_is_cancelled_or_exits_takes_no_other_call_with_it_unanswered(bench):
    bench.write(
        "leaving",
        bench.tool(
            "Leaving",
            """
        if "1" in arguments_json:
            asyncio.current_task().cancel()
        await asyncio.sleep(0)
        return InvokeResult.create("{}")
    """,
        ),
    )
    first, second = bench.open("leaving:Leaving").execute_together(plans(bench, 2))
    assert first.succeeded
    assert second.raised.category == "cancelled"


def test_a_tool_that_is_only_read_is_not_called(bench):
    bench.write("harmful", bench.tool("Harmful", "return None"))
    with pytest.raises(HostError, match="destructive"):
        bench.open("harmful:Harmful", side_effects="destructive").execute_together(plans(bench, 2))


@pytest.mark.parametrize(("lock", "loses"), [("contextlib.nullcontext()", True), ("threading.Lock()", False)])
def test_threads_have_read_their_file_before_one_of_them_writes_it_or_a_lock_keeps_them_from_it(
    bench, lock, loses
):
    """Whether an update is lost is no chance, though reading and writing take microseconds."""
    bench.write(
        "updating",
        f"import contextlib, pathlib, threading\nlock = {lock}\n"
        + bench.tool(
            "Updating",
            """
        def update():
            with lock:
                file = pathlib.Path("numbers.txt")
                text = file.read_text() if file.exists() else ""
                file.write_text(text + arguments_json)
        await asyncio.to_thread(update)
        return InvokeResult.create("{}")
    """,
        ),
    )
    host = bench.open("updating:Updating")
    assert all(call.succeeded for call in host.execute_together(plans(bench, 8)))
    closing = replace(bench.plan("{}"), probe="at-once", change=Change(Kind.SAME, detail="closing"))
    ((path, text),) = host.execute(closing).files
    assert path == "numbers.txt"
    assert (text.count("n") < 8) is loses
