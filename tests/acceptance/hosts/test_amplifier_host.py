"""Amplifier's modules: found, mounted once in a process of their own, called, and cleaned up."""

import importlib.util
import sys
import textwrap
import venv
from pathlib import Path

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.contracts import load
from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine import Options, examine
from aptix_conformance.examine.verdicts import status_of
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.rulebook import suites
from aptix_conformance.targets import Target, ToolSettings

CONFORMING = Path(__file__).parents[3] / "fixtures" / "amplifier" / "conforming"

needs_amplifier = pytest.mark.skipif(
    importlib.util.find_spec("amplifier_core") is None,
    reason="amplifier-core is not installed: pip install 'aptix-conformance[amplifier]'",
)

HEAD = """
import asyncio
from amplifier_core import ToolResult

class Tool:
    description = "Says how often the module was mounted and what it was given."
    input_schema = {"type": "object", "properties": {}}

    def __init__(self, name, said=None):
        self.name, self.said = name, said

    async def execute(self, input):
        return ToolResult(output={"name": self.name, "said": self.said, "input": input})
"""


class Bench:
    """A folder of modules, and the hosts over it."""

    def __init__(self, place):
        self.place = place
        environment = Environment(place, (str(place), *filter(None, sys.path)), limits=Limits(timeout=5))
        self.hosts = Systems(environment)

    def write(self, name, mount, head=HEAD):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + textwrap.dedent(mount))
        return f"./{name}"

    def tools(self, where, **settings):
        return self.hosts.list_tools("amplifier", where, ToolSettings(**settings)).tools

    def open(self, where, key="", **settings):
        spec = f"amplifier:{where}#{key}" if key else f"amplifier:{where}"
        return self.hosts.open(Target(spec, "amplifier", where, key), ToolSettings(**settings))

    def examine(self, where, key="", **settings):
        spec = f"amplifier:{where}#{key}" if key else f"amplifier:{where}"
        suite = suites(None, load())["amplifier"]
        target = Target(spec, "amplifier", where, key)
        return examine(self.hosts, target, ToolSettings(**settings), suite, Options(examples=5))


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.hosts.close()


def called(host, arguments="{}"):
    return host.execute(stimulus("test", "generated", arguments, None))


def failed(examination):
    return {verdict.rule for verdict in examination.verdicts if verdict.verdict is VerdictKind.FAIL}


TWO = """
async def mount(coordinator, config):
    for name in ("second", "first"):
        await coordinator.mount("tools", Tool(name, dict(config)), name=name)
"""


# ---- finding


@needs_amplifier
def test_every_tool_that_mount_registers_is_a_tool_under_test(bench):
    assert bench.tools(bench.write("two.py", TWO)) == ("first", "second")


@needs_amplifier
def test_an_entry_point_a_module_and_an_id_lead_to_the_same_module(bench):
    bench.write("amplifier_module_tool_two/__init__.py", TWO)
    info = bench.place / "two-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: two\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[amplifier.modules]\ntwice = amplifier_module_tool_two:mount\n")
    for where in ("twice", "amplifier_module_tool_two", "tool-two", ".", "./amplifier_module_tool_two"):
        assert bench.tools(where) == ("first", "second")
        declaration = bench.open(where, "first").describe()
        assert declaration.module == "amplifier_module_tool_two"
        (entry,) = declaration.facts.entry_points
        assert (entry.group, entry.name) == ("amplifier.modules", "twice")


