"""Which SDK is installed beside a server, and what it breaks by itself."""

import json

import pytest

from aptix_conformance.rules.announced import READ_AS_JSON
from aptix_conformance.systems.mcp import imports
from aptix_conformance.systems.mcp.sdks import breaker, used


def environment(place, **distributions):
    """A virtual environment with distributions by their names and versions; each offers a package. Gives its `bin`."""
    site = place / "lib" / "python3.11" / "site-packages"
    for name, version in distributions.items():
        (site / f"{name}-{version}.dist-info").mkdir(parents=True)
        (site / name).mkdir()
        (site / name / "__init__.py").touch()
    (place / "bin").mkdir()
    return place / "bin"


def written(folder, **sources):
    """Write modules, `a__b` for `a/b`."""
    for name, text in sources.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_the_sdk_of_a_virtual_environment_is_found(tmp_path):
    beside = environment(tmp_path, mcp="1.30.0", fastmcp="3.1.0", mcp_types="2.3.0", my_mcp="1.0")
    assert used((str(beside / "python"), "server.py"), tmp_path) == ("fastmcp 3.1.0", "mcp 1.30.0")


PLAIN = "import json, sys\n\nfor line in sys.stdin:\n    print(json.loads(line))\n"
ON_AN_SDK = {
    "directly": {"server": "from mcp.server.fastmcp import FastMCP\n"},
    "in a function": {"server": "def main():\n    import sys, mcp.server as offered\n"},
    "behind its modules": {
        "server": "from app.main import run\n",
        "app__main": "from . import offered\n",
        "app__offered": "import fastmcp\n",
        "app____init__": "",
    },
    "behind another": {"server": "import my_mcp\n"},
    "unknown": {"server": "import not_to_be_found\n"},
}


@pytest.mark.parametrize("sources", ON_AN_SDK.values(), ids=ON_AN_SDK)
@pytest.mark.parametrize("words", [("server.py",), ("-u", "-X", "dev", "server.py", "x"), ("-m", "server")])
def test_a_server_in_python_that_may_import_an_sdk_has_it(tmp_path, sources, words):
    beside = environment(tmp_path / "venv", mcp="1.30.0", my_mcp="1.0")
    record = next(tmp_path.rglob("my_mcp-1.0.dist-info")) / "METADATA"
    record.write_text("Name: my-mcp\nRequires-Dist: mcp>=1.2\n")
    written(tmp_path, **sources)
    assert used((str(beside / "python"), *words), tmp_path) == ("mcp 1.30.0",)


@pytest.mark.parametrize("words", [("server.py",), ("-m", "server"), ("-c", PLAIN)])
def test_a_server_in_python_that_imports_no_sdk_has_none(tmp_path, words):
    """It names `mcp` in a text and in a folder, and imports what does not need an SDK."""
    beside = environment(tmp_path / "venv", mcp="1.30.0", rich="14.0")
    written(
        tmp_path, server=f"import rich, tools\n# mcp\n{PLAIN}", tools="NAME = 'import mcp'\n", mcp__notes=""
    )
    assert used((str(beside / "python"), *words), tmp_path) == ()


def test_the_script_of_an_environment_has_the_sdk_of_what_it_calls(tmp_path):
    beside = environment(tmp_path, mcp="1.30.0", notes="1.0", plain="1.0")
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    written(site, notes__offered="from mcp.server import Server\n", plain__offered=PLAIN)
    for name in ("notes", "plain"):
        (beside / name).write_text(
            f"#!/x/python\nimport sys\nfrom {name}.offered import main\nsys.exit(main())\n"
        )
    assert used((str(beside / "notes"),), tmp_path) == ("mcp 1.30.0",)
    assert used((str(beside / "plain"),), tmp_path) == ()


def test_a_source_that_leads_nowhere_leaves_the_sdk(tmp_path):
    beside = environment(tmp_path / "venv", mcp="1.30.0")
    written(tmp_path, server="import app, , json\n", app____init__="")
    (tmp_path / "app" / "gone.py").symlink_to("nowhere.py")
    assert used((str(beside / "python"), "server.py"), tmp_path) == ("mcp 1.30.0",)


