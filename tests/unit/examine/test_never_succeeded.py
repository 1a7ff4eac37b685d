"""A tool of which no call succeeded: why, and what to paste."""

import dataclasses
import json
import os
import stat
import tomllib

import pytest
from tests.stimuli import stimulus
from tests.verdicts import verdict

from aptix_conformance.core.model import (
    Call,
    Change,
    Exploration,
    Kind,
    LogRecord,
    Outcome,
    Parameter,
    Raised,
    Result,
)
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.disturbance import InjectedFault, ProtocolStimulus
from aptix_conformance.core.model.traits import SystemTraits
from aptix_conformance.core.model.verdict import VerdictKind
from aptix_conformance.examine import Examination
from aptix_conformance.examine import never_succeeded as module
from aptix_conformance.present.reports.tool_reports import tool_report
from aptix_conformance.stimuli.probes.authors_world import KNOWN
from aptix_conformance.targets.settings import Target

FAILED = Result("InvokeResult", is_invoke_result=True, successful=False, error_message="Try later.")
LOGGER = Parameter("logger", "positional", required=True, annotation="AdminLogger")
CLIENT = Parameter("client", "positional", required=False)


def call(label="generated", result=FAILED, **members):
    outcome = Outcome.RETURNED if result else Outcome.RAISED
    plan = stimulus("valid", label, "{}", None)
    return Call(plan=plan, outcome=outcome, elapsed=0.1, result=result, **members)


@pytest.fixture
def examined(declaration):
    """The examination of a tool with these calls, and parameters of its constructor."""

    def make(*calls, constructor=(LOGGER,), containment="full", **members):
        declared = replace(declaration, constructor=constructor, **members)
        target = Target("birds:Owl", "aptix", "birds", "Owl", "here")
        seen = Exploration((declared,), calls)
        return Examination("owl", target, "e", None, (), seen, 1.0, Containment(containment))

    return make


@pytest.fixture
def found(examined):
    """What is found of such a tool."""
    return lambda *calls, **members: module.unreached(examined(*calls, **members))


def refusals_of(call, examination):
    declaration = examination.exploration.declarations[0]
    return module.refusals_of(call, declaration, examination.containment)


def test_a_tool_that_succeeded_once_was_reached(found):
    assert found(call(), call(result=replace(FAILED, successful=True, error_message=None))) is None


def test_a_tool_that_waits_for_somebody_was_reached(found):
    """A result that is neither a success nor a failure is work that was done."""
    assert found(call(result=replace(FAILED, successful=None))) is None


def test_the_answer_to_a_message_of_the_protocol_is_no_work_of_the_tool(found):
    plan = replace(call().plan, disturbance=ProtocolStimulus("ping"))
    answer = Call(plan=plan, outcome=Outcome.RETURNED, elapsed=0.1, result=replace(FAILED, successful=None))
    assert found(call(), answer).reason == "It refused every call that the suite could make from its schema."


def test_refusals_alone_ask_for_a_call_that_works(found):
    said = found(call())
    assert said.said == "Try later."
    assert "refused every call" in said.reason
    assert tomllib.loads(said.settings.replace("…", "x"))["tool"]["aptix-conformance"]["tool"] == {
        "birds:Owl": {"examples": [{}]}
    }


def test_what_was_tried_of_the_authors_world_is_said(found):
    changes = [Change(Kind.BOUNDARY, "city", KNOWN, number=number) for number in range(5)]
    plans = [replace(call().plan, change=change, arguments='{"city": "Oslo"}') for change in changes]
    said = found(call(), *(replace(call(), plan=plan) for plan in plans))
    assert said.reason.endswith('name: {"city": "Oslo"}, {"city": "Oslo"}, {"city": "Oslo"} and 2 more.')
    assert "examples = [" in said.settings


@pytest.mark.parametrize("label", ["generated", "example:1"])
@pytest.mark.parametrize("constructor", [(LOGGER,), (LOGGER, CLIENT)])
def test_a_method_that_is_not_implemented_asks_for_the_one_that_is(found, label, constructor):
    raised = Raised("NotImplementedException", "Use the overload.", "")
    said = found(call(label, None, raised=raised), call(label, None, raised=raised), constructor=constructor)
    assert "not implemented" in said.reason
    assert said.said == "NotImplementedException: Use the overload."
    assert said.settings.splitlines()[1:] == ['execute = "ExecuteAsync(string, …)"']
    assert "services" not in said.remedy
    other = found(call(label, None, raised=raised), call(label), constructor=constructor)
    assert "execute" not in other.settings


def test_an_example_that_is_refused_asks_for_what_it_needs(found):
    said = found(call("example:1"), constructor=(LOGGER, CLIENT))
    assert "the author's examples included" in said.reason
    assert "examples" not in said.settings
    assert 'services = { client = "my_tests.stand_ins:make_client" }' in said.settings


