"""One dependency of a call fails, once: where it is counted, what is put in its place, and what is left alone."""

import textwrap

import pytest
from tests.stimuli import read_disturbance, stimulus

from aptix_conformance.core.model import Outcome, canaries
from aptix_conformance.runners.python.disturb import BY_KIND
from aptix_conformance.runners.python.disturb.fault import kinds
from aptix_conformance.stimuli.probes import fault as probe

SERVICES = """
import asyncio, contextlib, dataclasses, json, inspect
from typing import Protocol, runtime_checkable
from aptix_harness import InvokeResult

class Row:
    def __init__(self, number): self.number = number
    @property
    def doubled(self): return self.number * 2

@dataclasses.dataclass
class Record:
    name: str

class Session:
    entered = False
    async def __aenter__(self): self.entered = True; return self
    async def __aexit__(self, *fault): self.entered = False
    async def fetch(self): return [1, 2, 3]
    async def rows(self):
        for number in range(3): yield Row(number)

@runtime_checkable
class Source(Protocol):
    async def get(self, key): ...

class Service:
    limit = 7
    def __init__(self): self.log = []; self.closed = 0
    @property
    def size(self): return 3
    async def get(self, key): return f"value of {key}"
    def later(self, key): return asyncio.ensure_future(self.get(key))
    def put(self, key): self.log.append(key); return len(self.log)
    def session(self): return Session()
    @contextlib.asynccontextmanager
    async def transaction(self): yield self
    def __getitem__(self, key): return key.upper()
    def __len__(self): return 2
    def __iter__(self): return iter("ab")
    def __contains__(self, key): return key == "a"
    def __call__(self, key): return Record(key)
    @staticmethod
    def plain(): return "plain"

def make(): return Service()
async def function(key): return key
def make_function(): return function
def make_text(): return "text"

def _like():
    return dict(TOOL_USAGE_METADATA="Use it.", name=property(lambda self: self.TOOL_NAME))
"""
TOOL = """
class {name}:
    TOOL_NAME = "{tool}"
    def __init__(self, logger, service): self.logger = logger; self.service = service
    async def execute(self, arguments_json, context, cancellation_token):
        service = self.service
{body}
"""


@pytest.fixture(scope="module")
def bench(module_bench):
    return module_bench()


@pytest.fixture
def opened(bench):
    """Opens a tool whose `execute` has some body and a service, and gives what calls it with one fault."""

    def open_tool(body, factory="make", **settings):
        bench.added += 1
        module = f"t{bench.added}"
        source = SERVICES + TOOL.format(
            name="Tool", tool=module, body=textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
        )
        bench.write(module, source)
        host = bench.open(f"{module}:Tool", services={"service": f"{module}:{factory}"}, **settings)

        def call(what):
            return host.execute(
                stimulus("fault", what, "{}", None, disturbance=read_disturbance(f"fault:{what}"))
            )

        return call

    return open_tool


def sites(call, area, kind="unknown"):
    """The names of the sites of an area, in order, with the kind of what came out of each."""
    found = []
    for number in range(1, 50):
        seen = call(f"{area}:{number}:{kind}")
        if not seen.disturbed.reached:
            return found
        found.append(seen.disturbed.place.partition(" at ")[0])
    raise AssertionError(found)


def payload(call):
    assert call.outcome is Outcome.RETURNED, call.raised
    return call.result.payload


