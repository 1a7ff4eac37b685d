"""Compiles templates. Everything that is not protocol goes to standard error."""
import logging
import string
import subprocess
import sys
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

TEMPLATES = Path(__file__).parent / "templates"

logging.basicConfig(stream=sys.stderr, level=logging.DEBUG, format="%(levelname)s %(name)s %(message)s")
log = logging.getLogger("templates")
print("template server, 3 templates, ready", file=sys.stderr)

mcp = FastMCP("templates", log_level="DEBUG")


def _template(name: str) -> string.Template:
    known = {path.stem: path for path in TEMPLATES.glob("*.tpl")}
    if name not in known:
        raise ValueError(f"template: there is no template {name!r}")
    return string.Template(known[name].read_text(encoding="utf-8"))


@mcp.tool()
def list_templates() -> list[dict]:
    """List the templates and the names of the values that each needs."""
    names = sorted(path.stem for path in TEMPLATES.glob("*.tpl"))
    return [{"template": name, "values": sorted(_template(name).get_identifiers())} for name in names]


@mcp.tool()
def render(
    template: Annotated[str, Field(description="Name of the template")],
    values: Annotated[dict[str, str], Field(description="A text for each value that the template needs")],
) -> str:
    """Fill in a template."""
    log.info("ERROR-free rendering of %s", template)
    compiled = _template(template)
    missing = sorted(set(compiled.get_identifiers()) - set(values))
    if missing:
        raise ValueError(f"values: missing {', '.join(missing)}")
    return compiled.substitute(values)


@mcp.tool()
def interpreter() -> dict:
    """Tell which interpreter renders the templates."""
    done = subprocess.run(
        [sys.executable, "-c", "import platform; print(platform.python_version())"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    log.warning("asked the interpreter for its version")
    return {"python": done.stdout.strip()}


if __name__ == "__main__":
    mcp.run()
