"""The probes on concurrent updates, and what RES017 makes of their calls: which tools lose something, and which do not."""

import json

import pytest
from tests.unit.rules import builders as b
from tests.unit.stimuli.probes.keepers import ARGUMENTS, SCHEMA, Keeper, LosingKeeper, Observed

from aptix_conformance.core.model import Exploration, Kind
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.probes.concurrent_updates import COUNT, WORDS

RULE = b.RULES["RES017"]
PROBES = ("keeping", "in-turn", "in-reverse", "at-once")


@pytest.fixture
def observed(make_subject):
    def run(make_tool, schema=SCHEMA, arguments=ARGUMENTS, *, at_once=True):
        able = frozenset({"together"}) if at_once else frozenset()
        return Observed(make_tool, replace_disturbances(make_subject(schema), able), arguments).run()

    return run


def replace_disturbances(subject, able):
    return replace(subject, disturbances=able)


def judged(observed, usage=b.USAGE):
    """The messages of RES017; None where it does not judge the tool."""
    exploration = Exploration((b.declaration(usage=usage),), tuple(observed.calls))
    if not RULE.when(exploration):
        return None
    findings = RULE.findings(exploration)
    assert all(finding.timed and finding.call is observed.calls[-1] for finding in findings)
    return [finding.message for finding in findings]


# ---- what is planned


def test_a_tool_that_keeps_nothing_costs_no_call(observed):
    class Stateless(Keeper):
        def call(self, arguments):
            return {"hello": arguments["entity"]}

        def files(self):
            return {}

    seen = observed(Stateless)
    assert [seen.of(probe) for probe in PROBES] == [[], [], [], []]
    assert judged(seen) is None


def test_a_host_that_makes_one_call_at_a_time_gets_none(observed):
    assert not observed(LosingKeeper, at_once=False).of("keeping")


def test_the_same_calls_are_made_in_two_orders_and_at_the_same_time(observed):
    seen = observed(Keeper)
    sent = {probe: [json.loads(c.plan.arguments)["entity"] for c in seen.of(probe)] for probe in PROBES}
    assert sent == {
        "keeping": ["kestrel", "Ada"],
        "in-turn": [*WORDS[:-1], WORDS[-1]],
        "in-reverse": [*WORDS[-2::-1], WORDS[-1]],
        "at-once": list(WORDS),
    }
    kinds = [call.plan.kind for call in seen.of("at-once")]
    assert kinds == [Kind.TOGETHER] * COUNT + [Kind.SAME]


def test_the_argument_is_chosen_whose_value_is_kept(observed):
    class Files(LosingKeeper):
        def call(self, arguments):
            return super().call({"entity": arguments["text"]})

    schema = {"type": "object", "properties": {"file": {"type": "string"}, "text": {"type": "string"}}}
    seen = observed(Files, schema, {"file": "a.txt", "text": "x"})
    assert {json.loads(call.plan.arguments)["file"] for call in seen.of("at-once")} == {"a.txt"}
    assert judged(seen) == [LOST]


def test_a_value_inside_an_array_is_found(observed):
    class Graph(LosingKeeper):
        def call(self, arguments):
            return super().call({"entity": arguments["entities"][0]["name"]})

    item = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    schema = {
        "type": "object",
        "properties": {"entities": {"type": "array", "items": item}, "by": {"type": "string"}},
        "required": ["entities"],
    }
    assert judged(observed(Graph, schema, {"entities": [{"name": "Ada"}], "by": "me"})) == [LOST]


def test_a_call_that_fails_in_turn_ends_it(observed):
    class Two(Keeper):
        def call(self, arguments):
            return "full" if len(self.kept) > 2 else super().call(arguments)

    class Neighbourly(Two):
        """Full only for the words."""

        def call(self, arguments):
            return super().call(arguments) if arguments["entity"] in WORDS else Keeper.call(self, arguments)

    seen = observed(Neighbourly)
    assert [call.succeeded for call in seen.of("in-turn")] == [True, True, True, False]
    assert not seen.of("in-reverse")
    assert judged(seen) is None


# ---- what is lost

LOST = "graph.json did not hold all that 4 calls at the same time wrote; it does after the same calls one after another."