def test_the_canary_is_the_suites_own():
    """The file that runs in the tool's process cannot import it."""
    assert kinds.CANARY == canaries.DEPENDENCY_MARK
    assert set(kinds.AREAS) == set(probe.AREAS)
    found = {*kinds.EXCEPTIONS, *kinds.INSTEAD, "own"}
    assert found == {probe.UNKNOWN, *(kind for others in probe.OTHERS.values() for kind in others)}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("await service.get('a'); await service.get('b')", ["service.get()"] * 2),
        ("await asyncio.gather(service.get('a'), service.get('b'))", ["service.get()"] * 2),
        ("await service.later('a')", ["service.later()"]),
        ("service.put('a')", ["service.put()"]),
        ("service.plain()", ["service.plain()"]),
        ("service.size, service.limit, service.log", ["service.size"]),
        ("service['a'], len(service), 'a' in service", ["service[…]", "len(service)", "… in service"]),
        ("[letter for letter in service]", ["next of service"] * 2),
        ("service('a').name", ["service()"]),
        (
            "async with service.session() as session: await session.fetch()",
            [
                "service.session()",
                "entering service.session()",
                "service.session().fetch()",
                "leaving service.session()",
            ],
        ),
        (
            "async with service.transaction() as inner: inner.put('a')",
            [
                "service.transaction()",
                "entering service.transaction()",
                "service.transaction().put()",
                "leaving service.transaction()",
            ],
        ),
        (
            "[row.doubled async for row in service.session().rows()]",
            [
                "service.session()",
                *["next of service.session().rows()", "service.session().rows()[…].doubled"] * 3,
                "next of service.session().rows()",
            ],
        ),
    ],
)
def test_every_use_of_a_service_is_a_site(opened, body, expected):
    """Calls, awaitings, properties, elements, steps and contexts, also of what a service hands out."""
    assert sites(opened(f"{body}\nreturn InvokeResult.create('1')"), "service") == expected


def test_a_service_that_is_a_function_is_a_site_and_one_that_is_a_text_is_not(opened):
    assert sites(opened("await service('a')", "make_function"), "service") == ["service()"]
    assert sites(opened("service.upper()", "make_text"), "service") == []


def test_a_call_that_is_spared_its_fault_sees_the_service_as_it_is(opened):
    """Its class, its protocols, its kinds of methods, its attributes, its special methods; and writing to it."""
    call = opened(
        """
        service.closed = 1
        async with service.session() as session:
            entered = session.entered
        try:
            service.nothing
        except AttributeError as error:
            missing = str(error)
        seen = [isinstance(service, Service), isinstance(service, Source), isinstance(service, dict)]
        seen += [hasattr(service, "__enter__"), asyncio.iscoroutinefunction(service.get), service.closed, entered]
        seen += [isinstance(session, Session), service == service, list(service), missing, len({service: 1})]
        return InvokeResult.create(json.dumps(seen))
        """
    )
    seen = call("service:99:unknown")
    assert not seen.disturbed.reached
    assert payload(seen) == (
        '[true, true, false, false, true, 1, true, true, true, ["a", "b"], "\'Service\' object has no attribute \'nothing\'", 1]'
    )


def test_io_of_a_library_fails_with_its_own_error(opened):
    """What `except sqlite3.Error` catches is what SQLite raises, not an OSError."""
    seen = opened("__import__('sqlite3').connect(':memory:')")("library:1:os_error")
    assert seen.raised.type_name == "OperationalError"
    assert canaries.DEPENDENCY_MARK in seen.raised.message
    assert seen.disturbed.injected == "library_error"


@pytest.mark.parametrize(
    ("use", "documented"),
    [
        ("__import__('pathlib').Path('a').read_text()", {"os_error", "timeout"}),
        ("__import__('os').listdir('.')", {"os_error", "timeout"}),
        ("__import__('sqlite3').connect(':memory:')", {"os_error"}),
        ("__import__('httpx').Client().get('http://127.0.0.1:9')", {"os_error"}),
        ("service.put('a')", {*kinds.EXCEPTIONS}),
    ],
)
def test_what_a_function_with_a_documented_error_is_not_documented_to_raise_is_marked(
    opened, use, documented
):
    call, area = opened(use), "service" if "service" in use else "library"
    marked = {kind for kind in kinds.EXCEPTIONS if call(f"{area}:1:{kind}").disturbed.undocumented}
    assert marked == kinds.EXCEPTIONS.keys() - documented