@pytest.mark.parametrize("large", ["package", "source"])
def test_what_is_too_large_to_be_read_leaves_the_sdk(tmp_path, large):
    beside = environment(tmp_path / "venv", mcp="1.30.0")
    written(tmp_path, server=PLAIN + (f"#{'x' * (1 << 20)}" if large == "source" else "import app\n"))
    if large == "package":
        written(tmp_path, app____init__="", **{f"app__m{number}": "" for number in range(401)})
    assert used((str(beside / "python"), "server.py"), tmp_path) == ("mcp 1.30.0",)


def test_the_sdk_in_the_nearest_node_modules_is_found(tmp_path):
    script = tmp_path / "app" / "dist" / "server.mjs"
    for folder, version in ((tmp_path, "1.0.0"), (tmp_path / "app", "1.32.2")):
        package = folder / "node_modules" / "@modelcontextprotocol" / "sdk"
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": version}))
    assert used(("/usr/bin/node", str(script)), tmp_path) == ("@modelcontextprotocol/sdk 1.32.2",)
    script.parent.mkdir()
    script.write_text(ON_MCP)
    assert used(("node", "server.mjs"), script.parent) == ("@modelcontextprotocol/sdk 1.32.2",)


NODE_PLAIN = "import { createInterface } from 'node:readline';\nconst fs = require('fs');\n"
ON_NODES_SDK = {
    "directly": {"server": "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';"},
    "required": {"server": 'const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");'},
    "behind its modules": {
        "server": "import './tools'",
        "tools": "await import('@modelcontextprotocol/sdk')",
    },
    "behind another": {"server": "import { FastMCP } from 'fastmcp'"},
    "unknown": {"server": "import './not_to_be_found.js'"},
}


@pytest.mark.parametrize("sources", [*ON_NODES_SDK.values(), {"server": NODE_PLAIN, "other": "import 'x'"}])
def test_a_server_in_javascript_has_the_sdk_that_it_may_import(tmp_path, sources):
    for name, said in {
        "@modelcontextprotocol/sdk": {},
        "fastmcp": {"@modelcontextprotocol/sdk": "^1.20"},
    }.items():
        package = tmp_path / "node_modules" / name
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": "1.32.2", "dependencies": said}))
    for name, text in sources.items():
        (tmp_path / f"{name}.mjs").write_text(text)
    found = used(("/usr/bin/node", str(tmp_path / "server.mjs")), tmp_path)
    assert found == (() if sources["server"] == NODE_PLAIN else ("@modelcontextprotocol/sdk 1.32.2",))


def test_of_two_sdks_beside_a_server_in_javascript_it_has_the_one_that_it_imports(tmp_path):
    """Both are installed while a project moves from one to the other."""
    for name, version in (("sdk", "1.32.2"), ("server", "2.4.0")):
        package = tmp_path / "node_modules" / "@modelcontextprotocol" / name
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": version}))
    script = tmp_path / "server.mjs"
    script.write_text("import { McpServer } from '@modelcontextprotocol/server';")
    assert used(("/usr/bin/node", str(script)), tmp_path) == ("@modelcontextprotocol/server 2.4.0",)
    script.write_text("import './not_to_be_found.js'")
    used.cache_clear()
    assert len(used(("/usr/bin/node", str(script)), tmp_path)) == 2


ON_MCP = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n"
LOW_LEVEL = "import { Server } from '@modelcontextprotocol/sdk/server/index.js';\n"


@pytest.mark.parametrize(
    ("source", "installed", "expected"),
    [
        (f"{ON_MCP}import {{ z }} from 'zod';", "3.25.76", "zod 3.25.76"),
        (f"{ON_MCP}import {{ z }} from 'zod/v3';", "4.1.0", "zod 3"),
        (f"{ON_MCP}import './tools.mjs';", "3.25.76", "zod 3.25.76"),
        (f"{ON_MCP}import {{ z }} from 'zod';", "4.1.0", None),
        (f"{ON_MCP}import {{ z }} from 'zod/v4';", "3.25.76", None),
        (f"{LOW_LEVEL}import {{ z }} from 'zod';", "3.25.76", None),
        (ON_MCP, "3.25.76", None),
    ],
    ids=["zod 3", "v3 of zod 4", "in its modules", "zod 4", "v4 of zod 3", "schemas of its own", "no zod"],
)
def test_zod_3_is_named_where_the_sdk_converts_its_schemas(tmp_path, source, installed, expected):
    for name, version in (("@modelcontextprotocol/sdk", "1.32.2"), ("zod", installed)):
        package = tmp_path / "node_modules" / name
        package.mkdir(parents=True)
        (package / "package.json").write_text(json.dumps({"version": version}))
    (tmp_path / "server.mjs").write_text(source)
    (tmp_path / "tools.mjs").write_text("import { z } from 'zod';\n")
    found = used(("/usr/bin/node", str(tmp_path / "server.mjs")), tmp_path)
    assert found == ("@modelcontextprotocol/sdk 1.32.2", *filter(None, [expected]))


