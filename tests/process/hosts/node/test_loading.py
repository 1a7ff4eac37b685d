"""What the Node host loads: exports, packages, TypeScript, constructors, and the Node.js that runs them."""

import json
import shutil

import pytest
from tests.process.hosts.node.benches import CONTEXT, JITI, TOOL
from tests.stimuli import stimulus

from aptix_conformance.app.certificates.examined import above
from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome
from aptix_conformance.hosts import Environment
from aptix_conformance.systems.art.profile import ArtHostPool
from aptix_conformance.targets import ToolSettings

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on PATH")


# ---- loading


def test_the_exports_that_are_tools_are_listed(bench):
    """Classes and instances; a factory has to be named."""
    bench.write(
        "many.mjs",
        TOOL % "return answer;"
        + "export const instance = new Tool();\nexport const makeTool = () => new Tool();\n"
        + "export const number = 3;\nexport class Other {}\nexport default Tool;\n",
    )
    found = bench.systems.list_tools("art", "./many.mjs", ToolSettings())
    assert found.tools == ("Tool", "instance")
    assert found.passed_over == ("makeTool may be a factory of a tool: name it after the #, as in #makeTool",)


@pytest.mark.parametrize(
    ("export", "how"), [("Tool", "class"), ("instance", "instance"), ("makeTool", "factory")]
)
def test_a_class_an_instance_and_a_factory_are_tools(export, how, bench):
    """A factory may be asynchronous."""
    extra = "export const instance = new Tool();\nexport const makeTool = async () => new Tool();\n"
    bench.write("shapes.mjs", TOOL % "return { ...answer, output: 1 };" + extra)
    host = bench.open("./shapes.mjs", export)
    assert host.describe().facts.exported == how
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


ARROW = """
class Base {
  execute = async (input, context) => ({ callId: context.callId, toolName: 'tool', status: 'success', output: 1 });
}
class Tool extends Base {
  schema = { name: 'tool', description: 'Does it.', inputSchema: { type: 'object', properties: {} } };
}
class Runner { run(tool) { return tool.execute(); } }
export { Tool, Runner };
"""


def test_a_class_whose_execute_is_a_field_is_a_tool(bench):
    """Also where the class that it extends has the field. A class that calls the execute of others is none."""
    bench.write("arrow.mjs", ARROW)
    assert bench.systems.list_tools("art", "./arrow.mjs", ToolSettings()).tools == ("Tool",)
    host = bench.open("./arrow.mjs", "Tool")
    assert host.describe().facts.exported == "class"
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


@pytest.mark.parametrize(
    ("locator", "export", "message"),
    [
        ("./nowhere.mjs", "Tool", "there is no file"),
        ("no-such-package", "Tool", "npm install it"),
        ("./broken.mjs", "Tool", "importing ./broken.mjs raised Error: no luck"),
        ("./plain.mjs", "Missing", "Missing is not exported; its tools are Tool"),
        ("./plain.mjs", "number", "number is number, and has no execute"),
    ],
)
def test_what_cannot_be_loaded_is_told_in_a_sentence(locator, export, message, bench):
    """For the tool's author."""
    bench.write("broken.mjs", "throw new Error('no luck');")
    bench.write("plain.mjs", TOOL % "return answer;" + "export const number = 3;\n")
    with pytest.raises(TargetError, match=message):
        bench.open(locator, export)


@pytest.mark.parametrize(
    ("exports", "file"),
    [({"main": "./lib.cjs"}, "lib.cjs"), ({"exports": {"import": "./lib.mjs"}}, "lib.mjs")],
)
def test_a_bare_name_is_a_package_of_the_project(exports, file, bench):
    """Resolved as Node.js does it from there, also where it can only be imported."""
    source = TOOL % "return { ...answer, output: 1 };"
    if file.endswith(".cjs"):
        source = source.replace("export class Tool", "exports.Tool = class Tool") + ";"
    name = f"@scope/pkg-{file.partition('.')[2]}"
    bench.write(
        f"node_modules/{name}/package.json", json.dumps({"name": name, "version": "1.0.0", **exports})
    )
    bench.write(f"node_modules/{name}/{file}", source)
    assert bench.open(name).execute(stimulus("test", "generated", "{}", CONTEXT)).succeeded


def test_typescript_without_jiti_says_what_to_install(bench):
    """One line."""
    bench.write("typed.ts", "export const x: number = 1;")
    with pytest.raises(TargetError, match="npm install --save-dev jiti"):
        bench.tools("./typed.ts")


needs_jiti = pytest.mark.skipif(not JITI.is_dir(), reason="reference_tools/art: npm install")
PATHS = """
{
  // as editors write it
  "extends": "./base.json",
  "compilerOptions": { "strict": true, /* and */ },
}
"""
BASE = """{ "compilerOptions": { "baseUrl": "./src", "paths": { "@lib/*": ["none/*", "lib/*"], "#one": ["./lib/one.ts"] } } }"""
IMPORTING = (
    """
import { one } from '#one';
import { two } from '@lib/two.js';
import { two as again } from 'lib/two';
"""
    + TOOL % "return { ...answer, output: one + two + again };"
)


