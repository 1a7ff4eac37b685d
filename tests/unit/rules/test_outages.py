"""EXC017 and EXC018: what a tool does while a recorded service fails."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Change, Disturbed, Exploration, InjectedFault, Kind, Outage, Raised

AT = 'Traceback:\n  File "/tool/quotes.py", line {}, in execute\n'


def during(name="500", reached=True, **seen):
    """A call of the probe outage."""
    made = b.call(probe="outage", **seen)
    plan = b.replace(made.plan, change=Change(Kind.DISTURBED, number=1), disturbance=Outage(name))
    return b.replace(made, plan=plan, disturbed=Disturbed(reached, "GET https://a.example/x" * reached))


def raised(line=7, kind="URLError"):
    return Raised(kind, "no answer", AT.format(line))


def found(code, *calls):
    rule, whole = b.RULES[code], Exploration(calls=calls)
    assert rule.when(whole)
    return [each for each in rule.findings(whole) if not each.defers_to]


def test_an_exception_during_an_outage_is_found_for_each_way_to_fail():
    findings = found("EXC017", during("500", raised=raised()), during("cut", raised=raised()))
    assert [each.cause for each in findings] == ["500", "cut"]
    assert findings[0].message == "The tool raised URLError: no answer."


def test_a_failed_result_is_right():
    assert found("EXC017", during(result=b.failure("The exchange does not answer."))) == []
    assert found("EXC018", during(result=b.failure("The exchange does not answer."))) == []


def test_what_raises_without_an_outage_too_is_another_rules():
    assert found("EXC017", during(raised=raised()), b.call(raised=raised())) == []
    faulty = b.call(probe="fault", raised=raised(kind="RuntimeError"))
    faulty = b.replace(
        faulty, plan=b.replace(faulty.plan, disturbance=InjectedFault("library", 1, "unknown"))
    )
    assert found("EXC017", during(raised=raised()), faulty) == []
    assert found("EXC017", during(raised=raised(9)), faulty)


@pytest.mark.parametrize("code", ["EXC017", "EXC018"])
@pytest.mark.parametrize("call", [during(reached=False), b.call()], ids=["not reached", "no outage"])
def test_a_call_without_an_outage_is_not_judged(code, call):
    assert not b.RULES[code].when(Exploration(calls=(call,)))


@pytest.mark.parametrize("name", ["500", "429", "refused", "cut", "certificate"])
def test_a_success_with_another_result_is_found(name):
    (finding,) = found(
        "EXC018", during(name, result=b.success({"rate": 0})), b.call(result=b.success({"rate": 2}))
    )
    assert "returned '" in finding.message
    assert finding.cause == name


@pytest.mark.parametrize("name", ["not-json", "encoding"])
def test_a_tool_need_not_read_what_it_gets(name):
    assert not b.RULES["EXC018"].when(Exploration(calls=(during(name, result=b.success({"page": 1})),)))


def test_the_usual_result_and_one_that_tells_the_status_are_right():
    kept = b.success({"rate": 2})
    assert found("EXC018", during(result=kept), b.call(result=kept)) == []
    assert found("EXC018", during(result=b.success({"status": 500, "body": ""})), b.call(result=kept)) == []


@pytest.mark.parametrize("name", ["refused", "cut", "certificate"])
def test_a_number_is_no_status_where_none_was_answered(name):
    told = b.success({"price": 500})
    assert found("EXC018", during(name, result=told), b.call(result=b.success({"price": 2})))


@pytest.mark.parametrize("usual", [(), ({"rate": 2}, {"rate": 3})], ids=["none", "two"])
def test_without_one_usual_result_nothing_is_found(usual):
    calls = [b.call(result=b.success(each)) for each in usual]
    assert found("EXC018", during(result=b.success({"rate": 0})), *calls) == []


def test_the_identifiers_of_a_context_and_the_order_of_members_are_no_difference():
    one, two = ("c0ffee" + digit * 26 for digit in "12")
    usual = b.call(context={"session_id": one}, result=b.success({"rate": 2, "id": one}))
    failed = during(context={"session_id": two}, result=b.success({"id": two, "rate": 2}))
    assert found("EXC018", failed, usual) == []
