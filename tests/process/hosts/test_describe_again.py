"""The declaration under other conditions: each of them is real, and each leaves the others alone."""

import json
from pathlib import Path

import pytest

from aptix_conformance.core.errors import TargetError

LOOKING_AROUND = """
import datetime, getpass, locale, socket, time
from pathlib import Path

class Looking:
    TOOL_NAME = "looking"
    TOOL_USAGE_METADATA = "Use it in tests."

    async def execute(self, arguments_json, context, cancellation_token):
        return None

    @staticmethod
    def get_schema():
        return {
            "hash seed": hash("x"),
            "time zone": [time.localtime(86400 * 365).tm_hour, datetime.datetime.fromtimestamp(0).hour],
            "locale": [os.environ["LC_ALL"], os.environ["LANG"]],
            "user": getpass.getuser(),
            "host name": socket.gethostname(),
            "directory": os.getcwd(),
            "environment": [os.environ.get("STAGE"), os.environ.get("LOOKING_FOR"), dict(os.environ).get("HOSTNAME")],
            "file times": [
                Path(__file__).stat().st_mtime,
                os.stat(__file__).st_mtime_ns // 10**9,
                os.path.getmtime(__file__),
                os.lstat(__file__)[8],
                os.stat(__file__).st_size,
                os.stat in os.supports_fd,
            ],
            "days": [
                datetime.date.today().toordinal(),
                datetime.datetime.now().toordinal(),
                datetime.datetime.now(datetime.timezone.utc).toordinal(),
                time.time() // 86400,
                time.time_ns() // 86400 // 10**9,
                time.gmtime().tm_yday,
            ],
            "kept": [isinstance(datetime.datetime.min, datetime.datetime), isinstance(3, datetime.date)],
            "parsed": repr(datetime.datetime.fromisoformat("2024-02-29T12:00") + datetime.timedelta(1)),
        }
"""


@pytest.fixture(scope="module")
def bench(module_bench):
    return module_bench()


@pytest.fixture(scope="module")
def looking(bench):
    bench.write("looking", LOOKING_AROUND)
    return bench.open("looking:Looking")


def read(declaration):
    assert declaration.schema.outcome == "returned", declaration.schema
    return json.loads(declaration.schema.text)


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ("hash seed", "1"),
        ("time zone", "Pacific/Kiritimati"),
        ("locale", "C"),
        ("user", "another"),
        ("host name", "another"),
        ("environment", "STAGE=1"),
        ("environment", "variables such as STAGE=1"),
        ("file times", "1 day"),
    ],
)
def test_a_condition_changes_what_it_says_and_nothing_else(looking, condition, value):
    """Except for the directory, which every process has to itself, and the clock, which goes on."""
    first, again = looking.describe(), looking.describe_again({condition: value})
    differing = {name for name, seen in read(first).items() if seen != read(again)[name]}
    assert differing - {"directory", "days"} == {condition}
    assert (again.when, list(again.conditions)) == ("restarted", [condition])


def test_files_are_a_day_older_and_else_the_same(looking):
    first, again = (
        read(each)["file times"]
        for each in (looking.describe(), looking.describe_again({"file times": "1 day"}))
    )
    assert [late - early for early, late in zip(first, again, strict=True)] == [-86400] * 4 + [0, 0]


def test_variables_that_the_project_looks_for_get_a_value_and_are_named(looking):
    """With the ordinary ones, which a copy of the environment has too. Those that the configuration sets keep theirs."""
    again = looking.describe_again({"environment": "variables such as STAGE=1"})
    assert read(again)["environment"] == ["1", "1", "1"]
    assert again.conditions == {"environment": "LOOKING_FOR=1, variables such as STAGE=1"}
    assert read(looking.describe_again({"environment": "LOOKING_FOR=2"}))["environment"] == [None, "2", None]


def test_a_clock_is_a_day_or_a_year_ahead_for_every_reader(looking):
    """The classes of datetime too, whose C code never asks the module time."""
    today = read(looking.describe())["days"]
    for days in (1, 366):
        again = looking.describe_again({"clock": f"{days} day"})
        ahead = [late - early for early, late in zip(today, read(again)["days"], strict=True)]
        assert all(days <= moved <= days + 1 for moved in ahead[:-1])
        assert read(again)["kept"] == [True, False]
        assert read(again)["parsed"] == "datetime.datetime(2024, 3, 1, 12, 0)"
        assert "patched" in again.conditions["clock"] or "libfaketime" in again.conditions["clock"]
        assert looking.describe_again(again.conditions).conditions == again.conditions


