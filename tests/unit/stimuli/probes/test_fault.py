"""Faults are planned one use after the other, as far as a call has uses, up to a number of calls."""

import json

import pytest

from aptix_conformance.core.model import Call, Disturbed, Outcome, Raised, Result
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.notation import write_disturbance
from aptix_conformance.stimuli.probes import FaultProbe
from aptix_conformance.stimuli.probes.fault import OTHERS, OUTSIDE, UNKNOWN, fails_at, fault_sites, following
from aptix_conformance.targets.settings import ToolSettings

SITES = {
    "service": ["catalog.get() at tool.py:10", "catalog.get() at tool.py:10", "catalog.put() at tool.py:11"],
    "library": ["json.dumps() at tool.py:12"],
    "parser": ["json.loads() at tool.py:9"],
}


@pytest.fixture
def subject(five_fields):
    settings = replace(five_fields.settings, services={"catalog": "m:make"}, fault_modules=("my_db", "other"))
    return replace(five_fields, settings=settings, disturbances=frozenset({"fault"}))


@pytest.fixture
def seen(subject, host, explore):
    return explore(subject, host(subject), "valid")


def run(subject, seen, sites=SITES, elapsed=0.0, only=None, injected=None, retried=()):
    """Make the calls that the probe plans, of a tool with some sites in every call, and give them.

    `retried` are the faults after which it tries again.
    """
    ledger = list(seen)
    for plan in FaultProbe().fixed(subject, ledger):
        area, number, kind = plan.label.split(":")
        reached = int(number) <= len(sites[area]) and only in (None, plan.arguments)
        place = sites[area][int(number) - 1] if reached else ""
        disturbed = Disturbed(
            reached,
            place,
            injected=(injected or kind) if reached else "",
            retried=reached and kind in retried,
        )
        result = Result("InvokeResult", True, not reached, None if reached else "{}")
        ledger.append(Call(plan, Outcome.RETURNED, elapsed, result, disturbed=disturbed))
    return ledger[len(seen) :]


def labels(calls, arguments=None):
    return [call.plan.label for call in calls if arguments in (None, call.plan.arguments)]


def test_the_unknown_exception_is_tried_until_a_call_ends_before_its_fault(subject, seen):
    calls = run(subject, seen)
    base = calls[0].plan.arguments
    numbers = {
        area: [n for n in labels(calls, base) if n.startswith(area) and n.endswith(UNKNOWN)] for area in SITES
    }
    assert numbers["service"] == [f"service:{n}:unknown" for n in (1, 2, 3, 4)]
    assert numbers["library"] == ["library:1:unknown", "library:2:unknown"]
    assert numbers["parser"] == ["parser:1:unknown", "parser:2:unknown"]


def test_every_other_kind_is_tried_once_at_each_place(subject, seen):
    calls = run(subject, seen)
    others = [label for label in labels(calls) if not label.endswith(UNKNOWN)]
    expected = [f"service:{n}:{kind}" for n in (1, 3) for kind in OTHERS["service"]]
    expected += [f"library:1:{kind}" for kind in OTHERS["library"]] + ["parser:1:own"]
    assert others == expected


def test_where_the_system_fails_beneath_a_package_no_kind_of_exception_is_chosen(subject, seen):
    calls = run(subject, seen, {**SITES, "service": [], "parser": []}, injected=OUTSIDE)
    assert {label for label in labels(calls) if label.startswith("library")} == {
        "library:1:unknown",
        "library:2:unknown",
    }
    assert FaultProbe().shortfall(subject, [*seen, *calls]) is None


def test_where_the_contract_copies_the_text_of_exceptions_each_has_one(subject, seen):
    """Amplifier's document returns str(error): a tool written after it need not expect an error that has no text."""
    traits = replace(subject.declaration.traits, copies_exceptions=True)
    copying = replace(subject, declaration=replace(subject.declaration, traits=traits))
    assert any("unprintable" in label for label in labels(run(subject, seen)))
    calls = run(copying, seen)
    assert not any("unprintable" in label for label in labels(calls))
    assert FaultProbe().shortfall(copying, [*seen, *calls]) is None


def test_three_different_calls_are_tried_and_one_for_each_listed_value(subject, seen):
    sent = {call.plan.arguments for call in run(subject, seen)}
    members = [json.loads(arguments) for arguments in sent]
    for name, node in subject.schema["properties"].items():
        listed = node.get("enum", [True, False] if node.get("type") == "boolean" else [])
        assert {repr(value) for value in listed} <= {repr(made.get(name)) for made in members}
    assert 3 <= len(sent) < 10


def test_a_value_that_is_listed_inside_of_an_argument_has_its_turn(make_subject, host, explore):
    output = {"type": "object", "properties": {"format": {"enum": ["text", "csv", "svg"]}}}
    schema = {"type": "object", "properties": {"outputs": {"type": "array", "items": output, "minItems": 1}}}
    subject = replace(make_subject(schema), disturbances=frozenset({"fault"}))
    sent = {call.plan.arguments for call in run(subject, explore(subject, host(subject), "valid"))}
    assert all(any(f'"{wanted}"' in text for text in sent) for wanted in ("text", "csv", "svg"))


def test_plans_say_what_the_host_is_to_do(subject, seen):
    calls = run(subject, seen)
    for call in calls:
        area = call.plan.label.partition(":")[0]
        assert write_disturbance(call.plan.disturbance) == f"fault:{call.plan.label}" + (
            ":my_db,other" if area == "library" else ""
        )
    assert len({(call.plan.label, call.plan.arguments) for call in calls}) == len(calls)


