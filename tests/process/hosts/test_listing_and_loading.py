"""What is a tool, what is not, and what a module that cannot be imported costs: nothing but itself."""

import psutil
import pytest

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import Limits
from aptix_conformance.hosts.listing import assemble
from aptix_conformance.targets.settings import ToolSettings

GOOD = "return InvokeResult.create(arguments_json)"


MORE = """
import abc, dataclasses, enum, typing
from aptix_harness import AgentTool
from other import Imported

Alias = Zebra
NUMBER = 3

class Service:
    def execute(self): ...

@dataclasses.dataclass
class Data:
    execute: int = 0

class Kind(enum.Enum):
    TOOL_NAME = "x"
    def execute(self): ...

class Shape(AgentTool, typing.Protocol): ...

class Abstract(Zebra, abc.ABC):
    TOOL_NAME = "abstract"
    @abc.abstractmethod
    def more(self): ...

class Base:
    TOOL_USAGE_METADATA = "x"
    async def execute(self, *_): ...

class Derived(Base):
    TOOL_NAME = "derived"

class Inherits(AgentTool):
    TOOL_NAME = "inherits"
    async def execute(self, *_): ...

class Nameless:
    async def execute(self, *_): ...
    @staticmethod
    def get_schema(): ...

class Unfinished:
    TOOL_NAME = "unfinished"
"""
"""Classes of a module that look like tools, and some that are."""


def test_tools_are_the_public_classes_that_a_module_defines(bench):
    bench.write("other", bench.tool("Imported", GOOD))
    bench.write("tools", bench.tool("Zebra", GOOD) + bench.tool("_Hidden", GOOD) + MORE)
    listing = bench.pool.list_tools("tools", ToolSettings())
    assert listing.tools == tuple(f"tools:{name}" for name in ("Derived", "Inherits", "Nameless", "Zebra"))
    assert listing.passed_over == (
        "tools:Abstract is abstract",
        "tools:Base is the base of another tool and has no TOOL_NAME of its own",
        "tools:Kind is an enumeration",
        "tools:Unfinished has TOOL_NAME and no execute",
        "tools:_Hidden starts with an underscore: it is private",
    )


def test_a_package_is_walked_and_its_main_is_not_run(bench):
    bench.write("pkg.__init__", "")
    bench.write("pkg.__main__", "os._exit(9)")
    bench.write("pkg.b", bench.tool("B", GOOD))
    bench.write("pkg.sub.__init__", bench.tool("S", GOOD))
    bench.write(
        "pkg.sub.a", "import pkg.b\n" + bench.tool("A", GOOD) + "\nclass D(pkg.b.B):\n    TOOL_NAME = 'd'\n"
    )
    listing = bench.pool.list_tools("pkg", ToolSettings())
    assert listing.tools == ("pkg.b:B", "pkg.sub.a:A", "pkg.sub.a:D", "pkg.sub:S")
    assert listing.failures == {}


def test_a_base_in_another_module_is_passed_over_only_without_a_name_of_its_own():
    def found(*tools):
        return {"tools": tools, "passed_over": [], "submodules": []}

    base = {"name": "Base", "bases": [], "named": False}
    derived = {"name": "Derived", "bases": ["a:Base"], "named": True}
    assert assemble({"a": found(base), "b": found(derived)}, {}).tools == ("b:Derived",)
    assert assemble({"a": found({**base, "named": True}), "b": found(derived)}, {}).tools == (
        "a:Base",
        "b:Derived",
    )


