"""A call with broken files is made in a process of its own, and the author's files stay as they are."""

import json

import pytest

from aptix_conformance.core.model import BrokenFiles
from aptix_conformance.core.model.codec import replace

READS = """
import os
seen = []
for name in ("notes.txt", "sub/more.txt"):
    try:
        seen.append(open(name, encoding="utf-8").read())
    except Exception as error:
        seen.append(type(error).__name__)
return InvokeResult.create(json.dumps([*seen, os.path.exists("helper.py") and os.path.getsize("helper.py")]))
"""


@pytest.fixture
def host(bench, tmp_path):
    folder = tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    (folder / "notes.txt").write_text("milk")
    (folder / "sub" / "more.txt").write_text("bread")
    (folder / "helper.py").write_text("x = 1")
    bench.write("reader", bench.tool("Reader", READS))
    return bench.open("reader:Reader", files=str(folder))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("not-utf-8", "UnicodeDecodeError"),
        ("empty", ""),
        ("folder", "IsADirectoryError"),
        ("link", "OSError"),
    ],
)
def test_each_file_but_code_is_broken_for_one_call(host, bench, tmp_path, form, expected):
    plan = bench.plan()
    assert "files" in host.disturbances
    broken = replace(plan, disturbance=BrokenFiles(form))
    calls = [host.execute(each) for each in (plan, broken, plan)]
    assert [json.loads(call.result.payload) for call in calls] == [
        ["milk", "bread", 5],
        [expected, expected, 5],
        ["milk", "bread", 5],
    ]
    assert calls[1].plan == broken
    assert (tmp_path / "files" / "notes.txt").read_text() == "milk"


def test_a_tool_that_needs_its_files_to_be_loaded_leaves_the_call_out(bench, tmp_path):
    (tmp_path / "names.json").write_text("[1]")
    bench.write(
        "needy", "import json\nNAMES = json.load(open('names.json'))\n" + bench.tool("Needy", "return None")
    )
    host = bench.open("needy:Needy", files=str(tmp_path))
    call = host.execute(replace(bench.plan(), disturbance=BrokenFiles("empty")))
    assert "JSONDecodeError" in call.left_out
    assert host.execute(bench.plan()).left_out is None


def test_a_tool_without_files_has_none_that_could_be_broken(bench):
    bench.write("plain", bench.tool("Plain", "return None"))
    assert "files" not in bench.open("plain:Plain").disturbances