def test_what_the_author_names_may_raise_anything(opened):
    call = opened("__import__('os').listdir('.')")
    assert not call("library:1:unknown:os").disturbed.undocumented


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("unknown", "UnforeseenError"),
        ("key_error", "KeyError"),
        ("os_error", "OSError"),
        ("timeout", "TimeoutError"),
        ("exception_group", "ExceptionGroup"),
        ("unprintable", "UnprintableError"),
    ],
)
@pytest.mark.parametrize("use", ["await service.get('a')", "service.put('a')", "json.dumps(1)"])
def test_each_kind_of_exception_is_raised_where_the_use_stands(opened, use, kind, told):
    area = "library" if "json" in use else "service"
    seen = opened(use)(f"{area}:1:{kind}")
    assert seen.outcome is Outcome.RAISED
    assert seen.raised.type_name == told
    assert (canaries.DEPENDENCY_MARK in seen.raised.message) is (kind != "unprintable")
    assert seen.disturbed.injected == kind


@pytest.mark.parametrize(
    ("kind", "expected"), [("gives_none", "None"), ("gives_wrong_type", "a value of another type")]
)
def test_a_service_may_give_something_else(opened, kind, expected):
    body = "return InvokeResult.create(repr(%s))"
    assert payload(opened(body % "await service.get('a')")(f"service:1:{kind}")) == expected
    assert payload(opened(body % "service.put('a')")(f"service:1:{kind}")) == expected


def test_a_call_that_waits_for_a_dead_service_has_its_token_cancelled_and_then_is_ended(opened):
    """Who heeds the token comes back; who does not is given up."""
    heeds = opened(
        """
        waiting = asyncio.ensure_future(service.get('a'))
        heard = asyncio.ensure_future(cancellation_token.wait())
        await asyncio.wait({waiting, heard}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return InvokeResult.create('"cancelled"')
        """
    )("service:1:never_answers")
    assert payload(heeds) == '"cancelled"'
    assert not heeds.disturbed.given_up
    waits = opened("return InvokeResult.create(await service.get('a'))")("service:1:never_answers")
    assert waits.raised.category == "cancelled"
    assert waits.disturbed.given_up
    assert not waits.disturbed.token_passed


@pytest.mark.parametrize("given", ["cancellation_token", "token=cancellation_token"])
def test_a_token_that_a_dead_service_was_given_is_seen(opened, given):
    """It is the service that ignores it."""
    passed = opened(f"return InvokeResult.create(await service.get('a', {given}))")("service:1:never_answers")
    assert passed.disturbed.given_up
    assert passed.disturbed.token_passed


def test_what_is_not_awaited_cannot_hang(opened):
    seen = opened("return InvokeResult.create(str(service.put('a')))")("service:1:never_answers")
    assert payload(seen) == "1"
    assert seen.disturbed.reached
    assert seen.disturbed.injected == ""


def test_nothing_fails_while_an_exception_is_handled_or_on_its_way(opened):
    """That would be two faults; the use in the handler is not even counted."""
    call = opened(
        """
        try:
            raise ValueError
        except ValueError:
            await service.get('a')
            json.dumps(1)
        with contextlib.suppress(ValueError):
            async with service.session():
                raise ValueError
        service.put('b')
        """
    )
    assert sites(call, "service") == ["service.session()", "entering service.session()", "service.put()"]
    assert sites(call, "library") == []


def test_a_second_try_is_seen(opened):
    call = opened(
        """
        for attempt in range(3):
            try:
                return InvokeResult.create(await service.get('a'))
            except Exception:
                pass
        """
    )
    seen = call("service:1:unknown")
    assert payload(seen) == "value of a"
    assert seen.disturbed.retried is True
    assert call("service:2:unknown").disturbed.retried is False


def test_a_fault_that_lasts_comes_with_each_try_at_the_same_thing_and_with_no_other(opened):
    call = opened(
        """
        failed = []
        for attempt in range(3):
            try:
                await service.get('a')
            except TimeoutError as error:
                failed.append(attempt)
                with contextlib.suppress(TimeoutError):
                    await service.get('a')
                    failed.append('never')
        return InvokeResult.create(json.dumps([failed, service.put('b')]))
        """
    )
    seen = call("service:1:lasting-timeout")
    assert payload(seen) == "[[0, 1, 2], 1]"
    assert (seen.disturbed.injected, seen.disturbed.retried) == ("timeout", True)