def test_members_that_zod_3_drops_are_its_own_and_no_other_sdks():
    assert breaker(["@modelcontextprotocol/sdk 1.32.2", "zod 3.25.76"], "MCP055", "") == "zod 3.25.76"
    assert breaker(["@modelcontextprotocol/sdk 1.32.2"], "MCP055", "") == ""
    assert breaker(["zod 3.25.76"], "MCP055", "", over_http=True) == "zod 3.25.76"


@pytest.mark.parametrize("text", ["", "[]", '{"version": 5}', '{"version": "%s"}' % ("1" * 90)])
def test_a_package_that_does_not_say_its_version_is_none(tmp_path, text):
    package = tmp_path / "node_modules" / "@modelcontextprotocol" / "server"
    package.mkdir(parents=True)
    (package / "package.json").write_text(text)
    assert used(("/usr/bin/node", str(tmp_path / "server.mjs")), tmp_path) == ()


def test_what_an_older_sdk_breaks_over_http_with_sse_is_its_own_there_alone():
    for sdk, by in (("mcp 1.12.4", "mcp 1.12.4"), ("mcp 1.30.0", "")):
        assert breaker([sdk], "MCP071", "", over_http=True, over_sse=True) == by
        assert breaker([sdk], "MCP071", "", over_http=True) == ""
    assert breaker(["mcp 1.9.4"], "MCP021", "", over_http=True, over_sse=True) == "mcp 1.9.4"


def test_only_what_was_measured_on_a_line_of_an_sdk_is_its_own():
    sdk = "@modelcontextprotocol/server 2.4.0"
    assert breaker([sdk], "MCP038", "served") == sdk
    assert breaker([sdk], "MCP038", "code") == ""
    assert breaker([sdk], "MCP036", "") == sdk
    assert breaker(["mcp 2.3.0"], "MCP036", "") == ""
    assert breaker(["mcp 2.3.0"], "MCP049", "result") == "mcp 2.3.0"
    assert breaker(["mcp 2.3.0"], "MCP049", "-32603") == ""
    assert breaker(["@modelcontextprotocol/server 3.0.0", "mcp 2.3.0"], "MCP038", "served") == ""
    assert breaker(["mcp 1.30.0"], "MCP035", "cancelled-task") == "mcp 1.30.0"
    assert breaker(["mcp 1.30.0"], "MCP035", "deep") == ""
    assert breaker(["mcp 2.3.0"], "EXC002", "no-descriptors") == "mcp 2.3.0"
    assert breaker(["mcp 2.3.0"], "EXC002", "full-disk") == ""
    assert breaker(["mcp 1.30.0"], "EXC002", "no-descriptors") == ""


@pytest.mark.parametrize("sdk", ["mcp 1.30.0", "mcp 2.3.0"])
def test_the_sdk_for_python_converts_for_every_tool(sdk):
    for reading in ("the text of a number", "a boolean for another type", "the JSON text of a value"):
        assert breaker([sdk], "MCP110", reading) == sdk
        assert breaker([sdk], "MCP110", reading, over_http=True) == sdk
        assert breaker([sdk], "MCP110", (reading, "city")) == ""
        assert breaker(["@modelcontextprotocol/sdk 1.32.2"], "MCP110", reading) == ""
    assert breaker([sdk], "MCP110", "a number for a text") == ""
    assert breaker([sdk], "ARG012", READ_AS_JSON) == sdk
    assert breaker([sdk], "ARG012", frozenset({"zero"})) == ""
    assert breaker([sdk], "ARG008", "fraction") == ""


def test_fastmcp_refuses_tasks_for_every_tool_by_a_result():
    for over_http in (False, True):
        for sdk, rule in (("fastmcp 3.4.11", "MCP099"), ("fastmcp 2.14.7", "MCP101")):
            assert breaker([sdk, "mcp 1.30.0"], rule, "failure", over_http=over_http) == sdk
            assert breaker([sdk, "mcp 1.30.0"], rule, "task", over_http=over_http) == ""
        for rule in ("MCP099", "MCP101"):
            assert breaker(["fastmcp 4.2.3", "mcp 2.3.0"], rule, "failure", over_http=over_http) == ""