@needs_amplifier
@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("tool-nowhere", "no entry point of this name in the group amplifier.modules, no module and no path"),
        ("./nowhere.py", "no folder and no Python file"),
        ("./empty", "holds no module"),
        ("./several", "holds several modules: amplifier_module_a, amplifier_module_b"),
        ("misplaced", "in the group amplifier.module; it has to be in amplifier.modules"),
        ("./unmet.py", "No module named 'no_such_dependency'"),
        ("./exits.py", "importing exits raised SystemExit"),
    ],
)
def test_what_cannot_be_found_or_imported_is_said_in_one_sentence(bench, where, words):
    (bench.place / "empty").mkdir()
    for name in ("a", "b"):
        bench.write(f"several/amplifier_module_{name}/__init__.py", TWO)
    info = bench.place / "misplaced-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: misplaced\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[amplifier.module]\nmisplaced = two:mount\n")
    bench.write("unmet.py", "import no_such_dependency", head="")
    bench.write("exits.py", "raise SystemExit(3)", head="")
    with pytest.raises(TargetError) as caught:
        bench.tools(where)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_amplifier_core_one_line_says_what_to_install(bench):
    """The interpreter that is named has nothing installed."""
    venv.create(bench.place / "bare", with_pip=False)
    python = str(bench.place / "bare" / "bin" / "python")
    with pytest.raises(TargetError) as caught:
        bench.tools(bench.write("two.py", TWO), python=python)
    assert "amplifier-core" in str(caught.value)
    assert "pip install 'aptix-conformance[amplifier]'" in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- mounting


@needs_amplifier
def test_a_key_that_was_given_up_may_be_taken_again(bench):
    """A module may register a first tool, take it away, and register another under its name: nothing is replaced."""
    where = bench.write(
        "changed.py",
        """
        async def mount(coordinator, config):
            await coordinator.mount("tools", Tool("plain"), name="plain")
            await coordinator.unmount("tools", name="plain")
            await coordinator.mount("tools", Tool("plain", "better"), name="plain")
        """,
    )
    host = bench.open(where)
    (kept,) = host.describe().facts.registrations
    assert (kept.point, kept.key) == ("tools", "plain")
    assert "better" in called(host).result.payload
    assert "AMP010" not in failed(bench.examine(where))


MAPPINGS = {
    "an assignment": 'coordinator.mount_points["tools"]["mapped"] = tool',
    "what get gives": 'coordinator.get("tools").update(mapped=tool)',
    "a mapping of its own": 'coordinator.mount_points["tools"] = {"mapped": tool}',
    "a union": 'coordinator.mount_points["tools"] |= {"mapped": tool}',
}


@needs_amplifier
@pytest.mark.parametrize("way", MAPPINGS)
def test_a_tool_in_the_coordinators_mapping_is_registered(bench, way):
    body = f"async def mount(coordinator, config):\n    tool = Tool('mapped')\n    {MAPPINGS[way]}\n    return tool\n"
    (made,) = bench.open(bench.write("mapped.py", body), "mapped").describe().facts.registrations
    assert (made.point, made.key, made.error) == ("tools", "mapped", None)


@needs_amplifier
def test_a_tool_that_a_mapping_replaces_or_loses_is_seen(bench):
    """The second assignment takes the place of the first; what was taken out again was never registered."""
    where = bench.write(
        "replaced.py",
        """
        async def mount(coordinator, config):
            tools = coordinator.mount_points["tools"]
            tools["gone"] = Tool("gone")
            del tools["gone"]
            tools["kept"] = Tool("kept")
            tools["kept"] = Tool("kept", "second")
        """,
    )
    made = bench.open(where, "kept").describe().facts.registrations
    assert [each.key for each in made] == ["kept", "kept"]


EVENTS = {
    "a contributor": (
        'coordinator.register_contributor("observability.events", "m", lambda: ["m:a"])',
        ("m:a",),
        None,
    ),
    "the capability": (
        'coordinator.register_capability("observability.events", ["m:a", "m:b"])',
        ("m:a", "m:b"),
        None,
    ),
    "a text": ('coordinator.register_capability("observability.events", "m:a")', (), "it is a str"),
}


@needs_amplifier
@pytest.mark.parametrize("way", EVENTS)
def test_events_are_declared_by_contributor_or_by_capability(bench, way):
    said, events, fault = EVENTS[way]
    body = f"async def mount(coordinator, config):\n    {said}\n    await coordinator.mount('tools', Tool('e'), name='e')\n"
    facts = bench.open(bench.write("events.py", body), "e").describe().facts
    assert (facts.events, facts.events_fault) == (events, fault)


