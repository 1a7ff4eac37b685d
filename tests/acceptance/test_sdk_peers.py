"""The official SDKs as peers: the tool of `python -m corpus same-tool`, on each of them and as an Aptix tool.

What an SDK breaks by itself is known, and is all that is found of a server on it; the tool is judged as if there was no SDK. The
SDKs are installed from PyPI and npm, by the lock files of the corpus, beside the environment of the tests.
"""

import tempfile
from pathlib import Path

import pytest
from corpus.same_tool.faults import CONFORMING, read_faults
from corpus.same_tool.variants import VARIANTS
from tests.acceptance.sdk_environments import installed

from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.present.reports.servers import what_stands_against
from aptix_conformance.systems.mcp import sdks

ON_SDKS = [variant for variant in VARIANTS if variant.system == "mcp"]
NEWEST = [variant for variant in ON_SDKS if variant.name.endswith("-2")]
OLDER, NEWER = "mcp-2025-11-25", "mcp-2026-07-28"
SERVED = {"1": {OLDER}, "2": {OLDER, NEWER}}
"""The revisions that an SDK serves, by its major version."""
NOT_SHOWN = {OLDER: {"EXC002", "MCP035", "MCP038"}, NEWER: {"EXC002", "MCP035"}}
"""By revision, what an SDK breaks but not here: EXC002 needs a tool that opens a file, MCP035 one that runs as a task, and MCP038 a
request without a handshake."""
OF_TOOLS = {"mcp 1": {"MCP110"}, "mcp 2": {"MCP110"}, "@modelcontextprotocol/sdk 1": {"MCP113"}}
"""What an SDK breaks in a tool."""
FAULTS = {fault.name: fault for fault in read_faults()}
JUDGED = {VerdictKind.PASS, VerdictKind.FAIL}


@pytest.fixture(scope="session")
def peer(request):
    """A variant of the tool and the folder with its SDK, which is installed once for all workers and for later runs."""
    return request.param, installed(request.param)


@pytest.fixture(scope="module")
def aptix_tool():
    """The report of the Aptix tool."""
    variant = next(variant for variant in VARIANTS if variant.system == "aptix")
    return examined(variant, installed(variant), CONFORMING).tools[0]


def examined(variant, place, fault, **options):
    """A report on few drawn calls, from a project of its own: other workers use the same SDK."""
    with tempfile.TemporaryDirectory(dir=place) as project:
        return variant.examine(FAULTS[fault], Path(project), examples=5, **options)


def named(variant):
    """`NAME VERSION` of its SDK."""
    return " ".join(variant.sdk.requirement)


def causes_in(entry):
    """Each broken rule, with each cause."""
    return {
        (verdict.rule, found.cause)
        for verdict in entry.verdicts
        if verdict.verdict is VerdictKind.FAIL
        for found in verdict.named_causes
    }


def verdicts_of(entry):
    """By rule, those that the rule's observations decided, without what the SDK breaks."""
    return {
        verdict.rule: verdict.verdict
        for verdict in entry.verdicts
        if verdict.verdict in JUDGED and verdict.rule not in entry.inherited
    }


@pytest.mark.parametrize("peer", ON_SDKS, indirect=True, ids=named)
def test_a_server_breaks_what_its_sdk_does_and_its_tool_is_judged_as_the_aptix_tool_is(peer, aptix_tool):
    variant, place = peer
    *servers, tool = examined(variant, place, CONFORMING, with_server=True).tools
    sdk = named(variant)
    assert {server.edition for server in servers} == SERVED[sdks._major(sdk)[-1]]

    known = sdks._OVER_STDIO[sdks._major(sdk)]
    for server in servers:
        rules = {verdict.rule for verdict in server.verdicts} - NOT_SHOWN[server.edition]
        assert causes_in(server) == {each for each in known if each[0] in rules}, server.target
        assert server.inherited == {rule: sdk for rule, _ in causes_in(server)}
        assert what_stands_against(server) == ""

    assert (tool.status, aptix_tool.status) == ("conforming", "conforming")
    assert tool.inherited == dict.fromkeys(OF_TOOLS.get(sdks._major(sdk), ()), sdk)
    assert set(verdicts_of(tool).values()) == set(verdicts_of(aptix_tool).values()) == {VerdictKind.PASS}
    assert len(verdicts_of(tool).keys() & verdicts_of(aptix_tool).keys()) > 20


@pytest.mark.parametrize("peer", NEWEST, indirect=True, ids=named)
def test_a_fault_in_the_tool_breaks_the_same_rule_on_an_sdk_of_each_language(peer):
    """As fixtures do in the golden matrix; `python -m corpus same-tool` has more faults, on each SDK and without one."""
    (tool,) = examined(*peer, "shows-a-path").tools
    assert tool.status == "nonconforming"
    assert {verdict.rule for verdict in tool.verdicts if verdict.blocks} == {"EXC003"}
