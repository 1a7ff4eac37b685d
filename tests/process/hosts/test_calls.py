"""What a call shows: its result, its log records, its output, its use of the token, each bounded and each its own."""

import json

import pytest

from aptix_conformance.core.model import LogRecord, Output, ResultError
from aptix_conformance.hosts import Limits
from aptix_harness import LoggingAdminLogger, LogLevel


@pytest.fixture(scope="module")
def run(module_bench):
    """Calls a tool once with the given body."""
    bench = module_bench()

    def call(body, arguments="{}", context=None):
        module = bench.add("import json\nfrom aptix_harness import InvokeResult\n" + bench.tool("Tool", body))
        host = bench.open(f"{module}:Tool")
        made = host.execute(bench.plan(arguments, context))
        host.close()
        return made

    return call


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("None", ("NoneType", False, None, None)),
        ("'text'", ("str", False, None, None)),
        ("InvokeResult.create('a')", ("InvokeResult", True, True, "a")),
        ("InvokeResult.create(3)", ("InvokeResult", True, True, None)),
        (
            "InvokeResult.create(type('Text', (str,), {'__str__': None})('a'))",
            ("InvokeResult", True, True, "a"),
        ),
        ("InvokeResult(1, 'a')", ("InvokeResult", True, None, "a")),
        ("type('InvokeResult', (), {'successful': True})()", ("InvokeResult", False, None, None)),
    ],
)
def test_a_result_is_recorded_as_it_is(run, value, expected):
    result = run(f"return {value}").result
    assert (result.type_name, result.is_invoke_result, result.successful, result.payload) == expected


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ("[ResultError('m', 'c', 'd')]", (ResultError("m", "c", "d"),)),
        ("['text']", (ResultError("text"),)),
        ("[ResultError(3)]", (ResultError("3"),)),
        ("[Hostile()]", (ResultError(None),)),
        (
            "[ResultError(Hostile())]",
            (ResultError("<Hostile that raises ZeroDivisionError when it is shown>"),),
        ),
        ("None", ()),
        ("iter(lambda: 'x', None)", (ResultError("x"),) * 100),
    ],
)
def test_errors_of_a_result_may_be_anything(run, errors, expected):
    result = run(f"""
        from aptix_harness import ResultError
        class Hostile:
            def __getattr__(self, name): 1 / 0
            def __str__(self): 1 / 0
            __repr__ = __str__
        return InvokeResult(False, None, {errors})
    """).result
    assert result.errors == expected


def test_context_arrives_as_the_contracts_types(run):
    body = """
        return InvokeResult.create(json.dumps([
            context.session_id, context.request.conversation_id, context.request.session_id,
            context.user.text, context.org, type(context).__name__,
        ]))
    """
    context = {
        "session_id": "s\ud800",
        "request": {"conversation_id": "c"},
        "user": {"id": "1", "text": "U"},
    }
    assert json.loads(run(body, context=context).result.payload) == [
        "s\ud800",
        "c",
        None,
        "U",
        None,
        "AgentToolExecutionContext",
    ]
    assert run("return InvokeResult.create(str(context))").result.payload == "None"


@pytest.mark.parametrize(
    "said",
    [
        'add_exception(ValueError("v"))',
        'add_exception("[T]", error=ValueError("v"))',
        'add_error("[T]")',
        'add_error("[T]", "m", pairs=[])',
        'add_custom_event(LogLevel.ERROR, "[T]", "m")',
        'add_custom_event(LogLevel.ERROR, "[T]", "m", ("a", "b"), ("c", "d"))',
        "trace()",
        'trace("m", level="x")',
    ],
)
def test_a_log_call_that_the_contracts_logger_does_not_take_raises(run, said):
    body = f"from aptix_harness import LogLevel; self.logger.{said}"
    raised = run(body).raised
    assert raised.type_name == "TypeError"
    logger = LoggingAdminLogger()
    with pytest.raises(TypeError):
        eval(f"logger.{said}", {"logger": logger, "LogLevel": LogLevel})