def test_what_an_sdk_breaks_over_stdio_it_need_not_break_over_http():
    for sdk in ("mcp 1.30.0", "mcp 2.3.0"):
        assert breaker([sdk], "MCP033", "lone-surrogate") == sdk
        assert breaker([sdk], "MCP033", "lone-surrogate", over_http=True) == ""
    sdk = "@modelcontextprotocol/server 2.4.0"
    assert breaker([sdk], "MCP037", "batch", over_http=True) == sdk
    assert breaker([sdk], "MCP037", "bare-text", over_http=True) == ""
    assert breaker(["mcp 2.3.0"], "MCP037", "batch", over_http=True) == ""
    assert breaker(["mcp 2.3.0"], "MCP039", "taken", over_http=True) == "mcp 2.3.0"


BUNDLED = "@modelcontextprotocol/sdk 1 (bundled, version unknown)"
BUNDLED_2 = "@modelcontextprotocol/server 2 (bundled, version unknown)"
PROTOCOL = """\
// node_modules/@modelcontextprotocol/sdk/dist/esm/shared/protocol.js
var s={"Unknown message type: ":1,a:"Uncaught error in notification handler: "};
class p{m(e){let t=this._requestHandlers.get(e.method)??this.fallbackRequestHandler;
this._requestHandlerAbortControllers.set(e.id,t)}n($){throw Error(`Received a response for an unknown message ID: ${$}`)}
o(r){this.assertRequestHandlerCapability(r);throw new M("Maximum total timeout exceeded")}}
class q extends p{r(e){return this.requestTaskStore(e)}}
"""
"""What a bundler leaves of the SDK's code, as far as it is looked at."""


def bundled(tmp_path, text):
    """What a server has whose package loads a file of that text from a package of another."""
    modules = tmp_path / "node_modules"
    for name, content in {
        "notes/cli.js": "const { start } = require('core/lib/bundle');\n",
        "core/lib/bundle.js": "require('./utils'); require('./bundle'); require('not-there'); require('core/\\0');\n",
        "core/lib/utils.js": text,
    }.items():
        (modules / name).parent.mkdir(parents=True, exist_ok=True)
        (modules / name).write_text(content)
    return used(("/usr/bin/node", str(modules / "notes" / "cli.js")), tmp_path)


def test_an_sdk_whose_code_is_bundled_into_a_package_is_found(tmp_path):
    assert bundled(tmp_path, f"{PROTOCOL}{'x' * (3 << 20)}") == (BUNDLED,)


def test_a_server_that_is_one_file_with_its_sdk_has_it(tmp_path):
    (tmp_path / "server.mjs").write_text(PROTOCOL)
    assert used(("/usr/bin/node", "server.mjs"), tmp_path) == (BUNDLED,)


@pytest.mark.parametrize(
    "piece",
    [
        "this._requestHandlers.get(e.method)",
        "this._requestHandlerAbortControllers.set(e.id,t)",
        "this.fallbackRequestHandler",
        "this.assertRequestHandlerCapability(r)",
        "Received a response for an unknown message ID: ",
        "Uncaught error in notification handler: ",
        "Unknown message type: ",
        "Maximum total timeout exceeded",
        "this.requestTaskStore(e)",
    ],
)
def test_a_source_with_less_than_the_sdks_code_has_no_sdk(tmp_path, piece):
    """Its name, its path and some of its words are no SDK."""
    assert bundled(tmp_path, PROTOCOL.replace(piece, "")) == ()


def test_the_sdks_code_in_a_file_that_is_not_loaded_is_no_sdk(tmp_path):
    (tmp_path / "node_modules" / "core" / "lib").mkdir(parents=True)
    (tmp_path / "node_modules" / "core" / "lib" / "other.js").write_text(PROTOCOL)
    assert bundled(tmp_path, "// node_modules/@modelcontextprotocol/sdk/\n") == ()


def test_a_server_in_python_has_no_sdk_for_node(tmp_path):
    (tmp_path / "server.py").write_text(PROTOCOL)
    assert used(("/usr/bin/python3", "server.py"), tmp_path) == ()


