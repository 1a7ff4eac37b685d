"""A host notices what a call changes in its process and leaves changed; what is undone, or due to an import, it does not."""

import os

import pytest
from tests.bench import Bench

LOOP = "asyncio.get_running_loop()"
FACTORY = "lambda loop, coroutine, **options: asyncio.Task(coroutine, loop=loop, **options)"
NOFILE, FSIZE = "resource.RLIMIT_NOFILE", "resource.RLIMIT_FSIZE"
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
    "timer": ("signal.setitimer(signal.ITIMER_REAL, 600)", "the timer ITIMER_REAL"),
    "alarm": ("signal.alarm(600)", "the timer ITIMER_REAL"),
    "virtual_timer": ("signal.setitimer(signal.ITIMER_VIRTUAL, 600, 600)", "the timer ITIMER_VIRTUAL"),
    "profiling_timer": ("signal.setitimer(signal.ITIMER_PROF, 600)", "the timer ITIMER_PROF"),
    "timer_beside_library": ("import noisy; signal.setitimer(signal.ITIMER_REAL, 600)", "the timer ITIMER_REAL"),
    "handler_beside_library": (f"import noisy; {LOOP}.set_exception_handler(print)", "the event loop's exception handler"),
    "watchdog": ("faulthandler.dump_traceback_later(600, exit=True)", "the timeout of faulthandler"),
    "loop_time": (f"setattr({LOOP}, 'time', time.monotonic)", "the event loop's time"),
    "loop_call_later": (f"setattr({LOOP}, 'call_later', {LOOP}.call_at)", "the event loop's call_later"),
    "loop_class": (f"setattr({LOOP}, '__class__', type('L', (type({LOOP}),), {{}}))", "the event loop's class"),
    "task_factory": (f"{LOOP}.set_task_factory({FACTORY})", "the event loop's task factory"),
    "exception_handler": (f"{LOOP}.set_exception_handler(print)", "the event loop's exception handler"),
    "debug": (f"{LOOP}.set_debug(True)", "the event loop's debug mode"),
    "descriptors": (f"resource.setrlimit({NOFILE}, (64, resource.getrlimit({NOFILE})[1]))", "the resource limit RLIMIT_NOFILE"),
    "file_size": (f"resource.setrlimit({FSIZE}, (2**20, resource.getrlimit({FSIZE})[1]))", "the resource limit RLIMIT_FSIZE"),
    "affinity": ("os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})", "the processors that the process may use"),
    "policy": ("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))", "the scheduling policy"),
    "priority": ("os.nice(1)", "the priority of the process"),
    "switches": ("sys.setswitchinterval(1)", "the switch interval of threads"),
}  # fmt: skip
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
    "disarmed": "with armed(signal.ITIMER_REAL), armed(signal.ITIMER_VIRTUAL), armed(signal.ITIMER_PROF): pass",
    "went_off": "with handled(): signal.setitimer(signal.ITIMER_REAL, 0.001); time.sleep(0.05)",
    "cancelled_watchdog": "faulthandler.dump_traceback_later(600); faulthandler.cancel_dump_traceback_later()",
    "threads_without_signals": "await asyncio.to_thread(signal.pthread_sigmask, signal.SIG_BLOCK, signal.valid_signals())",
    "thread_of_c": "_thread.start_new_thread(time.sleep, (0.3,))",
    "own_attribute_of_loop": f"setattr({LOOP}, '_cache_of_mine', object())",
    "restored_loop": "with changed_loop(): await asyncio.sleep(0)",
    "uses_loop": "await asyncio.wait_for(asyncio.to_thread(time.sleep, 0), 5)",
    "listens": "(await asyncio.start_unix_server(print, 'own.socket')).close()",
    "handles_signal": f"{LOOP}.add_signal_handler(signal.SIGUSR2, print); {LOOP}.remove_signal_handler(signal.SIGUSR2)",
    "restored_limits": "with limited(): pass",
    "restored_scheduling": "with scheduled(): pass",
    "child_with_limits": f"subprocess.run(['true'], preexec_fn=lambda: (os.nice(5), resource.setrlimit({FSIZE}, (9, 9))))",
}  # fmt: skip
HELPERS = """
import _thread, asyncio, contextlib, decimal, faulthandler, fractions, gc, io, locale, logging, random, resource, secrets, signal
import socket, ssl, subprocess, sys, tempfile, threading, time, warnings
from unittest import mock

@contextlib.contextmanager
def armed(timer):
    signal.setitimer(timer, 600, 600)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)

@contextlib.contextmanager
def handled():
    former = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, former)

@contextlib.contextmanager
def changed_loop():
    loop = asyncio.get_running_loop()
    factory, handler, debug = loop.get_task_factory(), loop.get_exception_handler(), loop.get_debug()
    loop.set_task_factory(lambda loop, coroutine, **options: asyncio.Task(coroutine, loop=loop, **options))
    loop.set_exception_handler(print)
    loop.set_debug(True)
    loop.time = time.monotonic
    try:
        yield
    finally:
        del loop.time
        loop.set_debug(debug)
        loop.set_exception_handler(handler)
        loop.set_task_factory(factory)

@contextlib.contextmanager
def limited():
    former = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, former)

@contextlib.contextmanager
def scheduled():
    processors, interval = os.sched_getaffinity(0), sys.getswitchinterval()
    os.sched_setaffinity(0, {max(processors)})
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    sys.setswitchinterval(1)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, processors)
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
    if name == "affinity" and len(os.sched_getaffinity(0)) == 1:
        pytest.skip("there is one processor only, so none can be given up")
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


def test_a_call_in_which_a_timer_of_an_earlier_one_goes_off_is_not_blamed(bench):
    body = f"""\