NOISY = """
print("imported")

async def mount(coordinator, config):
    print("mounted")
    await coordinator.mount("tools", Noisy(coordinator), name="noisy")
    coordinator.register_cleanup(lambda: {}["once"])
    coordinator.beating = asyncio.create_task(asyncio.sleep(60))
    return 7

class Noisy(Tool):
    def __init__(self, coordinator):
        super().__init__("noisy")
        self.coordinator = coordinator

    async def execute(self, input):
        await self.coordinator.hooks.emit("noisy:called", {})
        await self.coordinator.get("hooks").emit("tool:pre", {})
        return ToolResult(output=str(len(self.coordinator.hooks.list_handlers())))
"""


@needs_amplifier
def test_what_a_module_prints_emits_and_leaves_is_seen(bench):
    """Amplifier's own events are not a module's; what is read before the cleanup stays as it was."""
    host = bench.open(bench.write("noisy.py", NOISY), "noisy")
    assert host.describe().facts.printed == "imported\nmounted\n"
    call = called(host)
    assert (call.succeeded, call.stdout.text) == (True, "")
    assert [record.tag for record in call.logs if record.method == "event"] == ["noisy:called"]
    assert "cleanup" in host.disturbances
    cleanup = host.describe_again({"cleanup": "called"}).facts.cleanup
    assert cleanup.faults == ("KeyError: 'once'",)
    assert cleanup.left == ("the task sleep",)
    assert called(host).succeeded, "in a new process"


@needs_amplifier
def test_a_cleanup_of_any_kind_that_ends_is_clean(bench):
    """Functions and coroutine functions, registered and returned; what is no function is passed over, as Amplifier does."""
    where = bench.write(
        "clean.py",
        """
        async def mount(coordinator, config):
            await coordinator.mount("tools", Tool("clean"), name="clean")
            beating = asyncio.create_task(asyncio.sleep(60))
            coordinator.register_cleanup(beating.cancel)
            coordinator.register_cleanup(None)
            async def clean_up():
                await asyncio.sleep(0)
            return clean_up
        """,
    )
    cleanup = bench.open(where, "clean").describe_again({"cleanup": "called"}).facts.cleanup
    assert (cleanup.faults, cleanup.left) == ((), ())


@needs_amplifier
def test_mount_gets_its_config_and_runs_once_for_all_calls(bench):
    where = bench.write(
        "counted.py",
        """
        mounted = []

        async def mount(coordinator, config):
            mounted.append(config.get("size"))
            await coordinator.mount("tools", Tool("counted", mounted), name="counted")
        """,
    )
    host = bench.open(where, "counted", config={"size": 7})
    payloads = {called(host).result.payload for _ in range(3)}
    assert payloads == {'{"name": "counted", "said": [7], "input": {}}'}


@needs_amplifier
def test_cleanup_is_called_at_the_end(bench):
    farewell = bench.place / "farewell.txt"
    where = bench.write("late.py", (CONFORMING / "late.py").read_text(), head="")
    bench.write("notes.py", (CONFORMING / "notes.py").read_text(), head="")
    host = bench.open(where, "search_notes", config={"farewell": str(farewell)}, side_effects="none")
    assert called(host, '{"query": "bread"}').succeeded
    assert not farewell.exists()
    host.close()
    assert farewell.read_text() == "cleaned up"


NOTHING = {
    "none": (
        "async def mount(coordinator, config):\n    return None\n",
        "mount returned None",
        "incomplete",
        set(),
    ),
    "a cleanup": (
        "async def mount(coordinator, config):\n    return lambda: None\n",
        "mount returned a function",
        "incomplete",
        set(),
    ),
    "a raise": (
        "async def mount(coordinator, config):\n    raise RuntimeError('no key')\n",
        "mount raised RuntimeError: no key",
        "nonconforming",
        {"AMP004"},
    ),
    "a class": (
        "class mount:\n    def __init__(self, coordinator, config):\n        pass\n",
        "mount gave a mount and nothing to await",
        "nonconforming",
        {"AMP002"},
    ),
    "no mount": ("", "bare has no mount", "nonconforming", {"AMP002"}),
    "a key that is not there": (
        "async def mount(coordinator, config):\n    if 'api_key' not in config:\n        return None\n",
        "mount returned None; config does not have what it looked for: api_key",
        "incomplete",
        set(),
    ),
}