def test_a_tool_that_hangs_is_not_said_to_refuse(found):
    """What happened is said: a remedy for a refusal does not help a tool that never answers."""
    hung = replace(call(result=None), outcome=Outcome.TIMED_OUT)
    said = found(hung, hung)
    assert said.reason == "It came back from no call that the suite could make from its schema."
    assert "`timeout`" in said.remedy


def test_calls_that_ended_in_several_ways_are_counted(found):
    hung, crashed = (
        replace(call(result=None), outcome=each) for each in (Outcome.TIMED_OUT, Outcome.CRASHED)
    )
    said = found(call(), call(), hung, crashed, call("example:1"))
    assert said.reason == (
        "No call, the author's examples included, succeeded: it refused 3, did not come back from 1 and ended its process in 1."
    )


@pytest.mark.parametrize(
    "said", ["sqlite3.OperationalError: unable to open database file", "SQLITE_READONLY: attempt to write"]
)
def test_a_database_that_does_not_open_is_perhaps_the_suites_doing(found, said):
    """SQLite names no file, so that the suite cannot look; where nothing is contained it says nothing."""
    opened = call(result=None, raised=Raised("OperationalError", said, ""))
    shown = found(opened)
    assert "SQLite could not open or write its file" in shown.reason
    assert "`files`" in shown.remedy
    assert "SQLite" not in found(opened, containment="none").reason


@pytest.mark.parametrize(
    "members",
    [
        {"network": ("bank.example:443",)},
        {"logs": (LogRecord("log", message="[Errno -3] Temporary failure in name resolution"),)},
        {
            "result": None,
            "raised": Raised("URLError", "<urlopen error [Errno 101] Network is unreachable>", ""),
        },
        {"result": replace(FAILED, error_message="getaddrinfo ENOTFOUND bank.example")},
    ],
)
def test_a_refused_network_is_the_suites_doing(found, members):
    said = found(call(), call(**members))
    assert said.reason.startswith("The suite gives a tool no network")
    assert "services = {" in said.settings


def test_where_the_network_is_allowed_it_is_not_the_suites_doing(found):
    assert "network" not in found(call(network=("bank.example:443",)), containment="none").reason


def test_a_file_that_the_suite_hid_is_named_with_the_line_that_shows_it(found, tmp_path):
    (tmp_path / "model.bin").touch()
    missing = Raised("FileNotFoundError", f"[Errno 2] No such file or directory: '{tmp_path}/model.bin'", "")
    said = found(call(result=None, raised=missing))
    assert said.reason.startswith(f"The suite hides {tmp_path}/model.bin from the tool")
    tables = tomllib.loads(said.settings)["tool"]["aptix-conformance"]["tool"]
    assert tables == {"birds:Owl": {"reads": [f"{tmp_path}/model.bin"]}}
    assert "hides" not in found(call(result=None, raised=missing), containment="none").reason


def test_a_socket_that_the_suite_refused_is_named(found, tmp_path):
    os.mknod(tmp_path / "agent.sock", stat.S_IFSOCK)
    said = found(call(network=(f"{tmp_path}/agent.sock",)))
    assert said.reason.startswith(f"The suite lets no tool use the UNIX socket {tmp_path}/agent.sock")
    assert said.settings == ""


def test_a_tool_without_a_constructor_gets_no_services(found):
    said = found(call("example:1", network=("bank.example:443",)), constructor=())
    assert said.settings == ""


def test_a_service_that_is_missing_is_named(found):
    said = found(missing_services=("calendar",), construction_error="calendar is missing")
    assert "calendar" in said.reason
    assert "make_calendar" in said.settings


def test_a_tool_that_was_not_to_be_called_is_left_alone(found):
    assert found() is None


NO_NAME = Raised("URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>", "")


@pytest.mark.parametrize(
    ("members", "shown"),
    [
        ({"network": ("bank.example:443",)}, "it tried to reach bank.example:443"),
        ({"result": None, "raised": NO_NAME}, "it said: Temporary failure in name resolution"),
    ],
)
@pytest.mark.parametrize(
    ("constructor", "helps"),
    [
        ((LOGGER,), 'for a stand-in, set services = { client = "my_tests.stand_ins:make_client" }.'),
        (
            (LOGGER, replace(CLIENT, name="bank")),
            'for a stand-in, set services = { bank = "my_tests.stand_ins:make_bank" }.',
        ),
        ((), "let it be made with the client that it asks through, and make it with a stand-in here."),
    ],
)
def test_a_network_that_was_refused_to_one_call_is_said_of_that_call(
    examined, members, shown, constructor, helps
):
    one = call(**members)
    (said,) = refusals_of(one, examined(one, constructor=constructor))
    assert said == f"The suite gives a tool no network, and this call needs one ({shown}): {helps}"