def test_a_package_beneath_which_the_system_fails_until_the_end_is_seen(opened, package):
    call = opened(
        f"{package}for attempt in range(2):\n    try:\n        return InvokeResult.create(theirs.wraps('a'))\n"
        "    except theirs.PackageError: pass\nreturn InvokeResult.from_error('given up')"
    )
    assert call("library:2:lasting-unknown").refused


def test_the_constructor_is_spared(bench):
    bench.write(
        "constructs",
        SERVICES
        + TOOL.format(name="Tool", tool="constructs", body="        return InvokeResult.create('1')").replace(
            "self.service = service", "self.service = service; service.put('a'); json.dumps(1)"
        ),
    )
    host = bench.open("constructs:Tool", services={"service": "constructs:make"})
    for area in ("service", "library"):
        seen = host.execute(
            stimulus("fault", "x", "{}", None, disturbance=read_disturbance(f"fault:{area}:1:unknown"))
        )
        assert payload(seen) == "1"
        assert not seen.disturbed.reached


# ---- libraries


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("json.dumps(json.loads('1'))", ["json.dumps()"]),
        ("json.JSONEncoder().encode(1)", ["JSONEncoder.encode()"]),
        ("json.dumps(**{'obj': 1}); json.dumps(*[1])", ["json.dumps()"] * 2),
        ("with open('/dev/null') as file: file.read()", ["open()", "TextIOWrapper.read()"]),
        ("import io; io.StringIO('a').read(); io.BytesIO(b'a').read()", []),
        (
            "import pathlib; pathlib.Path('a') / 'b'; pathlib.Path('/dev/null').read_text()",
            ["Path.read_text()"],
        ),
        ("import os; os.listdir('.'); os.getpid(); os.path.exists('.')", ["os.listdir()"]),
        ("import socket; socket.socket().close()", ["socket.socket()"]),
        ("import subprocess; subprocess.run(['true'])", ["subprocess.run()"]),
        (
            "import sqlite3; sqlite3.connect(':memory:').execute('select 1').fetchall()",
            ["sqlite3.connect()", "Connection.execute()", "Cursor.fetchall()"],
        ),
        ("import functools; functools.partial(json.dumps, 1)()", ["json.dumps()"]),
        ("list(map(str.upper, ['a'])); 'a'.upper(); {}.get('a'); [].append(1)", []),
        ("InvokeResult.create('1'); self.logger.trace('a')", []),
        ("helper = lambda: json.dumps(1); helper()", ["json.dumps()"]),
        ("await asyncio.to_thread(lambda: json.dumps(1))", ["json.dumps()"]),
        ("await asyncio.to_thread(json.dumps, 1); await asyncio.to_thread(str, 1)", ["json.dumps()"]),
    ],
)
def test_calls_into_listed_libraries_are_sites(opened, body, expected):
    """Functions, methods and constructors, in Python and in C; no methods of data, and nothing of the harness."""
    assert sites(opened(body), "library") == expected


def test_what_reads_documents_is_an_area_of_its_own(opened):
    call = opened("json.loads('1'); json.dumps(1)")
    assert sites(call, "parser") == ["json.loads()"]
    seen = call("parser:1:own")
    assert seen.raised.type_name == "JSONDecodeError"
    assert canaries.DEPENDENCY_MARK not in seen.raised.message


def test_a_model_whose_members_the_tool_names_reads_no_document(opened):
    """It is a value of the tool's own, such as its result; one that is given a dictionary reads it."""
    call = opened(
        """
        import pydantic
        class Model(pydantic.BaseModel): n: int = 1
        Model(n=1); Model(); Model(**{"n": 1}); Model.model_validate({"n": 1})
        """
    )
    found = dict.fromkeys(
        sites(call, "parser")
    )  # Python 3.12 reports Model(**…) twice: the class, and __init__
    assert list(found) == ["pydantic.main.BaseModel()", "BaseModel.model_validate()"]


def test_what_pydantic_raises_says_what_is_wrong(opened):
    """It never raises a ValidationError without a problem; a tool may make its message of the problems."""
    call = opened(
        """
        import pydantic
        class Model(pydantic.BaseModel): n: int = 1
        try:
            Model.model_validate({})
        except pydantic.ValidationError as error:
            return InvokeResult.create(error.errors()[0]["msg"])
        """
    )
    assert payload(call("parser:1:own")) == "Field required"


