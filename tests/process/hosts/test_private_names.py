"""A tool finds nothing of the runner by name, and no module of its own takes the place of one of the runner's."""

import json

NAMES = ("_aptix_runners", "python", "contain", "zygote", "frames", "containment", "paths", "start")


def test_a_tool_sees_no_module_of_the_runner(bench):
    """Neither in sys.modules, nor on sys.path, nor as `__main__`."""
    bench.write("seen", bench.tool("Seen", "return InvokeResult.create(json.dumps(SEEN))"))
    source = (bench.place / "seen.py").read_text(encoding="utf-8")
    seen = (
        "SEEN = [[name for name in sys.modules if name.startswith('_aptix')], "
        "[path for path in sys.path if 'runners' in path], sorted(vars(sys.modules['__main__'])), sys.argv[1:]]\n"
    )
    (bench.place / "seen.py").write_text(source.replace("class Seen", seen + "class Seen"), encoding="utf-8")
    modules, paths, main, arguments = json.loads(bench.call("seen:Seen").result.payload)
    assert (modules, paths, arguments) == ([], [], [])
    assert all(name.startswith("__") for name in main)


def test_a_module_of_the_tool_may_have_the_name_of_one_of_the_runner(bench):
    """Each imports its own, whatever is done to the call."""
    for name in NAMES:
        bench.write(name, f"MINE = {name!r}\n")
    bench.write("shadowing", bench.tool("Shadowing", "return InvokeResult.create(json.dumps(MINE))"))
    source = (bench.place / "shadowing.py").read_text(encoding="utf-8")
    mine = f"import {', '.join(NAMES)}\nMINE = [m.MINE for m in ({', '.join(NAMES)})]\n"
    (bench.place / "shadowing.py").write_text(
        source.replace("class Shadowing", mine + "class Shadowing"), encoding="utf-8"
    )
    assert json.loads(bench.call("shadowing:Shadowing").result.payload) == list(NAMES)
