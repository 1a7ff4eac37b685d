"""The call that becomes an example is the most telling of those that worked each time."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.examine.working_call import working_call


def made(label, arguments, *, works=True, **changes):
    return b.call(label, arguments, result=None if works else b.failure(), **changes)


@pytest.mark.parametrize(
    ("calls", "chosen"),
    [
        ([made("minimal", "{}"), made("full", '{"a": 1}')], "{}"),
        ([made("minimal", "{}"), made("declared:1", '{"a": 1}')], '{"a": 1}'),
        ([made("full", '{"a": 1}'), made("boundary:a:known", '{"a": "Oslo"}')], '{"a": "Oslo"}'),
        ([made("minimal", "{}"), made("minimal", "{}", works=False), made("full", '{"a": 1}')], '{"a": 1}'),
        ([made("minimal", "{}", network=("127.0.0.1:80",))], None),
        ([made("generated", "{}"), made("boundary:a:longest", "{}")], None),
        ([made("minimal", "{}", works=False)], None),
        ([], None),
    ],
)
def test_the_most_telling_call_that_worked_each_time_is_chosen(calls, chosen):
    assert working_call(calls) == chosen
