"""The grammar of target specs."""

import pytest

from aptix_conformance.core.errors import SpecError
from aptix_conformance.systems.registry import OURS

parse = OURS.specs.parse


def spec(prefix, module, qualname=None):
    return OURS.specs.spec(OURS.runtime(prefix).spelling, module, qualname)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my_pkg.tools:WeatherTool", spec("aptix", "my_pkg.tools", "WeatherTool")),
        ("my_pkg.tools:Outer.Inner", spec("aptix", "my_pkg.tools", "Outer.Inner")),
        ("my_pkg.tools", spec("aptix", "my_pkg.tools")),
        ("tools", spec("aptix", "tools")),
        ("tools:Weather", spec("aptix", "tools", "Weather")),
        ("aptix:my_pkg.tools:WeatherTool", spec("aptix", "my_pkg.tools", "WeatherTool")),
        ("aptix:tools", spec("aptix", "tools")),
        ("aptix:host:Tool", spec("aptix", "host", "Tool")),
        ("host.tools:Tool", spec("aptix", "host.tools", "Tool")),
        ("art", spec("aptix", "art")),
        ("wetter.wärme:Fühler", spec("aptix", "wetter.wärme", "Fühler")),
    ],
)
def test_a_spec_of_an_aptix_tool_is_read(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize(
    "spec",
    [spec("aptix", "a.b", "C"), spec("aptix", "a"), spec("aptix", "host", "C"), spec("aptix", "art")],
)
def test_the_canonical_spelling_parses_to_the_same_spec(spec):
    assert parse(spec.canonical) == spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mcp:python -m notes", True),
        ("mcp:python -m notes#add_note", False),
        ("mcp:http://127.0.0.1:8000/mcp", True),
        ("mcp:", False),
        ("art:./tools/weather.mjs", False),
        ("notes.server", False),
    ],
)
def test_a_spec_without_a_tool_names_a_server_where_its_system_has_servers(text, expected):
    assert OURS.specs.names_server(text) is expected


def test_the_canonical_spelling_names_a_system_only_where_it_must():
    assert parse("aptix:a.b:C").canonical == "a.b:C"
    assert parse("aptix:host:C").canonical == "aptix:host:C"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("amplifier:tool-filesystem", spec("amplifier", "tool-filesystem")),
        ("amplifier:./modules/notes#add_note", spec("amplifier", "./modules/notes", "add_note")),
        ("art:./tools/weather.mjs#Weather", spec("art", "./tools/weather.mjs", "Weather")),
        ("art:@scope/tools", spec("art", "@scope/tools")),
        ("host:./h --flag", spec("host", "./h --flag")),
        ("host:./h --colour #ff0000 --fast", spec("host", "./h --colour #ff0000 --fast")),
        ("host:./h --flag#weather", spec("host", "./h --flag", "weather")),
    ],
)
def test_a_spec_of_another_system_is_a_place_and_perhaps_one_tool_of_it(text, expected):
    assert parse(text) == expected
    assert parse(expected.canonical) == expected


@pytest.mark.parametrize("text", ["art:", "amplifier: ", "host:#weather", "art:./weather.mjs#"])
def test_a_spec_of_another_system_that_names_no_place_or_no_tool_is_refused(text):
    system = text.partition(":")[0]
    with pytest.raises(SpecError, match=f"a correct one is `{system}:"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "wrong", "example"),
    [
        ("", "names nothing", "my_pkg.tools:WeatherTool"),
        ("  ", "names nothing", "my_pkg.tools:WeatherTool"),
        ("aptix:", "names no module", "my_pkg.tools:WeatherTool"),
        ("src/my_pkg/tools.py", "path of a file", "my_pkg.tools"),
        ("./my_pkg/tools.py:WeatherTool", "path of a file", "my_pkg.tools:WeatherTool"),
        ("my_pkg/tools.py::WeatherTool", "path of a file", "my_pkg.tools:WeatherTool"),
        ("my_pkg\\tools.py", "path of a file", "my_pkg.tools"),
        ("my_pkg/__init__.py", "path of a file", "my_pkg"),
        ("tools.py", "path of a file", "tools"),
        ("my_pkg/to\rols.py", "path of a file", "my_pkg.tools"),
        ("/opt/my-pkg/tools.py", "path of a file", "my_pkg.tools:WeatherTool"),
        ("my_pkg.tools::WeatherTool", "double colon", "my_pkg.tools:WeatherTool"),
        ("art::Tool", "double colon", "art:Tool"),
        ("my_pkg.tools: WeatherTool", "holds a blank", "my_pkg.tools:WeatherTool"),
        ("my_pkg.tools:WeatherTool\n", "holds a blank", "my_pkg.tools:WeatherTool"),
        (
            "mpc:python server.py",
            "holds a blank (is `mcp` the system that is meant?)",
            "my_pkg.tools:WeatherTool",
        ),
        ("a.b:C:D", "two colons", "my_pkg.tools:WeatherTool"),
        ("my_pkg..tools:W", "no dotted module path", "my_pkg.tools:WeatherTool"),
        ("my-pkg.tools", "no dotted module path", "my_pkg.tools:WeatherTool"),
        (":Tool", "no dotted module path", "my_pkg.tools:WeatherTool"),
        ("a.b:", "no class name", "my_pkg.tools:WeatherTool"),
        ("a.b:1", "no class name", "my_pkg.tools:WeatherTool"),
        ("amplifer:tool-notes", "is `amplifier` the system that is meant", "my_pkg.tools:WeatherTool"),
    ],
)
def test_a_malformed_spec_is_refused_with_its_source_and_a_correct_one(text, wrong, example):
    with pytest.raises(SpecError) as refusal:
        parse(text, "pyproject.toml [tool.aptix-conformance] tools")
    message = str(refusal.value)
    assert message.startswith("pyproject.toml [tool.aptix-conformance] tools: ")
    assert wrong in message
    assert message.endswith(f"a correct one is `{example}`")


def test_a_hostile_spec_does_not_reach_the_terminal_as_it_is():
    with pytest.raises(SpecError) as refusal:
        parse("\x1b[2Ja\ud800" + "x" * 10_000)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 500