BAD = {
    "raises": ("raise ValueError('boom')", "importing pkg.raises raised ValueError: boom"),
    "lacks": ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
    "is_wrong": ("def", "SyntaxError"),
    "leaves": ("sys.exit(2)", "raised SystemExit: 2"),
    "interrupts": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "generates": ("raise GeneratorExit", "raised GeneratorExit"),
    "ends": ("os._exit(3)", "importing pkg.ends did not work: exit status 3"),
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "killed by signal 11 (SIGSEGV)"),
    "hangs": ("while True: pass", "no answer within 3 s"),
    "floods": ("while True: print('x' * 1_000_000)", "wrote more than 32 MiB"),
    "garbles": (
        "[os.write(fd, b'x\\n') for fd in range(3, 100) if os.path.exists(f'/proc/self/fd/{fd}')]",
        "wrote 'x'",
    ),
}


def test_modules_that_cannot_be_imported_are_told_apart_and_the_others_listed(make_bench):
    bench = make_bench(limits=Limits(start=3.0))
    bench.write("pkg.__init__", "")
    for name, (source, _) in BAD.items():
        bench.write(f"pkg.{name}", source)
    bench.write("pkg.good", bench.tool("Good", GOOD))
    listing = bench.pool.list_tools("pkg", ToolSettings())
    assert listing.tools == ("pkg.good:Good",)
    assert sorted(listing.failures) == sorted(f"pkg.{name}" for name in BAD)
    for name, (_, told) in BAD.items():
        assert told in listing.failures[f"pkg.{name}"], name
    assert bench.call("pkg.good:Good").succeeded


def test_a_failure_of_the_module_asked_for_is_raised_and_not_tried_twice(bench):
    bench.write("bad", "open(os.environ['COUNT'], 'a').write('x'); os._exit(7)")
    count = bench.place / "count"
    settings = ToolSettings(env={"COUNT": str(count)}, side_effects="none")
    for _ in range(2):
        with pytest.raises(TargetError, match="importing bad did not work: exit status 7"):
            bench.pool.list_tools("bad", settings)
    assert count.read_text() == "x"


def test_a_failing_import_leaves_open_hosts_of_the_same_package_alone(bench):
    bench.write("pkg.__init__", "")
    bench.write("pkg.good", bench.tool("Good", GOOD))
    bench.write("pkg.bad", "os._exit(1)")
    host = bench.open("pkg.good:Good")
    with pytest.raises(TargetError):
        bench.open("pkg.bad:Bad")
    assert host.execute(bench.plan()).outcome is Outcome.RETURNED


@pytest.mark.parametrize(
    ("qualname", "told"),
    [
        ("Goood", "tools has no class Goood; did you mean Good?"),
        ("Good.Inner", "tools has no class Good.Inner; did you mean Good?"),
        ("NUMBER", "tools:NUMBER is a int, not a class; did you mean Good?"),
        ("Plain", "tools:Plain is a class but no tool: it has no execute, no TOOL_NAME and no get_schema"),
    ],
)
def test_what_is_no_tool_is_said_to_be_none(bench, qualname, told):
    bench.write("tools", "NUMBER = 3\nclass Plain: ...\n" + bench.tool("Good", GOOD))
    with pytest.raises(TargetError) as caught:
        bench.open(f"tools:{qualname}")
    assert told in str(caught.value)


def test_a_class_that_is_a_bad_tool_can_be_opened(bench):
    bench.write(
        "tools", "class Bare:\n    TOOL_NAME = 'bare'\n    class Nested:\n        TOOL_NAME = 'nested'\n"
    )
    assert bench.open("tools:Bare").describe().execute.kind == "missing"
    assert bench.open("tools:Bare.Nested").describe().tool_name.value == "nested"


def test_a_package_that_starts_threads_is_run_without_sharing_them(bench):
    start = "threading.Thread(target=lambda: time.sleep(60), daemon=True).start()\n"
    body = "return InvokeResult.create(str([threading.active_count(), len(os.listdir('/proc/self/task'))]))"
    bench.write("tools", start + bench.tool("Threaded", body) + bench.tool("Ends", "os._exit(3)"))
    assert bench.pool.list_tools("tools", ToolSettings()).tools == ("tools:Ends", "tools:Threaded")
    host = bench.open("tools:Threaded")
    assert [host.execute(bench.plan()).result.payload for _ in range(2)] == ["[2, 2]"] * 2
    assert bench.call("tools:Ends").incident == "exit status 3"