def test_what_calls_at_the_same_time_lose_in_a_file_is_found(observed):
    assert judged(observed(LosingKeeper)) == [LOST]


def test_a_tool_that_loses_nothing_passes_in_any_order_of_its_entries(observed):
    class Backwards(Keeper):
        def calls_at_once(self, given):
            return super().calls_at_once(given[::-1])[::-1]

    assert judged(observed(Keeper)) == []
    assert judged(observed(Backwards)) == []


def test_what_is_lost_in_memory_shows_in_the_next_result(observed):
    class Memory(LosingKeeper):
        def call(self, arguments):
            super().call(arguments)
            return {"all": list(self.kept)}

        def files(self):
            return {}

    assert judged(observed(Memory)) == [
        "The next result did not show all that 4 calls at the same time kept; it does after the same calls one after another."
    ]


def test_a_number_that_grows_less_is_found(observed):
    class Counting(LosingKeeper):
        def call(self, arguments):
            super().call(arguments)
            return {"count": len(self.kept)}

        def files(self):
            return {}

    assert judged(observed(Counting)) == [
        "$.count of the next result grew less by 4 calls at the same time than by the same calls one after another."
    ]


@pytest.mark.parametrize("name", ["elapsed", "random"])
def test_a_number_that_is_no_count_is_not(observed, name):
    numbers = iter(range(1, 1000))

    class Clock(LosingKeeper):
        def call(self, arguments):
            super().call(arguments)
            return {"elapsed": len(self.kept)} if name == "elapsed" else {"random": next(numbers)}

        def files(self):
            return {}

    assert judged(observed(Clock)) is None


def test_a_tool_that_keeps_the_last_three_is_not_judged(observed):
    class LastThree(LosingKeeper):
        def call(self, arguments):
            answer = super().call(arguments)
            self.kept = self.kept[-3:]
            return answer

    seen = observed(LastThree)
    assert judged(seen) is None
    assert not seen.of("in-reverse")


def test_a_tool_that_writes_later_is_not_judged(observed):
    class Later(Keeper):
        """What the last call kept is not in the file yet."""

        def files(self):
            return {"graph.json": json.dumps(self.kept[:-1])}

    assert judged(observed(Later)) is None


def test_a_tool_that_writes_later_in_a_group_alone_breaks_nothing(observed):
    class Batching(Keeper):
        held = False

        def calls_at_once(self, given):
            self.held = True
            return super().calls_at_once(given)

        def files(self):
            return {"graph.json": "[]"} if self.held else super().files()

    assert judged(observed(Batching)) == []


# ---- what fails


class Locked(Keeper):
    """The second of calls at the same time is refused."""

    words = "database is locked"

    def calls_at_once(self, given):
        answers = super().calls_at_once(given)
        del self.kept[1]
        return [answers[0], self.words, *answers[2:]]


def test_a_call_that_fails_beside_others_is_found_and_what_it_did_not_keep_is_not_lost(observed):
    assert judged(observed(Locked)) == [
        "A call that succeeds alone failed beside others: 'database is locked'."
    ]


@pytest.mark.parametrize(
    "words", ["Too many calls at once.", "Another export is running.", "Try again later."]
)
def test_a_refusal_that_says_that_the_tool_is_busy_is_not(observed, words):
    class Busy(Locked):
        pass

    Busy.words = words
    assert judged(observed(Busy)) == []


def test_words_in_which_a_call_is_refused_alone_say_nothing(observed):
    seen = observed(Locked)
    refusal = replace(seen.of("at-once")[1], plan=b.call("missing:entity", "{}", "invalid").plan)
    seen.calls.insert(1, refusal)
    assert judged(seen) == []


@pytest.mark.parametrize(
    ("usage", "applies"),
    [
        ("Keeps entities. Not thread-safe.", False),
        ("Keeps entities; takes one call at a time.", False),
        ("Do not call it several times in parallel.", False),
        ("Keeps entities, one a call. Safe to call in parallel.", True),
    ],
)
def test_a_tool_that_says_that_it_takes_one_call_at_a_time_is_not_judged(usage, applies):
    assert (RULE.applies(b.declaration(usage=usage)) is None) is applies
