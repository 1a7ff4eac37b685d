"""A host notices what a call changes in its process and leaves changed; what is undone, or due to an import, it does not."""

import pytest
from tests.bench import Bench

CHANGES = {
    "directory": ("os.chdir('/')", "the working directory"),
    "variable": ("os.environ['RATE'] = '1'", "the environment variable RATE"),
    "no_variable": ("os.environ.pop('PATH', None)", "the environment variable PATH"),
    "no_environ": ("setattr(os, 'environ', {})", "os.environ"),
    "umask": ("os.umask(0)", "the umask"),
    "handler": ("signal.signal(signal.SIGTERM, print)", "the handler of SIGTERM"),
    "stream": ("setattr(sys, 'stdout', io.StringIO())", "sys.stdout"),
    "locale": ("locale.setlocale(locale.LC_ALL, 'C.UTF-8')", "the locale"),
    "recursion": ("sys.setrecursionlimit(5_000)", "the recursion limit"),
    "collector": ("gc.disable()", "the garbage collector"),
    "path": ("sys.path.insert(0, '/plugins')", "sys.path"),
    "hook": ("setattr(sys, 'excepthook', print)", "sys.excepthook"),
    "thread_hook": ("setattr(threading, 'excepthook', print)", "threading.excepthook"),
    "modules": ("sys.modules.pop('fractions', None)", "sys.modules, which lacks modules"),
    "disable": ("logging.disable()", "logging.disable"),
    "level": ("logging.getLogger().setLevel(10)", "the level of the root logger"),
    "handlers": ("logging.getLogger().addHandler(logging.NullHandler())", "the handlers of the root logger"),
    "captured": ("logging.captureWarnings(True)", "warnings.showwarning"),
    "filters": ("warnings.filterwarnings('ignore')", "the filters of warnings"),
    "decimal": ("setattr(decimal.getcontext(), 'prec', 50)", "the context of decimal"),
    "timeout": ("socket.setdefaulttimeout(3)", "the default timeout of sockets"),
    "proxy": ("setattr(socket, 'socket', type('S', (socket.socket,), {}))", "socket.socket"),
    "unverified": (
        "setattr(ssl, '_create_default_https_context', ssl._create_unverified_context)",
        "the check of certificates by ssl",
    ),
    "seed": ("random.seed(7)", "the seed of random"),
}
RESTORED = {
    "in_directory": "with contextlib.chdir('/'): pass",
    "with_variable": "with mock.patch.dict(os.environ, RATE='1'): pass",
    "own_stream": "with contextlib.redirect_stdout(io.StringIO()): print('x')",
    "with_filter": "with warnings.catch_warnings(): warnings.simplefilter('ignore')",
    "local_context": "with decimal.localcontext() as c: c.prec = 50",
    "own_context": "decimal.setcontext(decimal.Context(prec=50))",
    "own_random": "random.Random(7).random(); random.random()",
    "state_of_random": "s = random.getstate(); random.seed(7); random.setstate(s)",
    "logs": "logging.warning('x'); logging.getLogger('own').setLevel(10)",
    "configured": "logging.basicConfig(level=10)",
    "child": "subprocess.run(['true']); (await (await asyncio.create_subprocess_exec('true')).wait())",
    "in_thread": "await asyncio.to_thread(print, file=io.StringIO())",
    "lazily": "import wave, xml.dom.minidom, tarfile",
    "warns": "warnings.warn('x'); hash(tempfile.gettempdir()); secrets.token_hex()",
    "library": "import noisy",
}
HELPERS = """
import asyncio, contextlib, decimal, fractions, gc, io, locale, logging, random, secrets, signal, socket, ssl, subprocess, sys
import tempfile, threading, warnings
from unittest import mock
"""
NOISY = "import os, sys, warnings\nwarnings.filterwarnings('ignore')\nos.environ['NOISY'] = '1'\nsys.path.append('/n')\n"
DONE = "\nreturn InvokeResult.create('done')"


def class_name(name):
    return name.title().replace("_", "")


@pytest.fixture(scope="module")
def tools(module_bench):
    """A bench with a tool for each change."""
    bench = module_bench()
    done = {name: code for name, (code, _) in CHANGES.items()} | RESTORED
    texts = [bench.tool(class_name(name), code + DONE) for name, code in done.items()]
    bench.write("noisy", NOISY)
    bench.write("tools", HELPERS + "".join(texts))
    return bench


def left_by(bench: Bench, name: str) -> list[tuple[str, ...]]:
    host = bench.open(f"tools:{class_name(name)}")
    calls = [host.execute(bench.plan()) for _ in range(3)]
    assert [call.result.payload for call in calls] == ["done"] * 3
    return [call.left_changed for call in calls]


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_call_leaves_changed_is_named(tools, name):
    """By the first call; a seed or a growing list also by the later ones."""
    found = left_by(tools, name)
    assert CHANGES[name][1] in {phrase for phrases in found for phrase in phrases}


@pytest.mark.parametrize("name", RESTORED)
def test_what_it_undoes_is_not(tools, name):
    assert left_by(tools, name) == [()] * 3


def test_a_call_after_one_that_seeds_is_not_blamed(bench):
    """The numbers that it finds are those of the seed; the call that set it is to blame."""
    bench.write("t", bench.tool("T", f"import random\nif arguments_json == '1': random.seed(7){DONE}"))
    host = bench.open("t:T")
    found = [host.execute(bench.plan(text)).left_changed for text in ("1", "2", "1", "2", "2")]
    assert found == [(), (), ("the seed of random",), (), ()]


def test_a_tool_that_breaks_what_tells_is_served_all_the_same(bench):
    bench.write("t", bench.tool("T", f"import warnings, gc\ndel warnings.showwarning, gc.isenabled{DONE}"))
    assert bench.call("t:T").result.payload == "done"


def test_what_a_service_of_the_author_changes_is_not_the_tools(bench):
    source = bench.tool("T", DONE).replace("logger", "logger, clock", 1)
    bench.write("t", f"{source}\ndef make():\n    os.environ['CLOCK'] = '1'\n    return make\n")
    found = bench.open("t:T", services={"clock": "t:make"}).execute(bench.plan())
    assert found.left_changed == ()
