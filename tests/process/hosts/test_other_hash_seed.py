"""A call under another hash seed, or other conditions, is made in a process of its own, and the tool's next call is the first of its process."""

import json

from aptix_conformance.core.model import OtherConditions, OtherHashSeed
from aptix_conformance.core.model.codec import replace

ORDER = "return InvokeResult.create(json.dumps([list({'EUR', 'USD'}), hash('EUR')]))"


def test_a_set_has_the_order_of_the_seed(bench):
    bench.write("t", bench.tool("T", ORDER))
    host = bench.open("t:T")
    plan = bench.plan()
    assert "hash-seed" in host.disturbances
    usual = [host.execute(plan) for _ in range(2)]
    seeds = [replace(plan, disturbance=OtherHashSeed(seed)) for seed in ("20251", "20251", "0")]
    other = [host.execute(each) for each in seeds]
    found = [json.loads(call.result.payload) for call in (*usual, *other)]
    assert found[0] == found[1] == found[4] != found[2] == found[3]
    assert [call.plan for call in other] == seeds
    assert [call.earlier for call in (*usual, *other, host.execute(plan))] == [0, 1, 0, 0, 0, 0]


def test_a_tool_that_cannot_be_loaded_there_leaves_its_call_out_and_is_called_on(bench):
    """The rules on restarts judge that it cannot be loaded."""
    seedless = "assert os.environ.get('PYTHONHASHSEED') == '0', 'no other hashes'\n"
    bench.write("picky", seedless + bench.tool("Picky", "return None"))
    host = bench.open("picky:Picky")
    call = host.execute(replace(bench.plan(), disturbance=OtherHashSeed("20251")))
    assert "no other hashes" in call.left_out
    assert host.execute(bench.plan()).left_out is None


SURROUNDINGS = (
    "import datetime; "
    "stamp = datetime.datetime.fromtimestamp(0).isoformat(); "
    "year = datetime.date.today().year; "
    "return InvokeResult.create(json.dumps([stamp, os.environ['LC_ALL'], year]))"
)


def test_a_call_is_made_in_another_zone_locale_and_year(bench):
    bench.write("t", bench.tool("T", SURROUNDINGS))
    host, plan = bench.open("t:T"), bench.plan()
    conditions = (
        None,
        OtherConditions(zone="Pacific/Marquesas"),
        OtherConditions(zone="Asia/Tokyo"),
        OtherConditions(locale="de_DE.UTF-8"),
        OtherConditions(clock=f"{2 * 366 * 1440} minutes"),
    )
    assert "conditions" in host.disturbances
    calls = [host.execute(replace(plan, disturbance=each)) for each in conditions]
    usual, west, east, german, later = (json.loads(call.result.payload) for call in calls)
    assert usual[0].startswith(("1970", "1969"))
    assert [west[0], east[0]] == ["1969-12-31T14:30:00", "1970-01-01T09:00:00"]
    assert [usual[1], german[1]] == ["C.UTF-8", "de_DE.UTF-8"]
    assert later[2] > usual[2]
    assert [call.plan.disturbance for call in calls] == list(conditions)