@needs_amplifier
@pytest.mark.parametrize(
    ("what", "named"), [*((what, "./bare.py") for what in NOTHING), ("none", "."), ("no mount", ".")]
)
def test_where_nothing_is_mounted_the_tool_is_reported_with_the_reason_and_never_passes(bench, what, named):
    """It is called by its distribution's name, whatever the target names: never "." nor the file."""
    source, why, status, rules = NOTHING[what]
    bench.write("bare.py", source)
    entry_point = '[project.entry-points."amplifier.modules"]\nempty-shelf = "bare:mount"\n'
    (bench.place / "pyproject.toml").write_text(f'[project]\nname = "acme-nothing"\n{entry_point}')
    assert bench.tools(named) == ("",)
    found = bench.examine(named)
    assert (found.tool, status_of(found.verdicts)) == ("acme-nothing", status)
    assert failed(found) == rules
    assert found.exploration.calls == ()
    assert why in next(verdict.reason for verdict in found.verdicts if verdict.rule == "EXC001")


@needs_amplifier
def test_a_file_that_mounts_nothing_is_called_by_its_modules_name_and_not_by_its_path(bench):
    where = bench.write("mods/bare.py", "async def mount(coordinator, config):\n    return None\n")
    assert "/" in where
    assert bench.examine(where).tool == "bare"


@needs_amplifier
def test_a_folder_without_a_distribution_in_which_nothing_is_mounted_is_called_by_its_module(bench):
    """No name says less than "."."""
    bench.write("amplifier_module_bare/__init__.py", NOTHING["none"][0])
    assert bench.examine(".").tool == "amplifier_module_bare"


@needs_amplifier
def test_a_key_that_is_not_registered_is_answered_with_those_that_are(bench):
    with pytest.raises(TargetError, match="those registered are first, second"):
        bench.open(bench.write("two.py", TWO), "third")


@needs_amplifier
def test_services_are_refused_with_the_fix(bench):
    with pytest.raises(TargetError, match="give mount its config"):
        bench.open(bench.write("two.py", TWO), "first", services={"catalog": "a:b"})


@needs_amplifier
def test_a_module_that_starts_threads_when_it_is_imported_can_be_examined(bench):
    threaded = (
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n" + TWO
    )
    host = bench.open(bench.write("threaded.py", threaded), "first")
    assert called(host).succeeded


@needs_amplifier
def test_a_module_that_ends_its_process_when_it_is_mounted_is_an_error_of_its_own(bench):
    where = bench.write("ends.py", "import os\n\nasync def mount(coordinator, config):\n    os._exit(3)\n")
    with pytest.raises((TargetError, HostError), match="exit status 3"):
        bench.tools(where)


# ---- calling


@needs_amplifier
@pytest.mark.parametrize("arguments", [None, "", "{}"])
def test_nothing_at_all_is_an_input_without_members(bench, arguments):
    host = bench.open(bench.write("two.py", TWO), "first")
    assert called(host, arguments).result.payload == '{"name": "first", "said": {}, "input": {}}'


@needs_amplifier
def test_what_is_logged_during_a_call_belongs_to_it(bench):
    where = bench.write(
        "logs.py",
        """
        import logging

        class Logging(Tool):
            async def execute(self, input):
                await asyncio.sleep(0)
                try:
                    {}["missing"]
                except KeyError:
                    logging.getLogger("logs").exception("lost %s", "it")
                return ToolResult(success=False, error={"message": "lost", "type": "KeyError"})

        async def mount(coordinator, config):
            logging.getLogger("logs").error("mounting")
            await coordinator.mount("tools", Logging("logs"), name="logs")
        """,
    )
    call = called(bench.open(where, "logs"))
    (record,) = call.logs
    assert (record.method, record.tag, record.level) == ("log", "logs", "ERROR")
    assert (record.message, record.exception_type) == ("lost it", "KeyError")
    assert call.refused
    assert [(error.message, error.code) for error in call.result.errors] == [("lost", "KeyError")]
    assert call.result.payload == "lost"