CLOCKS = """
import subprocess, time

class Clocks:
    TOOL_NAME = "clocks"
    TOOL_USAGE_METADATA = "Use it in tests."

    async def execute(self, arguments_json, context, cancellation_token):
        return None

    @staticmethod
    def get_schema():
        seconds = subprocess.run(["date", "+%s"], capture_output=True, text=True).stdout
        return {
            "days": [time.clock_gettime(time.CLOCK_REALTIME) // 86400, int(seconds) // 86400],
            "monotonic": time.monotonic(),
            "waited": -time.monotonic() + (time.sleep(0.01) or time.monotonic()),
        }
"""


@pytest.mark.skipif(
    not list(Path("/").glob("usr/lib/*/faketime/libfaketimeMT.so.1")),
    reason="libfaketime is not installed (Debian: faketime)",
)
def test_libfaketime_moves_the_clock_of_the_whole_process_and_of_its_children(bench):
    """Where it is installed it is preferred: code in C and other programs see the other day too; waiting takes as long."""
    bench.write("clocks", CLOCKS)
    host = bench.open("clocks:Clocks")
    today, again = read(host.describe()), host.describe_again({"clock": "366 days"})
    assert again.conditions["clock"] == "366 days ahead (libfaketime)"
    ahead = [late - early for early, late in zip(today["days"], read(again)["days"], strict=True)]
    assert all(366 <= moved <= 367 for moved in ahead)
    assert 0 <= read(again)["monotonic"] - today["monotonic"] < 86400
    assert 0.005 < read(again)["waited"] < 86400


def test_an_interpreter_with_nothing_changed_is_another_each_time_in_one_directory_of_the_same_depth(bench):
    """What a module draws at import is drawn again."""
    bench.write(
        "drawing",
        bench.tool("Drawing", "return None")
        .replace("Use it", "{os.urandom(8).hex()} Use it")
        .replace('TOOL_USAGE_METADATA = "', 'TOOL_USAGE_METADATA = f"'),
    )
    host = bench.open("drawing:Drawing")
    texts = {host.describe_again({}).usage_text.value for _ in range(2)} | {host.describe().usage_text.value}
    assert len(texts) == 3


NUMBERED = """
class Numbered:
    TOOL_NAME = "numbered"
    TOOL_USAGE_METADATA = "Use it in tests."
    SHOWN = {shown}

    async def execute(self, arguments_json, context, cancellation_token):
        return None

    @classmethod
    def get_schema(cls):
        return {{"at import": cls.SHOWN, "when read": {shown}}}
"""


@pytest.mark.parametrize(("name", "shown"), [("pid", "os.getpid()"), ("address", "id(object())")])
def test_each_interpreter_has_a_pid_and_addresses_of_its_own(bench, name, shown):
    """Else a schema that shows them would be the same in each process."""
    bench.write(f"numbered_{name}", NUMBERED.format(shown=shown))
    host = bench.open(f"numbered_{name}:Numbered")
    seen = [read(host.describe()), *(read(host.describe_again({})) for _ in range(2))]
    assert len({each["at import"] for each in seen}) > 1
    assert len({each["when read"] for each in seen[1:]}) > 1


def test_what_the_configuration_sets_stays_as_it_is(bench, looking):
    """An author's environment is part of the tool."""
    host = bench.open("looking:Looking", env={"LC_ALL": "C.UTF-8"})
    assert read(host.describe_again({"locale": "C"}))["locale"] == ["C.UTF-8", "C"]
    host = bench.open("looking:Looking", env={"STAGE": "ours", "LOOKING_FOR": "ours", "HOSTNAME": "ours"})
    again = host.describe_again({"environment": "variables such as STAGE=1"})
    assert read(again)["environment"] == ["ours", "ours", "ours"]


def test_a_tool_that_cannot_be_loaded_there_is_an_error_that_says_so(bench):
    bench.write(
        "picky",
        "assert os.environ.get('USER') is None, 'no users here'\n" + bench.tool("Picky", "return None"),
    )
    host = bench.open("picky:Picky")
    with pytest.raises(TargetError, match="no users here"):
        host.describe_again({"user": "another"})
    assert host.describe_again({"locale": "C"}).schema == host.describe().schema


THREADED = """
import threading
LOCK = threading.Lock()
SHARED = {}

def fill():
    SHARED.clear()
    for name in ("type", "name"):
        SHARED[name] = "function"
    return dict(SHARED)

def locked():
    with LOCK:
        return fill()
"""


@pytest.mark.parametrize(("function", "is_safe"), [("fill", False), ("locked", True)])
def test_two_threads_read_line_by_line_and_wait_for_each_others_locks(bench, function, is_safe):
    """Every interleaving of two readings is tried: it is no matter of luck."""
    source = bench.tool("Shared", "return None").replace("return {", f"return {function}() or {{")
    bench.write(f"threaded_{function}", THREADED + source)
    host = bench.open(f"threaded_{function}:Shared")
    found = host.describe_again({"threads": "two at once"})
    assert found.when == "threads"
    plain = host.describe().schema
    assert ((found.schema, found.schema_again) == (plain, plain)) is is_safe