SERVED = """
class Served:
    TOOL_NAME = "served"
    def __init__(self, admin_logger, catalog, clock=None, *, store: "Store"):
        self.parts = [type(admin_logger).__name__, catalog, clock, store]
    async def execute(self, *_):
        return InvokeResult.create(json.dumps(self.parts))
"""
FACTORIES = "made = 0\ndef make():\n    global made\n    made += 1\n    return made\ndef bad(): raise OSError('x')\nN = 3\n"


def test_services_come_from_their_factories_anew_for_each_instance(bench):
    bench.write("tools", SERVED)
    bench.write("factories", FACTORIES)
    host = bench.open("tools:Served", services={"catalog": "factories:make", "store": "factories:make"})
    first, second = (host.execute(bench.plan()).result.payload for _ in range(2))
    assert first == '["LoggingAdminLogger", 3, null, 4]'
    assert second == '["LoggingAdminLogger", 5, null, 6]'
    assert [p.name for p in host.describe().constructor] == ["admin_logger", "catalog", "clock", "store"]


def test_without_its_services_a_tool_is_described_and_not_constructed(bench):
    bench.write("tools", SERVED)
    host = bench.open("tools:Served")
    declared = host.describe()
    assert declared.missing_services == ("catalog", "store")
    assert "'catalog', 'store'" in (declared.construction_error or "")
    made = host.execute(bench.plan())
    assert made.outcome is Outcome.NOT_CONSTRUCTED
    assert made.incident == declared.construction_error


def test_a_constructor_that_raises_gives_no_instance(bench):
    bench.write("tools", "class Bad:\n    TOOL_NAME = 'bad'\n    def __init__(self): sys.exit('no')\n")
    host = bench.open("tools:Bad")
    assert host.describe().construction_error == "SystemExit: no"
    made = host.execute(bench.plan())
    assert (made.outcome, made.raised.type_name) == (Outcome.NOT_CONSTRUCTED, "SystemExit")


@pytest.mark.parametrize(
    ("parameter", "factory", "told"),
    [
        ("catalog", "factories:gone", "there is no factory 'factories:gone' (AttributeError"),
        ("catalog", "nowhere:make", "there is no factory 'nowhere:make' (ModuleNotFoundError"),
        ("catalog", "factories:bad", "the factory 'factories:bad' raised OSError: x"),
        ("catalog", "factories:N", "'factories:N' is a int, not a factory"),
        ("katalog", "factories:make", "the constructor takes admin_logger, catalog, clock, store"),
    ],
)
def test_a_factory_that_does_not_work_names_tool_parameter_and_factory(bench, parameter, factory, told):
    bench.write("tools", SERVED)
    bench.write("factories", FACTORIES)
    with pytest.raises(TargetError) as caught:
        bench.open("tools:Served", services={parameter: factory})
    assert f"tools:Served: the service for {parameter!r}" in str(caught.value)
    assert told in str(caught.value)


def test_an_interpreter_that_does_not_start_is_no_fault_of_the_tool(bench):
    bench.write("tools", bench.tool("Good", GOOD))
    with pytest.raises(HostError, match="did not start"):
        bench.open("tools:Good", python=str(bench.place / "no-python"))


def test_many_packages_do_not_keep_many_interpreters(bench):
    for number in range(18):
        bench.write(f"single{number}", bench.tool("Tool", GOOD))
    before = len(psutil.Process().children())
    hosts = [bench.open(f"single{number}:Tool") for number in range(2)]
    for number in range(18):
        assert bench.pool.list_tools(f"single{number}", ToolSettings()).tools == (f"single{number}:Tool",)
    assert len(psutil.Process().children()) - before <= 14
    for host in hosts:
        assert host.execute(bench.plan()).earlier == 0
