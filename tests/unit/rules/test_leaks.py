"""Leak detection: what it must find in error texts, and the honest texts in which it must find nothing."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import canaries
from aptix_conformance.rules.lib import leaks
from aptix_conformance.systems.art.facts import ArtResult
from aptix_conformance.systems.mcp.facts import McpResult

LEAKS = [
    'Traceback (most recent call last):\n  File "tool.py", line 3, in execute\n    x\nKeyError: 1',
    'failed: File "/srv/aptix/tool.py", line 12, in execute',
    r"{\"trace\": \"Traceback (most recent call last):\n  File \\\"x.py\\\", line 1\"}",
    "System.NullReferenceException: Object reference not set to an instance of an object.",
    "Oops\n   at Aptix.Tools.GreeterTool.ExecuteAsync(String argumentsJson)",
    r"at Aptix.Tools.GreeterTool.ExecuteAsync(String a) in C:\src\GreeterTool.cs:line 42",
    "at Aptix.Tools.GreeterTool.Greet (System.String name) [0x00012] in <5a3f0c1d2e>:0",
    "--- End of stack trace from previous location ---",
    "Newtonsoft.Json.JsonReaderException: Unexpected character",
    "TypeError: x is undefined\n    at greet (tool.js:1:2)",
    "    at async Greeter.execute (file:///srv/tools/greeter.mjs:10:5)",
    "Error\n    at /opt/app/greeter.js:10:5",
    "    at node:internal/process/task_queues:95:5",
    "at com.aptix.Tool.run(Tool.java:12)",
    "could not import /opt/venv/lib/python3.11/site-packages/requests/api",
    "no such module: /srv/aptix/tools/greeter.py",
    "see file:///srv/aptix/tools/greeter.py",
    r"compiled from C:\src\aptix\Greeter.cs",
    r"compiled from D:\new\tools\Greeter.py",
    "Cannot find module '/work/greeter/words.mjs' imported from /work/greeter/greeter.mjs",
    "Cannot find package 'words' imported from /work/greeter/greeter.mjs",
    "raised in greeter.py:42",
    "raised in Greeter.cs:line 42",
    "bad value <Greeter object at 0x7f3a5c0d1e20>",
    "bad value <function greet at 0x7f3a5c0d1e20>",
    "cannot write /tmp/aptix-scratch-1234/out.txt",
    "[Errno 2] No such file or directory: '/home/ada/orders/2024.json'",
    r"[WinError 3] The system cannot find the path specified: 'D:\\orders\\2024.json'",
    "The orders: ENOENT: no such file or directory, open '/mnt/orders/2024.json'",
    "Could not find file '/mnt/orders/2024.json'.",
    "Access to the path '/mnt/orders' is denied.",
]

HONEST = [
    "name is missing.",
    "An Exception to this rule: names may have digits. See Traceback, the album.",
    "Traceback analysis is not available for this city.",
    "Expecting value: line 1 column 1 (char 0)",
    "Der Name fehlt. Bitte geben Sie Vor- und Nachnamen an (höchstens 80 Zeichen).",
    "Die Ausnahme in Zeile 3, Spalte 7: unerwartetes Zeichen.",
    "order 1b4e28ba-2fa1-11d2-883f-0016d3cca427 was not found",
    "order 9f86d081884c7d659a2feaa0c55ad015 was not found",
    "/home/ada/notes/shopping list.txt does not exist",
    r"C:\Users\ada\Documents\letter.docx does not exist",
    "ENOENT: no such file or directory, open 'orders.json'",
    "Could not find file 'letter.docx'.",
    "Look at math.sqrt() for how to do this.",
    "The meeting is at Cafe.Central (Room 3).",
    "The route /static/js/app.js is not served.",
    "https://cdn.example.com/lib/app.js could not be fetched",
    "Cannot find module 'words' in your list of modules.",
    "https://example.com/a/b.py could not be fetched",
    "use page size 0x10 or 16",
    "The colour at 0xFF00FF is unknown.",
    "left must be a number; got text",
    "Meet at noon (12:30:00) or at 3 (15:00:00).",
    "The file report.pdf:12 has no page 12",
    "ratio 3:4:5 is no ratio of two",
    "System.Text is a name of a library; Exception handling is a chapter.",
    "Use File, then line 3 of the menu.",
    "node_modules is a folder name, site-packages too",
    "10:15:00 at Berlin Hbf (tief)",
    "数値が必要です。例外: 空の文字列",
    "division by zero: right must not be 0",
    "'city' is required and is 'Oslo' or 'Rome'",
]


def failed(message, **changes):
    return b.call(result=b.failure(message), **changes)


@pytest.mark.parametrize("text", LEAKS)
def test_internals_are_found(text):
    assert leaks.internals(failed(text))
    assert leaks.internals(b.call(result=b.failure("failed", details=text)))


@pytest.mark.parametrize("text", HONEST)
def test_honest_texts_are_left_alone(text):
    seen = failed(text)
    assert leaks.internals(seen) is None
    assert leaks.exception_words(seen) is None
    assert leaks.secrets(seen, [text]) is None


@pytest.mark.parametrize("text", LEAKS)
def test_what_the_caller_sent_is_no_leak_when_it_comes_back(text):
    arguments = json.dumps({"name": text})
    assert leaks.internals(failed(f"unknown name: {text}", arguments=arguments)) is None
    assert leaks.internals(failed(f"unknown name: {text!r}", arguments=arguments)) is None
    assert leaks.internals(failed(f"no JSON: {text}", arguments=text)) is None
    context = {"session_id": text, "request": None}
    assert leaks.internals(failed(f"unknown session: {text}", context=context)) is None


SOURCE = json.dumps({"source": "def f(:\n  pass\n", "file": "/home/ada/plan.py"})


@pytest.mark.parametrize(
    "text",
    [
        'The source does not parse. File "input.py", line 1: invalid syntax.',
        "snippet.py:3: the code does not parse.",
        'File "<unknown>", line 4: something is missing at the end.',
        'File "/home/ada/plan.py", line 2: invalid syntax.',
    ],
)
def test_a_line_of_a_text_that_was_sent_is_no_place_in_the_tool(text):
    assert leaks.internals(failed(text, arguments=SOURCE)) is None


@pytest.mark.parametrize(
    "text",
    [
        'File "input.py", line 1, in execute',
        "greeter.py:2, in execute",
        "greeter.py:2 in execute()",
        'File "input.py", line 5: below the end of what was sent.',
        "greeter.py:42: it broke.",
        'File "/srv/plan.py", line 2: invalid syntax.',
        "tools/greeter.py:2: it broke.",
        r"tools\greeter.cs:line 2",
        'Traceback (most recent call last):\n  File "a.py", line 1',
    ],
)
def test_a_place_that_cannot_lie_in_what_was_sent_is_the_tools_own(text):
    assert leaks.internals(failed(text, arguments=SOURCE))


PROGRAM = json.dumps({"code": "x = 1\nprint(E)"})
HEAD = "it failed\nTraceback (most recent call last):\n"
CALLERS = '  File "/tmp/a1/tempCodeRunnerFile.python", line 2, in <module>\n    print(E)\n          ^\n'
CALLERS_TEXT = '  File "<string>", line 2, in <module>\n'
TOOLS = '  File "/srv/app/runner.py", line 14, in run\n    exec(code, {})\n'
ENDS = "NameError: name 'E' is not defined\n"


IN_NODE = (
    "{file}:1\nlook(E)\n^\n\nReferenceError: look is not defined\n    at {file}:1:1\n    at Object.<anonymous> ({file}:1:9)\n"
    "    at Module._compile (node:internal/modules/cjs/loader:1521:14)\n    at [eval]-wrapper:6:24\n\nNode.js v20.20.2\n"
)
IN_DENO = "error: Uncaught ReferenceError: look is not defined\nlook(E)\n^\n    at {file}:1:1\n"


@pytest.mark.parametrize("file", ["/tmp/a1/main.js", "file:///tmp/a1/main.mjs", "[eval]", "[stdin]"])
@pytest.mark.parametrize("trace", [IN_NODE, IN_DENO])
def test_the_trace_of_a_script_that_was_sent_is_the_callers(trace, file):
    sent = json.dumps({"code": "look(E)"})
    own, tools = trace.format(file=file), "    at run (/srv/app/runner.js:14:3)\n"
    assert leaks.internals(failed(own, arguments=sent)) is None
    assert leaks.internals(failed(own, arguments='{"code": "look(F)"}')) or file.startswith("[")
    assert leaks.internals(failed(own.replace(":1:1\n", f":1:1\n{tools}"), arguments=sent))


def test_a_trace_is_the_callers_also_below_the_escapes_of_a_message():
    for word in ("E", "ǜ"):
        trace = f"{HEAD}{CALLERS.replace('print(E)', word)}NameError: name '{word}' is not defined"
        message = json.dumps({"result": {"content": [{"type": "text", "text": trace}]}})
        texts = (json.dumps({"stderr": trace}, ensure_ascii=False),)
        answer = b.replace(b.failure("no"), facts=McpResult(message=message), texts=texts)
        sent = json.dumps({"code": word})
        assert b.judge("EXC003", b.call(result=answer, arguments=sent)) is None
        assert b.judge("EXC003", b.call(result=answer, arguments=PROGRAM.replace("E", "F")))


@pytest.mark.parametrize(
    ("frames", "error", "sent"),
    [
        ('  File "<string>", line 1, in <module>\n', "NameError: name 'E' is not defined", {"code": "E"}),
        (
            '  File "/t/a.py", line 1\n    \n',
            "SyntaxError: source code cannot contain null bytes",
            {"code": "\0"},
        ),
        (
            '  File "/t/a.py", line 1, in f\n    f()\n  [Previous line repeated 996 more times]\n',
            "RecursionError: maximum recursion depth exceeded",
            {"code": "def f():\n    f()\nf()"},
        ),
    ],
)
def test_a_short_or_endless_or_unreadable_program_is_the_callers(frames, error, sent):
    text = f"{HEAD}{frames}{error}\n"
    assert leaks.internals(failed(text, arguments=json.dumps(sent))) is None
    assert leaks.internals(failed(text, arguments='{"code": "F"}'))
    assert leaks.internals(failed(text, arguments='{"city": "E"}'))


def test_a_statement_that_was_sent_is_the_callers_where_a_library_quotes_it():
    said = "(sqlite3.OperationalError) no such table: t\n[SQL: SELECT * FROM t]"
    assert leaks.internals(failed(said, arguments='{"sql": "SELECT * FROM t"}')) is None
    assert leaks.internals(failed(said, arguments='{"sql": "SELECT * FROM u"}'))


LIBRARY = '  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads\n    return _default_decoder.decode(s)\n'


@pytest.mark.parametrize(
    "frames", [CALLERS, CALLERS_TEXT, CALLERS + CALLERS_TEXT, CALLERS + LIBRARY, CALLERS_TEXT + LIBRARY]
)
def test_the_trace_of_a_program_that_was_sent_is_the_callers(frames):
    text = f"{HEAD}{frames}{ENDS}"
    assert leaks.internals(failed(text, arguments=PROGRAM)) is None
    assert leaks.shows_callers_trace(failed(text, arguments=PROGRAM))
    assert not leaks.shows_callers_trace(failed(text, arguments="{}"))
    assert leaks.internals(failed(f"{text}{HEAD}{TOOLS}{ENDS}", arguments=PROGRAM))


def test_a_program_that_does_not_parse_is_the_callers_too():
    shown = '  File "/tmp/a1/main.py", line 2\n    print(E))\n            ^\nSyntaxError: unmatched'
    sent = json.dumps({"code": "x = 1\nprint(E))"})
    assert leaks.internals(failed(shown, arguments=sent)) is None
    assert leaks.internals(failed(shown, arguments=PROGRAM))


def test_a_secret_in_the_trace_of_a_program_that_was_sent_is_found():
    mark = canaries.environment(0)["OPENAI_API_KEY"]
    text = f"{HEAD}{CALLERS}NameError: {mark}\n"
    assert leaks.secrets(failed(text, arguments=PROGRAM), [text])


@pytest.mark.parametrize(
    ("frames", "arguments"),
    [
        (TOOLS, PROGRAM),
        (TOOLS + CALLERS, PROGRAM),
        (CALLERS + TOOLS, PROGRAM),
        (CALLERS, '{"code": "print(F)"}'),
        (CALLERS_TEXT.replace("<string>", "string.py"), PROGRAM),
        (CALLERS_TEXT.replace("2", "3"), PROGRAM),
        (CALLERS_TEXT.replace("2", "1"), '{"city": "Oslo"}'),
        (LIBRARY, PROGRAM),
        (LIBRARY + CALLERS, PROGRAM),
    ],
)
def test_a_trace_with_a_frame_that_was_not_sent_is_the_tools(frames, arguments):
    assert leaks.internals(failed(f"{HEAD}{frames}{ENDS}", arguments=arguments))


def test_the_line_after_the_last_one_that_was_sent_is_the_last_to_lie_in_it():
    """A parser reports an error at the end there."""
    arguments = json.dumps({"poem": "one\ntwo\nthree"})
    places = [f'File "poem.py", line {line}: it ends too soon.' for line in (4, 5)]
    inside, outside = (failed(place, arguments=arguments) for place in places)
    assert leaks.internals(inside) is None
    assert leaks.internals(outside)


@pytest.mark.parametrize("mark", ["'", '"', "\\'"])
def test_an_echo_may_add_what_quoting_adds(mark):
    statement = "SELECT {0}name{0} FROM people WHERE id = 3"
    sent = json.dumps({"query": statement.format("")})
    assert leaks.internals(failed(f"refused: {statement.format(mark)}", arguments="{}"))
    assert leaks.internals(failed(f"refused: {statement.format(mark)}", arguments=sent)) is None


def test_a_path_that_holds_a_secret_is_left_to_the_rule_on_secrets():
    said = f"[Errno 5] Input/output error: '/srv/{canaries.DEPENDENCY_MARK}/data.db'"
    assert leaks.internals(failed(said)) is None
    assert leaks.internals(failed(said.replace(canaries.DEPENDENCY_MARK, "orders")))


def test_a_leak_beside_an_echo_is_found():
    arguments = json.dumps({"path": "/home/ada/x.py"})
    assert (
        leaks.internals(failed("/home/ada/x.py: see /srv/aptix/y.py", arguments=arguments)).text
        == "/srv/aptix/y.py"
    )


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'name'",
        "'target'",
        "ValueError('no')",
        "'NoneType' object has no attribute 'get'",
        "list indices must be integers or slices, not str",
        "[Errno 2] No such file or directory",
        "JsonReaderException: Unexpected character",
        "Cannot read properties of undefined (reading 'name')",
        "greet() got an unexpected keyword argument 'x'",
    ],
)
def test_the_words_of_exceptions_are_found(text):
    assert leaks.exception_words(failed(text))


def test_long_texts_are_searched_at_both_ends_in_little_time():
    for filler in ("\n", " ", "a-", "/a", "at a.", "A.", "\\", 'File "'):
        text = filler * 200_000 + "\n" + LEAKS[1]
        assert leaks.internals(failed(text))


def test_canaries_are_found_whatever_surrounds_them():
    sown = canaries.environment(7)
    for value in sown.values():
        assert leaks.secrets(failed("x"), [f"<<{value}>>".upper()])
    assert leaks.secrets(failed("x"), [canaries.DEPENDENCY_MARK])


def test_a_secret_in_a_stack_trace_came_with_it_and_one_beside_it_did_not():
    trace = f'Traceback (most recent call last):\n  File "a.py", line 3\nKeyError: {canaries.DEPENDENCY_MARK}'
    within = b.call(result=b.failure("It failed.", details=trace))
    beside = b.call(result=b.failure(f"It said {canaries.DEPENDENCY_MARK}.", details=trace))
    assert b.judge("EXC003", within)
    assert b.judge("EXC004", within) is None
    assert b.judge("EXC004", beside)


def test_exc003_tells_kinds_of_leak_apart_and_nothing_else():
    place, other, address = "see /srv/search.py", "see /opt/notes.py", "<Query object at 0x7f3a5c0d1e20>"
    causes = [b.judge("EXC003", failed(text)).cause for text in (place, other, address)]
    assert causes == ["a path of source code", "a path of source code", "a memory address"]


def test_exc004_tells_secrets_apart():
    first, second = (canaries.standing_for(name) for name in ("WAREHOUSE_KEY", "MAIL_KEY"))
    said = (
        f"key {first}",
        f"The key is {first}.",
        f"key {second}",
        "postgres://svc:hunter2x@db.internal failed",
    )
    causes = [b.judge("EXC004", failed(text)).cause for text in said]
    assert causes == [first, first, second, causes[3]]
    assert len(set(causes)) == 3


def test_a_secret_in_a_stack_trace_is_left_to_exc003_and_one_beside_a_path_is_not():
    mark = canaries.DEPENDENCY_MARK
    for text, code in ((f"{LEAKS[0]}\n{mark}", "EXC003"), (f"/srv/app/tool.py said {mark}", "")):
        (found,) = b.RULES["EXC004"].findings(failed(text))
        assert found.defers_to == code


def test_a_long_text_is_searched_to_its_middle_and_no_further():
    mark = canaries.DEPENDENCY_MARK

    def found(before, after):
        return leaks.secrets(b.call(), ["x" * before + mark + "x" * after])

    both = 2 * leaks.SEARCHED - len(mark)
    assert found(both // 2, both - both // 2)
    assert found(0, 10 * leaks.SEARCHED)
    assert found(10 * leaks.SEARCHED, 0)
    assert not found(2 * leaks.SEARCHED, 2 * leaks.SEARCHED)


def test_a_trace_inside_a_text_is_found_below_its_escapes():
    trace = 'Traceback (most recent call last):\n  File "/srv/tool.py", line 9, in execute\nKeyError: 1'
    for text in (trace, trace.replace("\n", "\\n").replace('"', '\\"')):
        leak = leaks.internals(b.call(result=b.failure(text)))
        assert "stack trace" in leak.kind
        assert list(leaks.without_stack_traces([text, "plain"])) == ["plain"]


def test_a_place_in_a_trace_is_found_below_its_escapes():
    text = '{\\"at\\": \\"File \\"/srv/tool.py\\", line 9\\"}'
    assert list(leaks.without_stack_traces([text, "plain"])) == ["plain"]


@pytest.mark.parametrize("where", ["texts", "payload", "facts"])
def test_a_failed_result_is_searched_everywhere(where):
    trace = 'File "/srv/aptix/tool.py", line 12, in execute'
    found = {
        "texts": {"texts": (trace,)},
        "payload": {"payload": json.dumps({"cause": trace})},
        "facts": {"facts": ArtResult("object", json.dumps({"metadata": {"stack": trace}}))},
    }[where]
    failed = b.call(result=b.replace(b.failure(), **found))
    assert b.judge("EXC003", failed)
    assert b.judge("EXC003", b.call(result=b.failure())) is None
    succeeded = b.call(result=b.replace(b.success({}), **found))
    assert list(leaks.failure_texts(succeeded)) == []


def test_exc004_searches_a_failed_result_everywhere():
    secret = canaries.standing_for("WAREHOUSE_KEY")
    failed = b.call(result=b.replace(b.failure(), texts=("fine", f"key {secret}")))
    assert b.judge("EXC004", failed)


@pytest.mark.parametrize(
    "text",
    [
        "cannot connect to postgres://svc:hunter2x@db.internal:5432/orders",
        "cannot reach redis://:kX9-mirabelle@cache:6379/0",
        "https://api.internal/v1?api_key=8f14e45fceea167a5a36dedd4bea2543 timed out",
        "Server=tcp:db.internal;User Id=svc;Password=hunter2x9; did not answer",
        "the key ghp_16C7e42F292c6912E7710c838347Ae178B4a is refused",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk is refused",
    ],
)
def test_a_credential_is_disclosed_unless_the_call_sent_it(text):
    assert leaks.disclosed(failed(text), [text])
    assert leaks.secrets(failed(text), [text]) is None
    sent = json.dumps({"name": text})
    assert leaks.disclosed(failed(text, arguments=sent), [text]) is None


def test_a_token_is_disclosed_beside_another_of_its_format_that_the_call_sent():
    leaked, sent = "ghp_" + "a1B2c3" * 6, json.dumps({"name": "ghp_" + "d4E5f6" * 6})
    leak = leaks.disclosed(failed(leaked, arguments=sent), [f"the token {leaked} is refused"])
    assert leak.text == leaked


@pytest.mark.parametrize(
    "text",
    [
        *HONEST,
        "see https://raffle.example:8443/rules?lang=en",
        "write it as postgres://user:password@host:5432/name",
        "write it as mysql://USER:{password}@host/name, or as https://me:<token>@host",
        "postgres://svc:***@db.internal:5432 does not answer",
        "http://db.internal:8080/people@home cannot be read; ada@example.org can",
        "password = a text with a digit, 8 characters or more",
        "https://example.org/search?token=&page=12345678",
        "the command failed, PWD=/srv/orders2/tools",
        "the checksum is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_what_gives_no_access_is_no_credential(text):
    assert leaks.disclosed(failed(text), [text]) is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("no such table: orders\n[SQL: SELECT id FROM orders]\n", "an SQL statement"),
        ("it failed\n[parameters: ('Ada',)]", "an SQL statement"),
        ("SELECT name, city FROM people AS p WHERE name = 'x'", "an SQL statement"),
        ('INSERT INTO "audit" (who, what) VALUES (?, ?)', "an SQL statement"),
        ("UPDATE people SET city = 'x'", "an SQL statement"),
        ("DELETE FROM people WHERE id = 3", "an SQL statement"),
        ("/home/ada/.config/notes/index.db is locked", "a path of the machine that it runs on"),
        ("/root/.ssh/id_rsa is missing", "a path of the machine that it runs on"),
    ],
)
def test_statements_and_hidden_folders_are_internals(text, what):
    assert leaks.internals(failed(text)).kind == what
    assert leaks.internals(failed(text, arguments=json.dumps({"query": text}))) is None


@pytest.mark.parametrize(
    "text",
    [
        "Only SELECT is allowed; DELETE FROM a table, and UPDATE, are not.",
        "Write a statement such as SELECT name FROM people WHERE city = 'Oslo'.",
        "Only one statement is taken, for example: SELECT name FROM people WHERE city = 'Oslo'.",
        "Only reading is allowed. Use `SELECT name FROM people WHERE city = 'Oslo'` instead.",
        "Select a date from the list where it is free.",
        "https://example.org/home/ada/.profile is not served",
        "/home/ada/notes/.. leads out of your notes",
    ],
)
def test_words_of_sql_and_other_paths_are_not(text):
    assert leaks.internals(failed(text)) is None


def test_a_credential_is_not_printed():
    text = "postgres://svc:hunter2x@db.internal does not answer"
    found = b.judge("EXC004", failed(text))
    assert found.message == "An error of the result holds a password in an address: hun…."


@pytest.mark.parametrize(
    ("mark", "what"),
    [
        (canaries.DEPENDENCY_MARK, "the secret that the suite planted in the text of an exception"),
        (
            canaries.standing_for("WAREHOUSE_KEY"),
            "the secret that the project configures as WAREHOUSE_KEY, shown here as",
        ),
        (
            canaries.environment(7)["JWT_SIGNING_KEY"],
            "a secret that the suite planted in the tool's environment",
        ),
    ],
)
def test_a_canary_is_told_by_where_it_was(mark, what):
    leak = leaks.secrets(b.call(), [f"It is {mark}."])
    assert (leak.kind, leak.text) == (what, mark)


@pytest.mark.parametrize(
    ("arguments", "text", "is_sent"),
    [
        ({"directory": "/data", "name": "x.csv"}, "[Errno 2] No such file or directory: '/data/x.csv'", True),
        ({"path": "notes/a.md"}, "ENOENT: no such file or directory, open '/notes/a.md'", True),
        ({"path": "My Notes/a.md"}, "Could not find file 'C:\\My Notes\\a.md'.", True),
        ({"name": "x.csv"}, "[Errno 2] No such file or directory: '/data/x.csv'", False),
        ({"path": "/data"}, "[Errno 2] No such file or directory: '/data/index.json'", False),
        ({"name": "index"}, "[Errno 2] No such file or directory: '/data/index.json'", False),
        ({}, "[Errno 2] No such file or directory: '//'", False),
    ],
)
def test_a_refused_path_is_the_callers_where_the_call_sent_each_part_of_it(arguments, text, is_sent):
    call = b.call("generated", json.dumps(arguments), "valid", "either", b.failure(text))
    assert (leaks.internals(call) is None) == is_sent


def test_a_path_of_source_code_is_a_leak_though_the_call_sent_each_part_of_it():
    sent = json.dumps({"directory": "/srv", "name": "x.py"})
    call = b.call("generated", sent, "valid", "either", b.failure("cannot read /srv/x.py"))
    assert leaks.internals(call) is not None