def test_a_coroutine_of_a_library_fails_when_it_is_awaited(opened):
    call = opened(
        """
        made = asyncio.open_connection("127.0.0.1", 1)
        try:
            await made
        except Exception as error:
            return InvokeResult.create(type(error).__name__)
        """
    )
    seen = call("library:1:unknown")
    assert seen.disturbed.place.startswith("asyncio.open_connection() at ")
    assert payload(seen) == "UnforeseenError"


def test_a_call_fails_in_a_thread_that_a_pool_started_for_an_earlier_call(opened):
    call = opened(
        """
        try:
            await asyncio.to_thread(lambda: json.dumps(json.loads("1")))
        except Exception as error:
            return InvokeResult.create(type(error).__name__)
        """
    )
    assert sites(call, "library") == ["json.dumps()"]
    assert payload(call("library:1:unknown")) == "UnforeseenError"
    assert payload(call("parser:1:unknown")) == "UnforeseenError"
    assert sites(call, "library") == ["json.dumps()"]


def test_a_coroutine_fails_after_calls_that_looked_for_something_else(opened):
    """In the same process; what one area of calls does not want reported, another does."""
    call = opened(
        """
        try:
            await asyncio.open_connection("127.0.0.1", 1)
        except Exception as error:
            return InvokeResult.create(type(error).__name__)
        """
    )
    assert not call("parser:1:unknown").disturbed.reached
    assert payload(call("library:1:unknown")) == "UnforeseenError"
    assert not call("parser:1:unknown").disturbed.reached
    assert payload(call("library:1:timeout")) == "TimeoutError"


PACKAGE = """
import asyncio, subprocess, socket, sqlite3
class PackageError(Exception): pass
def wraps(path):
    try:
        with open(path) as file: return file.read()
    except OSError as error: raise PackageError(str(error)) from error
def passes_on(path):
    with open(path) as file: return file.read()
def falls_back(path):
    try:
        return passes_on(path)
    except OSError: return "none"
def many(path): return [passes_on(path) for _ in range(9)]
def rows(path):
    for _ in range(2): yield passes_on(path)
async def later(path):
    await asyncio.sleep(0)
    return passes_on(path)
def computes(path): return len(path)
def of_the_system(path):
    import colorsys
    with open("/etc/passwd") as a, open(__file__) as b, open("/dev/null") as c: pass
def runs(path): subprocess.run(["true"])
def asks(path): socket.getaddrinfo("localhost", 1)
def opens(path): sqlite3.connect(":memory:"); sqlite3.connect(path)
def calls(path, function): return function()
"""


@pytest.fixture(scope="module")
def package(bench):
    """The lines with which a tool imports a package that is installed beside it."""
    folder = bench.place / "installed" / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "theirs_that_read.py").write_text(PACKAGE)
    return f"import sys; sys.path.insert(0, {str(folder)!r}); import theirs_that_read as theirs\nopen('a', 'w').close()\n"


NAME = "theirs_that_read"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("theirs.passes_on('a')", ["passes_on()"]),
        ("await asyncio.to_thread(theirs.passes_on, 'a')", ["passes_on()"]),
        ("await asyncio.to_thread(lambda: theirs.passes_on('a'))", ["passes_on()"]),
        ("await theirs.later('a')", ["later()"]),
        ("await asyncio.gather(theirs.later('a'), theirs.later('a'))", ["later()"] * 2),
        ("theirs.many('a')", ["many()"] * 3),
        ("list(theirs.rows('a'))", ["rows()"] * 2),
        ("theirs.computes('a'); theirs.of_the_system('a')", []),
        ("theirs.runs('a'); theirs.asks('a'); theirs.opens('a')", ["runs()", "asks()", "opens()"]),
        ("theirs.calls('a', lambda: len('a'))", []),
    ],
)
def test_the_outside_fails_beneath_a_package_that_nobody_listed(opened, package, body, expected):
    """Files, addresses, programs and databases: not what is the installation's or the system's, nor what needs nothing."""
    found = sites(opened(f"{package}{body}"), "library")
    assert found[:1] == ["open()"], "the tool's own"
    assert found[1:] == [f"{NAME}.{name}" for name in expected]


