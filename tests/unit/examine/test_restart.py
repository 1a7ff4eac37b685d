"""Reading a declaration again: what is read, and how the condition that makes a difference is found."""

import pytest

from aptix_conformance.core.contracts import load
from aptix_conformance.core.errors import HostError, SlowTargetError, TargetError, UnlistedError
from aptix_conformance.core.model import Constant, Declaration, Exploration, Member, SchemaReading
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine import Suite, applicable_rules
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.examine.restart import read_again
from aptix_conformance.hosts.conditions import naming, variables_in
from aptix_conformance.stimuli.probes.restart import RESTARTS, THREADS
from aptix_conformance.systems.rulebook import all_rules

RULES = {rule.code: rule for rule in all_rules(others=())}


def declared(text, usage="Use it."):
    member, reading = Member("x", "method"), SchemaReading("returned", text)
    return Declaration(
        class_name="Tool", module="m", when="start", tool_name=Constant("TOOL_NAME", "plain", "agent_x", "str"),
        usage_text=Constant("TOOL_USAGE_METADATA", "plain", usage, "str"), get_schema=member, schema=reading,
        schema_again=reading, name=member, is_tool_fully_executed_on_server=member, execute=member, constructor=(),
        construction_error=None,
    )  # fmt: skip


class Host:
    """Emits a schema that is a function of the conditions and of the number of the process."""

    disturbances = frozenset({"restart"})

    def __init__(self, text):
        self.text = text
        self.asked = []

    def describe_again(self, conditions, then=()):
        self.asked.append(conditions)
        when = "threads" if conditions == THREADS else "restarted"
        return replace(declared(self.text(conditions, len(self.asked))), when=when, conditions=conditions)


def explore(host, first="plain"):
    rules = (RULES["SCH017"], RULES["USE015"])
    inventory = load()
    edition = inventory.edition("aptix-tul-011")
    ledger = Ledger(applicable_rules(Suite(rules, edition, inventory), declared(first)))
    ledger.observe(declared(first))
    read_again(host, ledger)
    ledger.conclude()
    return ledger


def test_a_stable_tool_is_read_under_each_set_of_conditions_and_from_two_threads():
    host = Host(lambda conditions, number: "plain")
    ledger = explore(host)
    assert host.asked == [*RESTARTS, THREADS]
    assert not ledger.breaches
    assert ledger.counts == {"SCH017": 1, "USE015": 1}


@pytest.mark.parametrize("name", ["hash seed", "time zone", "locale", "clock", "file times", "user"])
def test_the_condition_that_makes_the_difference_is_named_alone(name):
    host = Host(lambda conditions, number: f"plain {conditions[name]}" if name in conditions else "plain")
    (found,) = explore(host).breaches.values()
    assert name in found[()].finding.message
    others = {"hash seed", "time zone", "locale", "clock", "user"} - {name}
    assert not any(other in found[()].finding.message for other in others)
    assert "from character 5 on: plain, then plain " in found[()].finding.message


def test_a_directory_is_told_from_chance():
    """More processes share a directory: what differs there differs in each process."""
    place = explore(Host(lambda conditions, number: "plain" if conditions == THREADS else "elsewhere"))
    assert "another directory" in place.breaches["SCH017"][()].finding.message
    chance = explore(
        Host(lambda conditions, number: "plain" if conditions == THREADS else f"number {number}")
    )
    assert "It differs in each process, " in chance.breaches["SCH017"][()].finding.message


def test_a_value_of_a_few_that_agrees_twice_by_chance_is_not_laid_to_the_directory():
    drawn = iter(["a", "b", "b", "a", "b"])
    ledger = explore(Host(lambda conditions, number: "plain" if conditions == THREADS else next(drawn, "c")))
    assert "It differs in each process, " in ledger.breaches["SCH017"][()].finding.message


def test_a_condition_that_the_host_cannot_set_up_is_not_named():
    """A clock that cannot be moved leaves no condition: what differs there by chance has no cause yet."""

    class Still(Host):
        def describe_again(self, conditions, then=()):
            found = super().describe_again(conditions, then)
            actual = {name: value for name, value in conditions.items() if name != "clock"}
            return replace(found, conditions=actual)

    host = Still(lambda conditions, number: "odd" if conditions.get("clock") else "plain")
    message = explore(host).breaches["SCH017"][()].finding.message
    assert "in a fresh process with hash seed 1 and time zone" in message
    host = Still(lambda conditions, number: "odd" if {"clock", "user"} & conditions.keys() else "plain")
    assert "in a fresh process with another user, " in explore(host).breaches["SCH017"][()].finding.message


def set_by(conditions):
    return variables_in(conditions.get("environment", ""))


@pytest.mark.parametrize("variable", ["ACME_REGION", "STAGE", "CI"])
def test_the_variable_that_makes_the_difference_is_named_alone(variable):
    """Of those that many tools read, and of those that the process says its code looked for."""

    class Looking(Host):
        def describe_again(self, conditions, then=()):
            if "environment" in conditions:
                conditions = {**conditions, "environment": naming(conditions["environment"], ["ACME_REGION"])}
            return super().describe_again(conditions, then)

    host = Looking(lambda conditions, number: "odd" if variable in set_by(conditions) else "plain")
    message = explore(host).breaches["SCH017"][()].finding.message
    assert message.startswith(f"It differs in a fresh process with {variable}=1 in its environment, from")