def test_log_records_are_taken_whatever_is_given(run):
    logs = run("""
        class Hostile(Exception):
            def __str__(self): raise KeyError
            __repr__ = __str__
        from aptix_harness import LogLevel
        self.logger.add_exception("[T]", ValueError("v"), ("a", "b"))
        self.logger.add_exception(tag="[T]", exception=Hostile())
        self.logger.add_error("[T]", "m\\ud800", ("a", 1))
        self.logger.add_custom_event(LogLevel.ERROR, "[T]", "m", [("a", "b"), ("c", "d")])
        self.logger.add_custom_event("x", "[T]", "m", {"a": "b"})
        self.logger.add_custom_event("x", "[T]", "m", pairs=[["a", "b"]])
        self.logger.add_custom_event("x", "[T]", "m", None)
        self.logger.trace(Hostile())
        self.logger.trace("x" * 100_000)
    """).logs
    assert logs[:6] == (
        LogRecord("add_exception", "[T]", "v", exception_type="ValueError", pairs=(("a", "b"),)),
        LogRecord(
            "add_exception",
            "[T]",
            "<Hostile that raises KeyError when it is shown>",
            exception_type="Hostile",
        ),
        LogRecord("add_error", "[T]", "m\ud800", pairs_fault="item 0 is a tuple of 2, not a pair of strings"),
        LogRecord("add_custom_event", "[T]", "m", "error", pairs=(("a", "b"), ("c", "d"))),
        LogRecord(
            "add_custom_event",
            "[T]",
            "m",
            "x",
            pairs_fault="a dict was given, not a sequence of pairs of strings",
        ),
        LogRecord("add_custom_event", "[T]", "m", "x", pairs_fault="item 0 is a list, not a pair of strings"),
    )
    assert logs[6].pairs_fault == "a NoneType was given, not a sequence of pairs of strings"
    assert [len(entry.message) for entry in logs[8:]] == [8192]


def test_log_records_are_bounded_in_number(run):
    made = run("for n in range(5000): self.logger.trace(str(n))\nreturn InvokeResult.create('1')")
    assert [entry.message for entry in made.logs] == [str(n) for n in range(1000)]


def test_uses_of_the_token_are_counted(run):
    body = "[cancellation_token.is_cancellation_requested for _ in range(3)]\ncancellation_token.register(print)\n"
    assert run(body + "return InvokeResult.create('1')").token_consultations == 4
    assert run(body + "raise ValueError").token_consultations == 4


def test_output_goes_to_the_call_that_made_it(make_bench):
    bench = make_bench(limits=Limits(kept_output=10))
    body = """
        print("import threading", file=sys.stderr) if arguments_json == "err" else None
        os.write(1, b"raw\\xff") if arguments_json == "raw" else None
        print(arguments_json, end="")
        return InvokeResult.create("1")
    """
    bench.write("tools", "print('at import')\n" + bench.tool("Tool", body))
    host = bench.open("tools:Tool")
    made = [host.execute(bench.plan(text)) for text in ("one", "", "err", "0123456789abc", "raw")]
    assert [call.stdout for call in made] == [
        Output("one", 3),
        Output("", 0),
        Output("err", 3),
        Output("0123456789", 13),
        Output("raw\\xffraw", 7),
    ]
    assert [call.stderr for call in made] == [
        Output(),
        Output(),
        Output("import thr", 17),
        Output(),
        Output(),
    ]


def test_a_huge_exception_is_cut(run):
    raised = run("raise ValueError('x' * 10_000_000)").raised
    assert len(raised.message) == len(raised.traceback) == 65_536


def test_an_exception_may_be_as_hostile_as_it_likes(run):
    raised = run("""
        class Hostile(Exception):
            def __str__(self): raise SystemExit
            __repr__ = __str__
            def __getattribute__(self, name): raise SystemExit
        raise Hostile
    """).raised
    assert (raised.type_name, raised.category) == ("Hostile", "exception")
    assert "raises SystemExit when it is shown" in raised.message


def test_a_call_that_is_not_async_is_made_all_the_same(bench):
    bench.write("tools", bench.tool("Tool", "return InvokeResult.create('1')").replace("async def", "def"))
    assert bench.call("tools:Tool").succeeded