def test_a_tool_without_services_is_not_tried_for_them(subject, seen):
    bare = replace(subject, settings=ToolSettings(examples=subject.settings.examples))
    assert not any(label.startswith("service") for label in labels(run(bare, seen)))


def test_a_host_that_makes_no_faults_is_asked_for_none(subject, seen):
    plain = replace(subject, disturbances=frozenset({"cancel"}))
    assert run(plain, seen) == []
    assert not FaultProbe().shortfall(plain, seen).reduced_coverage


def test_who_looks_at_no_calls_gets_an_end(subject, seen):
    """The list does not grow where somebody only lists the plans."""
    plans = list(FaultProbe().fixed(subject, list(seen)))
    assert len(plans) == len({plan.arguments for plan in plans}) * len(SITES)


def test_of_very_many_uses_fewer_and_fewer_are_tried(subject, seen):
    many = {**SITES, "service": [f"catalog.get() at tool.py:{n % 7}" for n in range(10_000)]}
    calls = run(subject, seen, many)
    base = calls[0].plan.arguments
    numbers = [
        int(label.split(":")[1])
        for label in labels(calls, base)
        if label.startswith("service") and UNKNOWN in label
    ]
    assert numbers[:20] == list(range(1, 21))
    assert len(numbers) < 50
    assert numbers[-1] > 10_000
    assert "some uses in a call" in FaultProbe().shortfall(subject, [*seen, *calls]).reason
    assert following(20) > 21


def test_the_number_of_faults_is_bounded_and_that_is_said(subject, seen, monkeypatch):
    monkeypatch.setattr("aptix_conformance.stimuli.probes.fault.MOST_CALLS", 6)
    calls = run(subject, seen)
    assert len(calls) == 6
    shortfall = FaultProbe().shortfall(subject, [*seen, *calls])
    assert shortfall.reduced_coverage
    assert "after 6 calls" in shortfall.reason


def test_a_call_with_each_listed_value_is_made_to_fail_and_what_is_left_out_is_said(
    make_subject, host, explore, monkeypatch
):
    codes = {"type": "object", "properties": {"code": {"enum": list(range(120))}}, "required": ["code"]}
    asked = replace(make_subject(codes), disturbances=frozenset({"fault"}))
    seen = explore(asked, host(asked), "valid")
    calls = run(asked, seen)
    assert {json.loads(call.plan.arguments)["code"] for call in calls} >= {*range(100)}
    assert FaultProbe().shortfall(asked, [*seen, *calls]) is None
    monkeypatch.setattr("aptix_conformance.stimuli.probes.fault.MOST_CALLS", 50)
    few = run(asked, seen)
    tried = {call.plan.arguments for call in few}
    said = FaultProbe().shortfall(asked, [*seen, *few]).reason
    assert (
        f"in {len({call.plan.arguments for call in calls} - tried)} calls with other values nothing" in said
    )


def test_nothing_is_missing_where_everything_was_tried(subject, seen):
    assert FaultProbe().shortfall(subject, [*seen, *run(subject, seen)]) is None


def test_a_place_that_is_known_to_raise_is_not_made_to_raise_what_it_does_anyway(subject, seen):
    trace = 'Traceback\n  File "/srv/tool.py", line 9, in execute\n  File "/lib/json/__init__.py", line 346, in loads\n'
    raised = Raised("JSONDecodeError", "", trace)
    known = [*seen, Call(seen[0].plan, Outcome.RAISED, 0.0, raised=raised)]
    calls = run(subject, known)
    assert "parser:1:own" not in labels(calls)
    assert fails_at(known[-1], "json.loads() at tool.py:9")
    assert not fails_at(known[-1], "json.loads() at tool.py:99")
    assert FaultProbe().shortfall(subject, [*known, *calls]) is None


def test_without_a_call_that_works_it_is_said_and_tried_all_the_same(subject):
    calls = run(subject, [])
    assert calls
    assert "give an example" in FaultProbe().shortfall(subject, calls).reason


def test_a_call_that_fails_behind_proxies_is_pointed_out(subject, seen):
    calls = [replace(call, result=replace(call.result, successful=False)) for call in run(subject, seen)]
    assert "some of their uses may be missing" in FaultProbe().shortfall(subject, [*seen, *calls]).reason


def test_sites_are_named_once_with_what_was_tried(subject, seen):
    found = fault_sites(run(subject, seen))
    assert list(found) == [
        "catalog.get() at tool.py:10",
        "catalog.put() at tool.py:11",
        *SITES["library"],
        *SITES["parser"],
    ]
    assert found["json.loads() at tool.py:9"] == ["unknown", "own"]
    assert set(found["catalog.put() at tool.py:11"]) == {UNKNOWN, *OTHERS["service"]}


def test_a_constructor_that_refuses_watched_services_is_pointed_out(subject, seen):
    calls = [replace(run(subject, seen)[0], outcome=Outcome.NOT_CONSTRUCTED, result=None, disturbed=None)]
    assert "constructor" in FaultProbe().shortfall(subject, [*seen, *calls]).reason


@pytest.mark.parametrize(
    ("retried", "lasting"),
    [((), []), (("timeout",), ["timeout"]), ((UNKNOWN, "os_error", "timeout"), ["os_error"]), (("gives_none",), [])],
    ids=["never", "after one", "after several", "a wrong value"],
)  # fmt: skip
def test_a_fault_lasts_at_each_place_where_the_tool_tries_again(subject, seen, retried, lasting):
    calls = run(subject, seen, {**SITES, "library": [], "parser": []}, retried=retried)
    found = [label for label in labels(calls) if "lasting" in label]
    assert found == [f"service:{n}:lasting-{kind}" for n in (1, 3) for kind in lasting]