import time
if arguments_json == '1':
    signal.setitimer(signal.ITIMER_REAL, 0.05)
else:
    time.sleep(0.1){DONE}"""
    handled = "import signal\nsignal.signal(signal.SIGALRM, lambda *_: None)\n"
    bench.write("t", handled + bench.tool("T", body))
    host = bench.open("t:T")
    found = [host.execute(bench.plan(text)).left_changed for text in ("1", "2", "2")]
    assert found == [("the timer ITIMER_REAL",), (), ()]


def test_a_tool_that_breaks_what_tells_is_served_all_the_same(bench):
    bench.write("t", bench.tool("T", f"import warnings, gc\ndel warnings.showwarning, gc.isenabled{DONE}"))
    assert bench.call("t:T").result.payload == "done"


def test_what_a_service_of_the_author_changes_is_not_the_tools(bench):
    source = bench.tool("T", DONE).replace("logger", "logger, clock", 1)
    bench.write("t", f"{source}\ndef make():\n    os.environ['CLOCK'] = '1'\n    return make\n")
    found = bench.open("t:T", services={"clock": "t:make"}).execute(bench.plan())
    assert found.left_changed == ()


KEEPING = """
import gc
gc.disable()  # it would run now and then, which is chance
kept = []

class Cycle:
    def __init__(self):
        self.file, self.me = open("/dev/null"), self
"""


@pytest.mark.parametrize(
    ("body", "growth"),
    [
        ("kept.append(open('/dev/null'))", 3),
        ("kept[:] = [open('/dev/null')]", 1),
        ("open('/dev/null')", 0),
        ("Cycle()", 0),
    ],
    ids=["kept", "replaced", "released", "garbage in a cycle"],
)
def test_what_calls_leave_open_is_counted(bench, body, growth):
    bench.write("t", KEEPING + bench.tool("T", body + DONE))
    host = bench.open("t:T")
    counts = [host.execute(bench.plan()).descriptors for _ in range(3)]
    assert counts[-1][1] - counts[0][0] == growth


@pytest.mark.parametrize(
    ("body", "kind", "grows"),
    [
        ("kept.append(tempfile.mkdtemp())", "temporary files", True),
        ("tempfile.TemporaryDirectory().cleanup()", "temporary files", False),
        ("kept.append(bytearray(4_194_304).replace(bytes(1), bytes([1])))", "memory", True),
        ("kept[:] = [bytearray(4_194_304).replace(bytes(1), bytes([1]))]", "memory", False),
    ],
    ids=["a folder left", "a folder removed", "memory kept", "memory replaced"],
)
def test_what_calls_leave_in_memory_and_in_temporary_files_is_counted(bench, body, kind, grows):
    bench.write("t", "import tempfile\n" + KEEPING + bench.tool("T", body + DONE))
    host = bench.open("t:T")
    held = [{name: pair for name, *pair in host.execute(bench.plan()).held}[kind] for _ in range(8)]
    step = 1024 if kind == "memory" else 1
    assert all(after - before >= step for before, after in held[-4:]) is grows
