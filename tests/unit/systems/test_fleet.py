"""The list of a fleet: which lines name a server, and what is said of those that do not."""

import pytest

from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.systems.fleet import read_fleet
from aptix_conformance.systems.registry import installed


@pytest.fixture
def read(tmp_path):
    """Reads a list with some lines; its path is left out of what is said."""

    def read_lines(*lines):
        path = tmp_path / "list"
        path.write_text("\n".join(lines), encoding="utf-8")
        try:
            return read_fleet(path, installed().specs)
        except ConfigurationError as error:
            return str(error).replace(f"{path}", "list").split("\n")

    return read_lines


def test_a_line_is_the_command_of_a_server_at_an_exact_version(read):
    first, second, third = read(
        "# servers", "", "uvx --with 'mcp<2' --from a==1.0 start --x 'y z'", " npx -y @b/c@1.2.3-rc.1 docs", "npx @b/c@1.2.3 docs"
    )  # fmt: skip
    assert first.spec == "mcp:uvx --with 'mcp<2' --from a==1.0 start --x 'y z'"
    assert (first.package.name, first.package.needs, first.rest, first.line) == ("a", ("mcp<2",), ("--x", "y z"), 3)  # fmt: skip
    assert (second.package.name, second.package.spec) == ("@b/c", "1.2.3-rc.1")
    assert second.folder.startswith("npm-@b+c@1.2.3-rc.1-")
    assert second.folder != third.folder


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("uxv a==1", "'uxv a==1' starts neither uvx nor npx: write uvx NAME==VERSION or npx -y NAME@VERSION"),
        ("uvx a", "'uvx a' names no exact version: write NAME==VERSION"),
        ("uvx a==1.*", "'uvx a==1.*' names no exact version: write NAME==VERSION"),
        ("uvx 'a>=1'", "'uvx 'a>=1'' names no exact version: write NAME==VERSION"),
        ("npx -y a@latest", "'npx -y a@latest' names no exact version: write NAME@VERSION"),
        ("npx -y a@1.2", "'npx -y a@1.2' names no exact version: write NAME@VERSION"),
        ("npx -y a@^1.2.3", "'npx -y a@^1.2.3' names no exact version: write NAME@VERSION"),
        ("uvx 'a==1", "a quotation mark is open: close it"),
        ("uvx a==1 x#y", "'uvx a==1 x#y' has a `#`, which begins the name of a tool: remove it"),
        ("uvx git+https://example.com/a", "'git+https://example.com/a' names no package of an index: only NAME and NAME==VERSION are installed"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named_with_what_to_write(read, line, said):
    assert read("npx -y b@1.0.0", line) == [f"list:2: {said}"]


def test_every_wrong_line_has_a_line_of_its_own_up_to_twenty(read):
    said = read(*(f"uvx a{number}" for number in range(25)))
    assert (len(said), said[0].partition(":")[0], said[-1]) == (
        21,
        "list",
        "and 5 more lines of list are wrong",
    )


def test_a_server_that_is_named_twice_is_refused_and_one_with_other_arguments_is_another(read):
    assert read("npx a@1.0.0 x", "npx -y a@1.0.0 y", "npx -y a@1.0.0 x") == [
        "list:3: the same server as in line 1: remove one of them"
    ]


def test_a_list_without_servers_or_that_cannot_be_read_is_refused(read, tmp_path):
    assert read("# none") == ["list names no server: write a line such as uvx NAME==VERSION for each"]
    with pytest.raises(ConfigurationError, match="cannot be read: No such file or directory"):
        read_fleet(tmp_path / "missing", installed().specs)
    (tmp_path / "latin").write_bytes(b"uvx \xe4")
    with pytest.raises(ConfigurationError, match="cannot be read: it is not UTF-8"):
        read_fleet(tmp_path / "latin", installed().specs)