def test_a_refused_network_is_not_said_of_others(examined):
    one = call(network=("bank.example:443",))
    assert refusals_of(one, examined(one, containment="none")) == ()
    assert refusals_of(call(), examined(one)) == ()
    fault = replace(one, plan=replace(one.plan, disturbance=InjectedFault("library", 1, "os_error")))
    assert refusals_of(fault, examined(fault)) == ()


@pytest.mark.parametrize(
    ("members", "hosts"),
    [
        ({"network": ("bank.example:443",)}, '["bank.example:443"]'),
        ({"result": replace(FAILED, error_message="fetch failed")}, '["HOST:PORT"]'),
    ],
)
def test_a_server_is_told_how_its_network_is_opened(examined, members, hosts):
    one = call(**members)
    seen = examined(one, traits=SystemTraits("mcp", has_servers=True))
    (said,) = refusals_of(one, seen)
    assert said.endswith(f": to open it, set network = {hosts}.")
    opened = replace(seen, containment=Containment("partial", ("`network` opens bank.example:443",)))
    assert refusals_of(one, opened) == ()


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("MAPS_API_KEY is not set.", 'env = { MAPS_API_KEY = "…" }'),
        ("Missing: DB_HOST, DB_PORT", 'env = { DB_HOST = "…", DB_PORT = "…" }'),
        ("the environment variable OWL_2 is required", 'env = { OWL_2 = "…" }'),
    ],
)
def test_a_missing_variable_of_the_environment_is_offered(found, said, line):
    refused = replace(FAILED, error_message=said)
    assert line in found(call(result=refused)).settings
    example = found(call("example:1", result=refused))
    assert example.settings.endswith(line)
    assert example.remedy == "Give it the environment variable that it asks for."


@pytest.mark.parametrize(
    "said", ["HTTP is required.", "INVALID_ARGUMENT: it is required", "The owl is not set."]
)
def test_another_message_offers_no_variable(found, said):
    assert "env = { NAME" in found(call("example:1", result=replace(FAILED, error_message=said))).settings


WORKED = replace(FAILED, successful=True, error_message=None, payload="No results found.")
SERVERS = SystemTraits("mcp", has_servers=True)
ELSEWHERE = ("another machine",)


def test_successes_that_tried_the_network_in_vain_show_no_work(found):
    said = found(
        call(result=WORKED, network=ELSEWHERE), call(result=WORKED, network=ELSEWHERE), traits=SERVERS
    )
    assert (said.in_vain, said.said) == (True, "No results found.")
    assert tomllib.loads(said.settings)["tool"]["aptix-conformance"]["tool"]["birds:Owl"] == {
        "network": ["HOST:PORT"]
    }


def status(examination, kind):
    """The status of a tool with one verdict on a MUST rule, on which the examination and the report agree."""
    judged = dataclasses.replace(examination, verdicts=(verdict("EXC001", kind),))
    assert judged.status == tool_report(judged, tool="owl", deselected=frozenset()).status
    return judged.status


def test_a_tool_whose_work_was_done_in_vain_is_incomplete(examined):
    in_vain = examined(call(result=WORKED, network=ELSEWHERE), traits=SERVERS)
    assert status(in_vain, VerdictKind.PASS) == "incomplete"
    assert status(examined(call(result=WORKED), traits=SERVERS), VerdictKind.PASS) == "conforming"


def test_a_tool_that_refuses_everything_by_a_waived_breach_conforms_with_waivers(examined):
    """What a waived rule hides is waived with it, also where no call succeeded."""
    assert status(examined(call()), VerdictKind.WAIVED) == "conforming-with-waivers"


def test_a_success_that_says_that_it_failed_is_no_work(found):
    """A call may fail before it reaches the network, as one with half of an address."""
    bad = replace(WORKED, payload=json.dumps("Failed to fetch price for Z:\n: the URL has a line feed"))
    plan = stimulus("valid", "generated", json.dumps({"symbol": "Z:\n"}), None)
    failed = replace(call(result=bad), plan=plan)
    assert found(call(result=WORKED, network=ELSEWHERE), failed, traits=SERVERS).in_vain


@pytest.mark.parametrize(
    ("members", "traits", "containment"),
    [
        pytest.param({}, SERVERS, "full", id="one that needed no network"),
        pytest.param({"network": ("/run/db.sock",)}, SERVERS, "full", id="a socket of this machine"),
        pytest.param({"network": ELSEWHERE}, SystemTraits("art"), "full", id="a system without the setting"),
        pytest.param({"network": ELSEWHERE}, SERVERS, "none", id="no containment"),
    ],
)
def test_other_successes_show_work(found, members, traits, containment):
    first = call(result=WORKED, network=ELSEWHERE)
    assert found(first, call(result=WORKED, **members), traits=traits, containment=containment) is None
