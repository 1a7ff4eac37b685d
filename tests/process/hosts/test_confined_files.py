"""The canary is in the files of the probe's own calls only, and what a call writes beside the folder is seen."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model.confinement import CANARY

DOES = """
    if arguments_json == "write":
        open("canary-7a90c4d2/canary.txt", "w").close()
    found = sorted(os.listdir(".")) + sorted(os.listdir("notes"))
    if arguments_json == "read":
        found = [open("notes/link-7a90c4d2/canary.txt").read()]
    return InvokeResult.create(" ".join(found))
"""


@pytest.fixture
def host(bench, tmp_path):
    (tmp_path / "testdata" / "notes").mkdir(parents=True)
    bench.write("tools", "import os\n" + bench.tool("Lists", DOES))
    return bench.open("tools:Lists", files=str(tmp_path / "testdata"), confined_to="notes")


def call(host, probe, text):
    made = host.execute(stimulus(probe, "generated", text, None))
    return made.result.payload, made.outside


def test_only_the_probe_finds_what_is_planted(host, tmp_path):
    assert "confined" in host.disturbances
    assert call(host, "valid", "list") == ("notes", None)
    assert call(host, "confined", "list") == (
        "canary-7a90c4d2 notes notes-canary-7a90c4d2 inner-7a90c4d2 link-7a90c4d2 link-7a90c4d2.txt",
        (),
    )
    assert call(host, "confined", "read") == (f"{CANARY}\n", ())
    assert call(host, "valid", "list") == ("notes", None)
    assert not list((tmp_path / "testdata" / "notes").iterdir())


def test_what_is_written_outside_is_seen_and_gone_for_the_next_call(host):
    assert call(host, "confined", "write")[1] == ("canary-7a90c4d2/canary.txt",)
    host.restore_files()
    assert call(host, "confined", "list")[1] == ()


def test_one_call_finds_the_folder_empty_and_the_others_do_not(host, tmp_path):
    (tmp_path / "testdata" / "notes" / "a.txt").touch()
    emptied = stimulus("confined", "emptied-folder", "list", None)
    made = host.execute(emptied)
    assert (made.result.payload, made.outside, made.inside) == ("notes", (), ())
    assert call(host, "confined", "list")[0].endswith("a.txt inner-7a90c4d2 link-7a90c4d2 link-7a90c4d2.txt")
    assert host.execute(emptied).result.payload == "notes"


def test_what_is_written_in_the_empty_folder_is_seen(bench, tmp_path):
    (tmp_path / "testdata" / "notes").mkdir(parents=True)
    does = "open('notes/new.txt', 'w').close(); return InvokeResult.create('1')"
    bench.write("tools", bench.tool("Writes", does))
    host = bench.open("tools:Writes", files=str(tmp_path / "testdata"), confined_to="notes")
    assert host.execute(stimulus("confined", "emptied-folder", "{}", None)).inside == ("notes/new.txt",)


def test_a_tool_that_cannot_be_loaded_with_an_empty_folder_is_left_out_and_goes_on(bench, tmp_path):
    (tmp_path / "testdata" / "notes").mkdir(parents=True)
    (tmp_path / "testdata" / "notes" / "a.txt").write_text("bread")
    reads = "KEPT = open('notes/a.txt').read()\n"
    bench.write("tools", reads + bench.tool("Reads", "return InvokeResult.create(KEPT)"))
    host = bench.open("tools:Reads", files=str(tmp_path / "testdata"), confined_to="notes")
    made = host.execute(stimulus("confined", "emptied-folder", "{}", None))
    assert "cannot be loaded while the folder of `confined_to` is empty" in made.left_out
    assert call(host, "confined", "{}") == ("bread", ())


def test_a_folder_that_is_not_there_stops_the_tool(bench, tmp_path):
    (tmp_path / "testdata").mkdir()
    bench.write("tools", bench.tool("Lists", "return InvokeResult.create('1')"))
    with pytest.raises(TargetError, match="is no folder"):
        bench.open("tools:Lists", files=str(tmp_path / "testdata"), confined_to="notes")
