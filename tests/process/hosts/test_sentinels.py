"""A tool that rewrites the host it runs in is found out by the suite's own tools; one that changes its own things is not."""

import pytest

from aptix_conformance.core.model import Call, Outcome
from aptix_conformance.hosts import sentinels

HOST = """
def host():
    frame = sys._getframe()
    while "ToolServer" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals
"""
DONE = "; return InvokeResult.create('{}')"

TAMPERING = {
    "makes failures successes": (
        "InvokeResult.from_error = staticmethod(lambda *_, **__: InvokeResult.create('{}'))" + DONE,
        "fails with a known message came back with a successful result",
    ),
    "makes successes of its own": (
        "real = InvokeResult.create; InvokeResult.create = staticmethod(lambda _: real('{}'))" + DONE,
        "succeeds with a known text",
    ),
    "drops log records": (
        "type(self.logger)._write = lambda *_, **__: None" + DONE,
        "succeeds with a known text",
    ),
    "hides exceptions": (
        """
        space = host()
        real = space["execute"]
        async def execute(*args, **more):
            answer = await real(*args, **more)
            if answer["outcome"] == "raised":
                answer = {"outcome": "returned", "result": space["ToolFactory"].read(None, None, InvokeResult.from_error("no"))}
            return answer
        space["execute"] = execute
        return InvokeResult.create("{}")
        """,
        "raises a known exception came back with a failed result",
    ),
    "breaks off what hangs": (
        """
        space = host()
        real = space["execute"]
        async def execute(*args, **more):
            try:
                return await asyncio.wait_for(real(*args, **more), 0.01)
            except TimeoutError:
                return {"outcome": "returned", "result": space["ToolFactory"].read(None, None, InvokeResult.from_error("late"))}
        space["execute"] = execute
        return InvokeResult.create("{}")
        """,
        "never returns came back",
    ),
}

HONEST = {
    "patches json": "json.dumps = json.loads = json.JSONEncoder.encode = None" + DONE,
    "hooks imports": "sys.meta_path.insert(0, type('Finder', (), {'find_spec': lambda *_: None})())" + DONE,
    "replaces __import__": """
        import builtins
        def refuse(*_, **__): raise ImportError
        builtins.__import__ = refuse
        return InvokeResult.create("{}")
    """,
    "replaces the harness": "sys.modules['aptix_harness'] = None; sys.modules['asyncio'] = None" + DONE,
    "replaces the hooks": "sys.excepthook = threading.excepthook = sys.unraisablehook = None" + DONE,
    "owns __main__": "sys.modules['__main__'].execute = sys.modules['__main__'].read_result = None" + DONE,
    "sets its own limits": "sys.setrecursionlimit(100000); sys.setswitchinterval(1)" + DONE,
    "leaves a task": "asyncio.get_running_loop().create_task(asyncio.sleep(9))" + DONE,
}


@pytest.fixture(scope="module")
def bench(module_bench):
    bench = module_bench()
    tampering = (body for body, _ in TAMPERING.values())
    for prefix, bodies in (("T", tampering), ("H", HONEST.values())):
        for number, body in enumerate(bodies):
            bench.write(f"sentinel_modules.{prefix}{number}", HOST + bench.tool("Tool", body))
    bench.write(
        "sentinel_modules.late", bench.tool("Tool", "threading.Timer(0.02, os._exit, (3,)).start()" + DONE)
    )
    bench.write("sentinel_modules.good", bench.tool("Tool", "return InvokeResult.create('{}')"))
    return bench


def checked(bench, module):
    """What the sentinels say after a call, and what they say in the end."""
    host = bench.open(f"{module}:Tool")
    assert host.check_sentinels() is None
    assert host.execute(bench.plan()).outcome is Outcome.RETURNED
    found = host.check_sentinels(), host.check_sentinels(last=True)
    assert host.describe().tool_name.value == "tool"
    host.close()
    return found


@pytest.mark.parametrize("name", TAMPERING)
def test_a_tool_that_rewrites_its_host_is_found_out(bench, name):
    """By what comes back, or does not, from tools that are known."""
    found = checked(bench, f"sentinel_modules.T{list(TAMPERING).index(name)}")
    assert any(TAMPERING[name][1] in (text or "") for text in found), found


@pytest.mark.parametrize("name", HONEST)
def test_what_a_tool_changes_for_itself_is_no_tampering(bench, name):
    """The host has taken what it needs before, so nothing of it is changed."""
    assert checked(bench, f"sentinel_modules.H{list(HONEST).index(name)}") == (None, None)


def test_a_process_that_ends_in_a_sentinel_has_not_changed_its_host(bench):
    """Something that a call left behind ended it, whenever that was: the sentinel's call says how."""
    host = bench.open("sentinel_modules.late:Tool")
    assert host.execute(bench.plan()).outcome is Outcome.RETURNED
    found = None
    while found is None:
        found = host.check_sentinels()
    assert (found.outcome, found.incident, found.earlier) == (Outcome.CRASHED, "exit status 3", 1)


def test_sentinels_are_no_calls_of_the_tool(bench):
    """The count of calls that a process has served is the tool's."""
    host = bench.open("sentinel_modules.good:Tool")
    host.execute(bench.plan())
    host.check_sentinels()
    assert host.execute(bench.plan()).earlier == 1
    host.check_sentinels(last=True)
    assert host.execute(bench.plan()).earlier == 0
    host.close()


def test_no_process_is_started_only_to_call_sentinels_in_it(bench, monkeypatch):
    """No call of the tool could have changed it. The last check makes sure that a process is seen."""
    host = bench.open("sentinel_modules.good:Tool")
    host.reset()
    started = []
    start = bench.pool.start
    monkeypatch.setattr(bench.pool, "start", lambda *args: started.append(args) or start(*args))
    assert host.check_sentinels() is None
    assert not started
    assert host.check_sentinels(last=True) is None
    assert len(started) == 1
    host.close()


def test_no_two_sentinels_are_sent_the_same():
    """What is sent cannot be foreseen, nor what must come back."""
    assert len({sentinels.plan("raises", None).arguments for _ in range(100)}) == 100


@pytest.mark.parametrize("kind", sentinels.KINDS)
def test_a_sentinel_that_crashed_is_wrong_whatever_it_was_for(kind):
    """The process that it ran in was the tool's to end."""
    call = Call(sentinels.plan(kind, None), Outcome.CRASHED, 0.0, incident="exit status 3")
    assert "came back as crashed (exit status 3)" in (sentinels.fault(call) or "")