@needs_jiti
@pytest.mark.parametrize(
    "files",
    [
        {"tsconfig.json": PATHS, "base.json": BASE},
        {
            "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
            "tsconfig.app.json": BASE,
        },
    ],
    ids=["extends", "references"],
)
def test_the_paths_of_a_projects_tsconfig_are_honoured(files, bench):
    """With baseUrl, wildcards, comments, and where another file has them."""
    project = f"paths-{len(files['tsconfig.json'])}"
    for name, text in files.items():
        bench.write(f"{project}/{name}", text)
    bench.write(f"{project}/src/lib/one.ts", "export const one: number = 1;")
    bench.write(f"{project}/src/lib/two.ts", "export const two: number = 2;")
    bench.write(f"{project}/src/tools/sum.ts", IMPORTING)
    bench.with_jiti(project)
    called = bench.open(f"./{project}/src/tools/sum.ts").execute(stimulus("test", "generated", "{}", CONTEXT))
    assert called.result.payload == "5"


@needs_jiti
def test_a_tsconfig_that_extends_what_is_not_installed_is_named_where_it_matters(bench):
    """A tool that needs no paths is loaded all the same."""
    bench.write("unread/tsconfig.json", '{ "extends": "@tsconfig/none/tsconfig.json" }')
    bench.write("unread/plain.ts", TOOL % "return { ...answer, output: 1 as number };")
    bench.write("unread/sum.ts", IMPORTING)
    bench.with_jiti("unread")
    assert bench.tools("./unread/plain.ts") == ("Tool",)
    with pytest.raises(
        TargetError, match=r"Cannot find module '#one'; tsconfig.json cannot be read: .*@tsconfig/none"
    ):
        bench.tools("./unread/sum.ts")


def test_a_tool_that_runs_by_another_name_is_named(bench):
    """It looks like a tool, and the framework could not call it."""
    bench.write(
        "runs.mjs", "export class Runner { getSchema() { return {}; } async run(input) { return input; } }"
    )
    assert (
        "Runner has run() and no execute"
        in bench.systems.list_tools("art", "./runs.mjs", ToolSettings()).passed_over[0]
    )


def test_without_node_a_target_says_what_to_install(bench, monkeypatch):
    """One line, and nothing looks green."""
    monkeypatch.setenv("PATH", str(bench.place))
    with pytest.raises(
        TargetError, match=r"needs Node.js 20 or later, and there is no `node` on PATH: install"
    ):
        ArtHostPool(bench.systems.environment).list_tools("./plain.mjs", ToolSettings())


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('echo \'["18.20.4", "/bin/false", []]\'', "is 18.20.4: install a later one"),
        ("exit 1", "is none that runs: install a later one"),
    ],
)
def test_a_node_that_will_not_do_is_told_before_anything_runs(script, message, bench, monkeypatch, tmp_path):
    """One line, too."""
    (tmp_path / "node").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(TargetError, match=message):
        ArtHostPool(bench.systems.environment).list_tools("./plain.mjs", ToolSettings())


def test_a_script_that_stands_for_node_is_seen_through(bench, monkeypatch, tmp_path):
    """Version managers put scripts on PATH that need a home directory of their own, or close descriptors."""
    real = shutil.which("node")
    (tmp_path / "node").write_text(
        f"#!/usr/bin/env python3\nimport subprocess, sys\nsys.exit(subprocess.run([{real!r}, *sys.argv[1:]]).returncode)\n"
    )
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    bench.write("plain.mjs", TOOL % "return answer;")
    with ArtHostPool(bench.systems.environment) as pool:
        assert pool.list_tools("./plain.mjs", ToolSettings()).tools == ("Tool",)


def test_a_constructor_that_wants_something_is_told_of_factories(bench):
    """What it wants, nobody but its author can give."""
    bench.write(
        "wants.mjs",
        TOOL.replace("async execute", "constructor(options) { this.key = options.key; }\n  async execute")
        % "",
    )
    assert bench.open("./wants.mjs").describe().construction_error.endswith("export a factory that makes it")


def test_a_constructor_that_throws_is_described_all_the_same(bench):
    """The declaration says why no instance could be made, and no call is made."""
    bench.write(
        "thrower.mjs",
        TOOL.replace("async execute", "constructor() { throw new TypeError('no key'); }\n  async execute")
        % "",
    )
    host = bench.open("./thrower.mjs")
    assert host.describe().construction_error == "making an instance raised TypeError: no key"
    assert host.execute(stimulus("test", "generated", "{}", CONTEXT)).outcome is Outcome.NOT_CONSTRUCTED


def test_packages_above_a_project_are_not_found_where_they_are_hidden(tmp_path):
    """A certificate's copy lies below the directory for temporary files, where anybody may put a package."""
    package, project = tmp_path / "elsewhere" / "evil", tmp_path / "project"
    package.mkdir(parents=True)
    project.mkdir()
    (tmp_path / "more").mkdir()
    (tmp_path / "node_modules").symlink_to("elsewhere")
    (package / "index.js").write_text("")
    (project / "tool.mjs").write_text("import 'evil';\n" + TOOL % "return answer;")
    (package.parent / "linked").symlink_to(str(tmp_path / "more"))
    reads = (str(package.parent), str(tmp_path / "more"))
    with ArtHostPool(Environment(project, ())) as pool:
        assert pool.list_tools("./tool.mjs", ToolSettings(reads=reads)).tools == ("Tool",)
    hiding = ArtHostPool(Environment(project, (), hidden=above(project)))
    with hiding as pool, pytest.raises(TargetError, match="'evil'"):
        pool.list_tools("./tool.mjs", ToolSettings())
