"""Each call that must see no other's traces gets the author's files as they are, in a process of its own."""

import json
import shutil

import pytest
from tests.stimuli import stimulus

from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.systems.pools import Systems
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import Target, ToolSettings

COUNTS = """
    with open("count.txt", "r+") as stream:
        count = int(stream.read()) + 1
        if arguments_json != "look":
            stream.seek(0)
            stream.write(str(count))
    return InvokeResult.create(str(count))
"""
THREAD = "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"


@pytest.fixture
def testdata(tmp_path):
    folder = tmp_path / "testdata"
    folder.mkdir()
    (folder / "count.txt").write_text("0")
    return folder


def answers(host, *sent):
    """The payload of each call, and how many calls its process had served before."""
    made = [host.execute(stimulus("test", "generated", text, None)) for text in sent]
    return [
        (call.result and (call.result.payload or call.result.error_message), call.earlier) for call in made
    ]


@pytest.mark.parametrize("header", ["", THREAD], ids=["forked", "fresh_interpreter"])
@pytest.mark.parametrize("side_effects", ["contained", "none"])
def test_calls_see_each_other_until_the_files_are_restored(bench, testdata, header, side_effects):
    """Then a fresh process has the author's files; a process whose calls changed nothing goes on."""
    bench.write("tools", header + bench.tool("Counts", COUNTS))
    host = bench.open("tools:Counts", files=str(testdata), side_effects=side_effects)
    assert answers(host, "{}", "{}", "look") == [("1", 0), ("2", 1), ("3", 2)]
    host.restore_files()
    assert answers(host, "look") == [("1", 0)]
    host.restore_files()
    assert answers(host, "{}") == [("1", 1)]
    host.reset()
    assert answers(host, "{}") == [("1", 0)]
    assert (testdata / "count.txt").read_text() == "0"


def test_without_files_a_process_is_kept(bench):
    bench.write("tools", bench.tool("Keeps", "open('kept', 'a').close()\nreturn InvokeResult.create('{}')"))
    host = bench.open("tools:Keeps")
    answers(host, "{}")
    host.restore_files()
    assert answers(host, "{}") == [("{}", 1)]


IMPORTS = """
import sqlite3
from pathlib import Path
CACHE = Path.home() / ".cache" / "tools"
CACHE.mkdir(parents=True)
HERE = Path.cwd()
FIRST = Path("count.txt").resolve().read_text()
"""
USES = """
    (CACHE / "found").write_text("x")
    (HERE / "new").write_text("x")
    spilled = sqlite3.connect(":memory:")
    spilled.execute("PRAGMA cache_size=10")
    spilled.execute("CREATE TABLE t(a, b)")
    spilled.executemany("INSERT INTO t VALUES (?, ?)", ((n % 97, "x" * 500) for n in range(5000)))
    count = len(spilled.execute("SELECT * FROM t ORDER BY a, b").fetchall())
    return InvokeResult.create(json.dumps([FIRST, HERE == Path.cwd() == Path.home(), count, os.listdir()]))
"""


def test_what_an_import_computed_and_made_is_the_tools_own(bench, testdata):
    """Paths, directories, and the directory for temporary files that SQLite keeps."""
    bench.write("tools", IMPORTS + bench.tool("Uses", USES))
    host = bench.open("tools:Uses", files=str(testdata))
    first, same, count, names = json.loads(answers(host, "{}")[0][0])
    assert (first, same, count) == ("0", True, 5000)
    assert sorted(names) == [".cache", "count.txt", "new"]
    host.restore_files()
    assert sorted(json.loads(answers(host, "{}")[0][0])[3]) == [".cache", "count.txt", "new"]
    bench.write("more", IMPORTS.replace('"tools"', '"more"') + bench.tool("More", USES))
    assert bench.call("more:More", files=str(testdata)).result.payload


