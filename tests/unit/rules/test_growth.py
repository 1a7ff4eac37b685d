"""RES024 on what equal calls leave in their process: a growth to the end is found, kind by kind, and nothing that levels off."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration

RULE = b.RULES["RES024"]
MIB = 1024


def made(kind, *pairs, descriptors=None, **changes):
    """Equal calls in one process, by what it held of a kind before and after each."""
    opened = descriptors or [(5, 5)] * len(pairs)
    return [
        b.call(f"generated:{n}", earlier=n, held=((kind, *pair),), descriptors=opened[n - 1], **changes)
        for n, pair in enumerate(pairs, start=1)
    ]


def growing(count, step=1, start=10):
    return [(start + n * step, start + (n + 1) * step) for n in range(count)]


def findings(*calls):
    exploration = Exploration((b.declaration(),), tuple(calls))
    return list(RULE.findings(exploration)) if RULE.when(exploration) else []


@pytest.mark.parametrize(
    ("kind", "step", "message"),
    [
        ("temporary files", 1, "left temporary files: there were 10 before them, and 18 then."),
        ("child processes", 1, "left child processes: there were 10 before them, and 18 then."),
        ("threads", 1, "left threads: there were 10 before them, and 18 then."),
        ("memory", 2 * MIB, "let its process grow: from 10 KiB before them to 16394 KiB."),
    ],
)
def test_what_each_equal_call_leaves_is_found_with_the_figures(kind, step, message):
    calls = made(kind, *growing(8, step))
    (finding,) = findings(*calls)
    assert finding.message == f"Each of the last 8 equal calls {message}"
    assert (finding.call, finding.cause, finding.timed, finding.defers_to) == (calls[-1], kind, True, "")


@pytest.mark.parametrize(
    "calls",
    [
        made("temporary files", *growing(8), (18, 18)),
        made("temporary files", *growing(5), (15, 15), (15, 16)),
        made("temporary files", *[(3, 4)] * 9),
        made("memory", *growing(9, MIB - 1)),
        made("memory", *[(10 + n, 10 + n + 2 * MIB) for n in range(9)]),
        made("something else", *growing(9)),
        made("temporary files", *growing(9), result=b.failure()),
    ],
    ids=[
        "levels off",
        "too few in a row",
        "removed later",
        "less than a megabyte",
        "given back",
        "unknown",
        "refused",
    ],
)
def test_what_levels_off_or_is_little_is_not(calls):
    assert not findings(*calls)


def test_children_that_hold_descriptors_are_left_to_res021():
    (finding,) = findings(*made("child processes", *growing(8), descriptors=growing(8)))
    assert finding.defers_to == "RES021"


def test_the_threads_of_children_are_not_counted_beside_them():
    calls = made("child processes", *growing(8))
    held = [(*call.held, ("threads", *pair)) for call, pair in zip(calls, growing(8, 7), strict=True)]
    both = [b.replace(call, held=each) for call, each in zip(calls, held, strict=True)]
    assert [finding.cause for finding in findings(*both)] == ["child processes"]


def test_a_host_that_counts_nothing_is_not_judged():
    calls = tuple(b.call(earlier=3, descriptors=(5, 5)) for _ in range(9))
    assert not RULE.when(Exploration((b.declaration(),), calls))


@pytest.mark.parametrize(
    ("name", "usage", "applies"),
    [
        ("testing_greeter", "Purpose:\n- Greets.\n", True),
        ("open_database", "Purpose:\n- Greets.\n", False),
        ("greeting_log", "Purpose:\n- Greets.\n", False),
        ("testing_greeter", "Purpose:\n- Renders a greeting.\n", False),
    ],
)
def test_a_tool_that_may_keep_or_make_things_is_left_alone(name, usage, applies):
    assert (RULE.applies(b.declaration(name=name, usage=usage)) is None) is applies
