"""A target that names a file or a module which is not there is answered with the nearest one."""

import pytest

from aptix_conformance.systems.near_names import near_target
from aptix_conformance.systems.registry import OURS


@pytest.fixture
def hint(tmp_path):
    for name in ("my_tools.py", "tools/__init__.py", "tools/weather.py", "weather.mjs", "src/inner.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    elsewhere = tmp_path / "src"
    return lambda spec: near_target(OURS.specs.parse(spec), tmp_path, [str(elsewhere)])


@pytest.mark.parametrize(
    ("spec", "near"),
    [
        ("toolz", "tools"),
        ("my_tolls:WeatherTool", "my_tools"),
        ("tools.wether", "tools.weather"),
        ("amplifier:./my_tolls.py", "./my_tools.py"),
        ("art:./wether.mjs#T", "./weather.mjs"),
        ("mcp:python my_tolls.py --fast", "my_tools.py"),
        ("mcp:python -m tools.wether", "tools.weather"),
    ],
)
def test_the_nearest_file_or_module_is_suggested(hint, spec, near):
    assert hint(spec) == f" (did you mean {near}?)"


@pytest.mark.parametrize(
    "spec",
    [
        "my_tools:Weather",
        "inner",
        "zebra",
        "mcp:tolls",
        "mcp:npx -y @scope/server",
        "mcp:http://127.0.0.1:8/mcp",
        "art:./weather.mjs#X",
    ],
)
def test_where_the_file_is_there_or_nothing_is_near_nothing_is_suggested(hint, spec):
    assert hint(spec) == ""