def test_a_server_that_loads_many_files_is_read_to_a_bound(tmp_path):
    for number in range(50):
        (tmp_path / f"m{number}.js").write_text(f"require('./m{number + 1}');")
    (tmp_path / "m50.js").write_text(PROTOCOL)
    assert used(("/usr/bin/node", "m0.js"), tmp_path) == ()
    assert used(("/usr/bin/node", "m20.js"), tmp_path) == (BUNDLED,)


def test_two_sdks_are_told_apart_by_their_code(tmp_path):
    assert bundled(tmp_path, PROTOCOL.replace("this.requestTaskStore(e)", "'server/discover'")) == (
        BUNDLED_2,
    )


def test_of_a_bundled_sdk_only_what_every_version_breaks_is_its_own():
    for rule, cause in (
        ("MCP037", "batch"),
        ("MCP037", "bare-text"),
        ("MCP099", "error"),
        ("MCP049", "result"),
    ):
        assert breaker([BUNDLED], rule, cause) == BUNDLED
    for rule, cause in (("MCP036", ""), ("MCP038", "served"), ("MCP037", "other"), ("MCP055", "")):
        assert breaker([BUNDLED], rule, cause) == ""
    assert breaker([BUNDLED], "MCP037", "bare-text", over_http=True) == ""
    assert breaker([BUNDLED], "MCP037", "batch", over_http=True) == BUNDLED
    assert breaker([BUNDLED_2], "MCP038", "served") == BUNDLED_2
    assert breaker([BUNDLED_2], "MCP099", "error") == ""


def test_a_source_that_imports_more_than_anybody_follows_leaves_the_answer_open(tmp_path):
    """A stranger's file costs no more than a second, whatever is in it."""
    (tmp_path / "cli.js").write_text("".join(f"require('p{number}');\n" for number in range(5_001)))
    asked = frozenset({"@modelcontextprotocol/sdk"})
    assert imports.node_imports(("node", "cli.js"), tmp_path, asked) is None
    (tmp_path / "cli.js").write_text("require('p');\n" * 5_001)
    assert imports.node_imports(("node", "cli.js"), tmp_path, asked) is False


def test_what_is_read_for_a_bundled_sdk_has_an_end(tmp_path, monkeypatch):
    for number in range(6):
        (tmp_path / f"{number}.js").write_text(f"require('./{number + 1}');{' ' * (8_000_000 - 20)}")
    looked_for, loaded = [], imports._loaded
    monkeypatch.setattr(imports, "_loaded", lambda *asked: looked_for.append(asked) or loaded(*asked))
    assert len(list(imports.node_sources(("node", "0.js"), tmp_path))) == 4
    (tmp_path / "0.js").write_text("require('p');" * 500_000)
    looked_for.clear()
    assert len(list(imports.node_sources(("node", "0.js"), tmp_path))) == 1
    assert len(looked_for) == 1


@pytest.mark.parametrize(
    ("sdk", "cause", "is_its"),
    [
        ("mcp 1.2.1", "unknown-method", True),
        ("mcp 1.8.1", "nameless-call", True),
        ("mcp 1.9.4", "unknown-method", False),
        ("mcp 1.2.1", "bad-utf-8", False),
        ("mcp 1.24.0", "bad-utf-8", True),
        ("mcp 1.27.0", "bad-utf-8", False),
        ("mcp 2.3.0", "bad-utf-8", False),
        ("mcp 1.8.1", "deep", False),
        ("fastmcp 1.8.1", "nameless-call", False),
        ("mcp 1.x", "nameless-call", False),
    ],
)
def test_what_an_sdk_broke_for_a_time_is_its_own_in_those_versions_alone(sdk, cause, is_its):
    assert breaker((sdk,), "MCP035", cause) == (sdk if is_its else "")
    assert breaker((sdk,), "MCP035", cause, over_http=True) == ""


def test_no_sdk_reads_batches_over_stdio():
    assert breaker(("mcp 1.9.4",), "MCP111", "unanswered") == "mcp 1.9.4"
    node = "@modelcontextprotocol/sdk 1.11.4"
    assert breaker(("zod 4.0.0", node), "MCP111", "unanswered") == node
    assert breaker((node,), "MCP111", "refused") == ""
    assert breaker((node,), "MCP111", "unanswered", over_http=True) == ""