@pytest.mark.parametrize(
    ("function", "raised"), [("wraps", "PackageError"), ("passes_on", "OSError"), ("falls_back", None)]
)
def test_what_reaches_the_tool_is_what_its_package_makes_of_it(opened, package, function, raised):
    """The package's own error, the system's, or none: never one that it could not raise."""
    seen = opened(f"{package}return InvokeResult.create(theirs.{function}('a'))")("library:2:unknown")
    assert seen.disturbed.injected == probe.OUTSIDE
    assert not seen.disturbed.undocumented
    assert seen.disturbed.place.startswith(f"{NAME}.{function}() at t")
    assert (seen.raised.type_name if seen.raised else None) == raised


def test_a_call_of_a_package_that_is_tried_twice_is_seen(opened, package):
    call = opened(
        f"{package}for attempt in range(2):\n    try:\n        return InvokeResult.create(theirs.wraps('a'))\n"
        "    except theirs.PackageError: pass"
    )
    assert call("library:2:unknown").disturbed.retried


def test_helpers_and_bases_of_the_same_root_are_the_tools_own_code_and_other_modules_are_not(bench, tmp_path):
    """A site is named by the file and line of the call."""
    bench.write("ours.base", "class Base:\n    def dump(self):\n        return json.dumps(1)\n")
    bench.write("site-packages.theirs", "def dump():\n    return json.dumps(1)\n")
    (bench.place / "site-packages" / "theirs.py").rename(
        bench.place / "site-packages" / "theirs_installed.py"
    )
    installed = str(bench.place / "site-packages")
    body = f"sys.path.insert(0, {installed!r})\nimport theirs_installed\ntheirs_installed.dump()\nself.dump()"
    bench.write(
        "ours.tool",
        "from ours.base import Base\n" + bench.tool("Tool", body).replace("class Tool:", "class Tool(Base):"),
    )
    host = bench.open("ours.tool:Tool")
    seen = [
        host.execute(
            stimulus("fault", "x", "{}", None, disturbance=read_disturbance(f"fault:library:{n}:unknown"))
        ).disturbed
        for n in (1, 2)
    ]
    assert seen[0].place == "json.dumps() at base.py:5"
    assert not seen[1].reached


def test_modules_of_the_configuration_are_libraries_too(bench):
    bench.write(
        "drivers.db",
        "class Client:\n    def __init__(self):\n        pass\n    def ask(self):\n        return 1\ndef connect():\n    return Client()\n",
    )
    bench.write(
        "client", bench.tool("Tool", "import drivers.db\ndrivers.db.connect().ask()\ndrivers.db.Client()")
    )
    host = bench.open("client:Tool")
    found = []
    for number in range(1, 6):
        what = f"fault:library:{number}:unknown:drivers,other"
        seen = host.execute(stimulus("fault", "x", "{}", None, disturbance=read_disturbance(what))).disturbed
        found.append(seen.place.partition(" at ")[0] if seen.reached else None)
    assert found == [
        "drivers.db.connect()",
        "drivers.db.Client()",
        "Client.ask()",
        "drivers.db.Client()",
        None,
    ]


def test_an_undisturbed_call_after_a_fault_is_undisturbed(opened, bench):
    call = opened(
        "json.dumps(1)\nreturn InvokeResult.create(str(sys.getprofile()))".replace(
            "sys.", "__import__('sys')."
        )
    )
    assert call("library:1:unknown").outcome is Outcome.RAISED
    assert payload(call("service:9:unknown")) == "None"


@pytest.mark.parametrize(
    "what",
    [
        "service",
        "service:0:unknown",
        "service:x:unknown",
        "elsewhere:1:unknown",
        "library:1:gives_none",
        "service:1:odd",
    ],
)
def test_a_fault_that_there_is_not_is_refused(what):
    with pytest.raises(ValueError, match="is not a fault"):
        BY_KIND["fault"](what, None, None)
