"""RES019 finds an argument that a result shows damaged under its own name, and none that is normalised."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.core.model.codec import replace

RULE = b.RULES["RES019"]
MOST = 2**63 - 1
SCHEMA = b.with_property(
    record={"type": "integer"},
    share={"type": "number"},
    records={"type": "array", "items": {"type": "integer"}},
)


def calls(*pairs, name="record"):
    return tuple(
        b.call(f"generated:{number}", json.dumps({name: sent}), result=b.success({name: shown}))
        for number, (sent, shown) in enumerate(pairs, start=1)
    )


def judged(*pairs, name="record", schema=SCHEMA):
    """The findings; None where the rule has nothing to judge."""
    exploration = Exploration((b.declaration(schema),), calls(*pairs, name=name))
    return list(RULE.findings(exploration)) if RULE.when(exploration) else None


KEPT = (2**31 - 1, 2**31 - 1)


@pytest.mark.parametrize("shown", [2**63, 9223372036854776000, 9.223372036854776e18])
def test_the_nearest_double_of_an_identifier_is_found(shown):
    (finding,) = judged(KEPT, (MOST, shown))
    assert finding.message == f"record came back as {shown}, its nearest double."
    assert finding.call.plan.arguments == json.dumps({"record": MOST})


def test_it_is_found_within_arrays_and_below_other_members():
    sent = json.dumps({"records": [MOST]})
    below = b.call("full", sent, result=b.success({"order": {"records": [2**63]}}))
    exploration = Exploration((b.declaration(SCHEMA),), (*calls(([7], [7]), name="records"), below))
    assert [finding.cause for finding in RULE.findings(exploration)] == [("records", "its nearest double")]


@pytest.mark.parametrize(
    "pairs",
    [
        (KEPT, (MOST, MOST)),
        (KEPT, (10**30, 1e30)),
        (KEPT, (2**53 + 1, 2**53)),  # a bound
        (KEPT, (-(2**63) - 1, -(2**63))),
        (KEPT, (2**63, MOST)),
        (KEPT, (MOST, 1000)),
        (KEPT, (MOST, str(MOST))),
        (KEPT, (MOST, None)),
        ((MOST, 2**63),),  # nobody knows what it makes of small ones
        (KEPT, (7, 8), (MOST, 2**63)),  # it rounds all
        ((4, 4), (MOST, 2**63)),
        (KEPT, (MOST, True)),
    ],
)
def test_what_may_be_meant_is_no_rounding(pairs):
    assert judged(*pairs) == []


@pytest.mark.parametrize("schema", [SCHEMA, {"type": "function"}])
def test_a_number_that_may_be_a_fraction_may_be_a_double(schema):
    assert judged(KEPT, (MOST, 2**63), name="share", schema=schema) == []


@pytest.mark.parametrize(
    ("sent", "shown", "bits"),
    [(2**31, -(2**31), 32), (-(2**31) - 1, 2**31 - 1, 32), (2**63, -(2**63), 64)],
)
def test_what_is_left_of_an_integer_is_found(sent, shown, bits):
    (finding,) = judged((sent, shown))
    assert finding.message == f"record came back as {shown}, what is left of it in {bits} bits."


@pytest.mark.parametrize(("sent", "shown"), [(2**32, 0), (MOST, -1), (2**31, 2**31 - 1), (2**53 + 1, 1)])
def test_a_bound_and_a_value_for_none_are_no_rest(sent, shown):
    assert judged((sent, shown)) == []


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ("cafÃ©", "its bytes in another encoding"),
        ("caf\ufffd", "it with characters lost"),
        ("caf\ufffd\ufffd", "it with characters lost"),
    ],
)
def test_a_text_in_another_encoding_is_found(shown, kind):
    (finding,) = judged(("café", shown), name="name")
    assert finding.cause == ("name", kind)


def test_the_quotes_of_windows_are_found():
    (finding,) = judged(("“a”…", "“a”…".encode().decode("cp1252", "replace")), name="name")
    assert finding.cause == ("name", "its bytes in another encoding")


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("café", "café"),
        ("café", "CAFÉ"),
        ("café", "cafe"),
        ("café", "caf?"),
        ("café\u0301", "Hello"),
        ("caf\ufffd", "caf\ufffd"),
        ("\ud800é", "\ufffdé"),
        ("café", "\ufffd"),
    ],
)
def test_a_text_that_is_normalised_is_not(sent, shown):
    assert not judged((sent, shown), name="name")


MOMENT = "1970-01-01T00:00:00+14:00"


@pytest.mark.parametrize("shown", ["1970-01-01T00:00:00Z", "1970-01-01 00:00:00.000+00:00"])
def test_a_time_of_day_with_another_offset_is_found(shown):
    (finding,) = judged((MOMENT, shown), name="start")
    assert finding.message == f"start came back as {shown}, its time of day with another offset."


@pytest.mark.parametrize(
    "shown",
    [
        MOMENT,
        "1969-12-31T10:00:00Z",
        "1970-01-01T00:00:00",
        "1970-01-01",
        "1970-01-02T00:00:00Z",
        "1970-01-01T00:00:00+1400",
        "9999-99-99T00:00:00Z",
    ],
)
def test_the_same_moment_said_in_another_way_is_not(shown):
    assert judged((MOMENT, shown), name="start") == []


def test_a_tool_that_is_told_a_zone_may_move_times():
    zoned = b.with_property(start={"type": "string"}, time_zone={"type": "string"})
    assert judged((MOMENT, "1970-01-01T00:00:00Z"), name="start", schema=zoned) == []


def test_a_result_without_a_telling_argument_is_not_for_it():
    assert judged((7, 8), ("plain", "other")) is None
    assert judged((True, False)) is None


def test_calls_that_were_disturbed_or_that_no_model_makes_are_not_judged():
    (call,) = calls(("café", "cafÃ©"), name="name")
    odd = replace(call, plan=replace(call.plan, probe="malformed"))
    assert not RULE.when(Exploration((b.declaration(SCHEMA),), (odd,)))
