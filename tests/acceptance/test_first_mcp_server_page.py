"""docs/first-mcp-server.md is true: each server breaks the rule that the page names, and after its fix no longer.

Only that rule is examined, of the tool alone: the whole of `check` starts a server dozens of times.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpus.environments import install
from corpus.servers import Server
from tests.acceptance.sdk_environments import installed
from tests.pages import read_page

SECTIONS = read_page("docs/first-mcp-server.md").sections
FAULT = re.compile(r"The tool breaks `(\w+)`")
SDKS = {
    "FastMCP": Server("first-server-fastmcp", "pypi:fastmcp==4.2.3"),
    "Python SDK": Server("same-tool-mcp-2", "pypi:mcp==2.3.0"),
    "npm SDK": Server("same-tool-npm-2", "npm:@modelcontextprotocol/server@2.4.0"),
}


@pytest.fixture(params=SDKS)
def part(request):
    """A part of the page, and an empty project in the folder with its SDK."""
    sdk = SDKS[request.param]
    place = installed(SimpleNamespace(name=sdk.name, install=lambda folder: install(sdk, folder)))
    with tempfile.TemporaryDirectory(dir=place) as project:
        # Without a table of pytest's, the root would be the checkout, in which the environment is.
        Path(project, "pyproject.toml").write_text("[tool.pytest.ini_options]\n", encoding="utf-8")
        yield SECTIONS[request.param], Path(project)


def examined(project, file, rule):
    """What the examination by one rule prints, of the file that the page checks."""
    program = project.parent / "venv" / "bin" / "python" if file.endswith(".py") else "node"
    options = ["--aptix-thoroughness=quick", f"--aptix-tools=mcp:{program} {file}#current_weather"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--aptix-conformance", *options, "-k", rule, "-p", "no:cacheprovider"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def test_a_server_breaks_the_rule_that_the_page_names_until_it_is_fixed(part):
    section, project = part
    server, fix = [text for language in ("python", "javascript") for text in section.blocks(language)]
    *_, (_, check, file) = section.commands()
    (rule,) = FAULT.findall(section.text)
    assert check == "check"
    (project / file).write_text(server, encoding="utf-8")
    found = f"FAILED aptix::current_weather::{rule}"
    assert found in examined(project, file, rule)

    (wrong,) = [line for line in server.splitlines(keepends=True) if line[:10] == fix[:10]]
    (project / file).write_text(server.replace(wrong, fix), encoding="utf-8")
    fixed = examined(project, file, rule)
    assert "current_weather" in fixed
    assert found not in fixed