OPENS = """
import sqlite3
NOTES = sqlite3.connect("notes.db", check_same_thread=False)
with NOTES:
    NOTES.execute("CREATE TABLE notes (text)")
"""
WRITES = """
    with NOTES:
        NOTES.execute("INSERT INTO notes VALUES ('bread')")
    return InvokeResult.create(str(len(NOTES.execute("SELECT * FROM notes").fetchall())))
"""


def test_a_database_that_an_import_opened_is_not_moved_beneath_it(bench):
    """A fork would have the connection of another directory, which SQLite takes for a read-only database."""
    bench.write("tools", OPENS + bench.tool("Writes", WRITES))
    host = bench.open("tools:Writes")
    assert answers(host, "{}", "{}") == [("1", 0), ("2", 1)]


def test_two_tools_at_the_same_time_have_directories_of_their_own(bench, testdata):
    bench.write("tools", bench.tool("Counts", COUNTS) + bench.tool("Again", COUNTS))
    one, other = (bench.open(f"tools:{name}", files=str(testdata)) for name in ("Counts", "Again"))
    assert answers(one, "{}", "{}") == [("1", 0), ("2", 1)]
    assert answers(other, "{}") == [("1", 0)]


def test_a_directory_that_an_import_filled_stops_no_other_package(bench):
    """The import's files do not fit a second time: the tool says so, and the others go on."""
    fill = "with open('large', 'wb') as stream:\n    for _ in range(200): stream.write(bytes(2**20))\n"
    bench.write("large", fill + bench.tool("Large", "return InvokeResult.create('{}')"))
    bench.write("small", bench.tool("Small", "return InvokeResult.create('{}')"))
    if bench.open("small:Small").containment.level != "full":
        pytest.skip("this machine refuses namespaces, so that there is no file system of limited size")
    with pytest.raises(Exception, match=r"working directory could not be made: .*No space left"):
        bench.open("large:Large")
    assert answers(bench.open("small:Small"), "{}") == [("{}", 0)]


def test_a_tool_in_the_test_process_works_on_a_copy(tmp_path, testdata, bench):
    bench.write("inline_counts", bench.tool("Counts", COUNTS))
    pool = InlineHostPool(Environment(rootdir=bench.place, sys_path=(), systems=OURS.traits))
    target = Target("inline_counts:Counts", "aptix", "inline_counts", "Counts")
    host = pool.open(target, ToolSettings(files=str(testdata)))
    assert answers(host, "{}", "{}", "look") == [("1", 0), ("2", 1), ("3", 2)]
    host.restore_files()
    assert answers(host, "look", "{}") == [("1", 0), ("1", 1)]
    host.close()
    assert (testdata / "count.txt").read_text() == "0"


NODE = """
import { readFileSync, writeFileSync } from 'node:fs';
export class Tool {
  schema = { name: 'tool', description: 'Counts.', inputSchema: { type: 'object', properties: {} } };
  async execute(input, context) {
    const count = Number(readFileSync('count.txt', 'utf8')) + 1;
    writeFileSync('count.txt', String(count));
    return { callId: context.callId, toolName: 'tool', status: 'success', output: count };
  }
}
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")
def test_a_host_that_is_a_command_gets_another_process(tmp_path, testdata):
    (tmp_path / "tool.mjs").write_text(NODE)
    limits = Limits(timeout=10.0, start=30.0)
    context = {"callId": "c-1", "traceId": "t-1", "threadId": "h-1"}
    with Systems(Environment(rootdir=tmp_path, sys_path=(), limits=limits)) as systems:
        target = Target("art:./tool.mjs#Tool", "art", "./tool.mjs", "Tool")
        host = systems.open(target, ToolSettings(files=str(testdata)))

        def count():
            call = host.execute(stimulus("test", "generated", "{}", context))
            return call.result.payload, call.earlier

        assert [count(), count()] == [("1", 0), ("2", 1)]
        host.restore_files()
        assert count() == ("1", 0)
    assert (testdata / "count.txt").read_text() == "0"