@pytest.mark.parametrize("fault", [TargetError("it raised ValueError"), "it raised ValueError"])
@pytest.mark.parametrize(("form", "told"), [("production", False), ("of its own", True)])
def test_a_tool_that_demands_variables_of_another_form_has_broken_nothing(form, told, fault):
    """It is read without them, however it fails; it is said if they were never changed."""

    class Demanding(Host):
        def describe_again(self, conditions, then=()):
            found = super().describe_again(conditions, then)
            if not set(set_by(conditions).values()) - {form}:
                return found
            if isinstance(fault, TargetError):
                raise fault
            return replace(found, schema=SchemaReading("raised", None, fault))

    ledger = explore(Demanding(lambda conditions, number: "plain"))
    assert not ledger.breaches
    said = ["environment variables could not be changed for this tool: it raised ValueError"]
    assert [each.reason for each in ledger.shortfalls] == (said if told else [])
    assert [len(each.conditions) for each in ledger.declarations[1:4]] == [
        len(each) - (told or number < 2) for number, each in enumerate(RESTARTS)
    ]


def test_what_only_several_conditions_together_change_is_reported_with_all_of_them():
    host = Host(lambda conditions, number: "odd" if len(conditions) > 1 else "plain")
    message = explore(host).breaches["SCH017"][()].finding.message
    assert all(name in message for name in ("hash seed", "time zone", "locale", "another user"))


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("host name", "the host name could not be changed: that takes namespaces; ", False),
        ("PID", "the PID could not be chosen: ", False),
        ("file times", "the times of files could not be changed: ", True),
    ],
)
def test_a_condition_that_no_reading_had_is_told(name, said, expected):
    class Unable(Host):
        def describe_again(self, conditions, then=()):
            found = super().describe_again(conditions, then)
            return replace(found, conditions={key: value for key, value in conditions.items() if key != name})

    (shortfall,) = explore(Unable(lambda conditions, number: "plain")).shortfalls
    assert shortfall.reason.startswith(said)
    assert shortfall.reason.endswith("; whether the declaration depends on it is not known")
    assert (shortfall.reduced_coverage, shortfall.expected) == (True, expected)


def test_threads_are_named():
    host = Host(lambda conditions, number: "half" if conditions == THREADS else "plain")
    assert "when two threads read it at once" in explore(host).breaches["SCH017"][()].finding.message


def test_a_tool_that_cannot_be_read_there_has_broken_the_rule_too():
    def text(conditions, number):
        if "locale" in conditions:
            raise TargetError("importing m raised locale.Error")
        return "plain"

    message = explore(Host(text)).breaches["SCH017"][()].finding.message
    assert "It could not be read in a fresh process with locale" in message
    assert "locale.Error" in message


def test_a_reading_that_takes_too_long_once_is_made_once_more():
    slow = iter([SlowTargetError("no answer within 5 s")])

    def text(conditions, number):
        for error in slow:
            raise error
        return "plain"

    ledger = explore(Host(text))
    assert not ledger.breaches
    assert not ledger.shortfalls


def test_a_reading_that_always_takes_too_long_is_found():
    def text(conditions, number):
        raise SlowTargetError("no answer within 5 s")

    assert "no answer within 5 s" in explore(Host(text)).breaches["SCH017"][()].finding.message


def test_a_package_that_a_moved_clock_breaks_is_no_fault_of_the_tool():
    def text(conditions, number):
        if "clock" in conditions:
            raise TargetError("importing m raised TypeError")
        return "plain"

    ledger = explore(Host(text))
    assert not ledger.breaches
    assert all("the clock could not be moved" in shortfall.reason for shortfall in ledger.shortfalls)
    assert ledger.shortfalls
    assert all(shortfall.reduced_coverage for shortfall in ledger.shortfalls)


def test_a_host_that_cannot_leaves_the_rules_unexamined_and_says_so():
    class Inline(Host):
        disturbances = frozenset()

    ledger = explore(Inline(lambda conditions, number: "plain"))
    assert ledger.counts == {}
    assert "another process" in ledger.shortfalls[0].reason


def test_a_process_that_could_not_be_started_is_a_shortfall_and_no_breach():
    def text(conditions, number):
        raise HostError("no more processes")

    ledger = explore(Host(text))
    assert not ledger.breaches
    assert ledger.shortfalls


def test_what_changes_from_reading_to_reading_is_another_rules():
    """SCH012 reports it."""
    first = replace(declared("one"), schema_again=SchemaReading("returned", "two"))
    again = replace(declared("three"), when="restarted", conditions={"hash seed": "1"})
    assert RULES["SCH017"].check(Exploration((first, again))) is None
    assert RULES["SCH012"].check(first) is not None


def test_a_tool_that_another_process_does_not_list_is_no_finding_and_is_noted_once():
    """What its schema would have been there is unknown."""

    def text(conditions, number):
        raise UnlistedError("the server lists no tool 'a'")

    ledger = explore(Host(text))
    assert not ledger.breaches
    assert (
        ledger.unlisted == "in another process the tool could not be read again: the server lists no tool 'a'"
    )
    assert [each.reason for each in ledger.shortfalls if each.probe == "declaration"] == [ledger.unlisted]
