"""A rule says what makes two of its findings different where it gives them causes, and nowhere else.

No fixture makes each rule find all that it can, so the code is read: the function of a rule, and each function of its
package that it names, also through others. The fixture `every_cause_is_said` (conftest.py) sees what the tests of rules find.
"""

import ast
import inspect
import textwrap
import types
from dataclasses import fields
from functools import cache

import pytest
from tests.causes import ALWAYS_ONE, says_nothing_of
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Call
from aptix_conformance.core.model.codec import replace
from aptix_conformance.rules import Finding, Rule, rule
from aptix_conformance.systems.rulebook import all_rules

RULES = all_rules(others=())
BEFORE_THE_CAUSE = [field.name for field in fields(Finding)].index("cause")


@cache
def nodes(function):
    """The nodes of a function's code, without those of a finding from which `cause=()` takes the cause away."""
    return list(read(function))


def read(function):
    waiting = [ast.parse(textwrap.dedent(inspect.getsource(function)))]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.Call) and any(map(is_no_cause, node.keywords))):
            yield node
            waiting += ast.iter_child_nodes(node)


def is_no_cause(keyword):
    return keyword.arg == "cause" and isinstance(keyword.value, ast.Tuple) and not keyword.value.elts


def value_of(node, function):
    """What a name in a function's code stands for; a name of a module's too, and a rule's findings for its function."""
    if isinstance(node, ast.Name):
        return inspect.unwrap(found) if callable(found := function.__globals__.get(node.id)) else found
    owner = value_of(node.value, function) if isinstance(node, ast.Attribute) else None
    if isinstance(owner, Rule) and node.attr in ("findings", "judge"):
        return owner.judge
    return getattr(owner, node.attr, None) if isinstance(owner, types.ModuleType) else None


def is_of_its_package(value, function):
    return isinstance(value, types.FunctionType) and (
        value.__module__.partition(".")[0] == function.__module__.partition(".")[0]
    )


@cache
def named_in(function):
    """The functions of its package that a function names."""
    values = (value_of(node, function) for node in nodes(function))
    return list(dict.fromkeys(value for value in values if is_of_its_package(value, function)))


def reached(function):
    """A function, and all of its package that it names, also through others."""
    found = {function: None}
    waiting = [function]
    while waiting:
        new = [each for each in named_in(waiting.pop()) if each not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


def gives_cause(node, function):
    """Whether a node gives a finding a cause; whatever has a `cause=` is taken for it."""
    if not isinstance(node, ast.Call):
        return False
    if any(keyword.arg == "cause" for keyword in node.keywords):
        return True
    is_open = any(isinstance(each, ast.Starred) for each in node.args) or any(
        keyword.arg is None for keyword in node.keywords
    )
    return value_of(node.func, function) is Finding and (is_open or len(node.args) > BEFORE_THE_CAUSE)


@cache
def gives_causes(function):
    return any(gives_cause(node, function) for node in nodes(function))


def has_causes(judged):
    return any(map(gives_causes, reached(judged.judge)))


@pytest.fixture(scope="module")
def with_causes():
    """The codes of the rules that give causes. Not a constant: each worker of a run imports this module."""
    return {found.code for found in RULES if has_causes(found)}


SAYING = {found.code for found in RULES if found.differs_by}


def test_a_rule_that_gives_causes_says_what_they_are(with_causes):
    """Fix: say in `differs_by` of the rule what its `cause=` holds."""
    assert sorted(with_causes - SAYING - ALWAYS_ONE.keys()) == []


def test_a_rule_that_says_what_its_causes_are_gives_some(with_causes):
    """Fix: take `differs_by` away, or give the rule's findings their `cause=`."""
    assert sorted(SAYING - with_causes) == []


def test_a_rule_is_left_out_only_where_it_gives_causes_and_says_nothing(with_causes):
    assert ALWAYS_ONE.keys() <= with_causes - SAYING


def test_about_half_of_the_rules_give_causes(with_causes):
    """A reader of code that sees nothing would find all rules in order."""
    assert 120 < len(with_causes) < len(RULES) - 120


@pytest.mark.parametrize("found", [each for each in RULES if each.differs_by], ids=lambda each: each.code)
def test_what_is_said_is_a_phrase_that_completes_a_sentence(found):
    """It follows "Two findings are different where they differ in"."""
    assert found.differs_by[0].islower()
    assert not found.differs_by.endswith(".")


# ---- that the code is read as it runs


def made(judge, **options):
    judge.__doc__ = "It holds."
    judge.__annotations__[judge.__code__.co_varnames[0]] = Call
    return rule("ACME-ABC001", source="suite", remedy="Do.", **options)(judge)


def plain(call):
    return Finding("It broke.", call)


def by_keyword(_call):
    return Finding("It broke.", cause="the place")


def by_position(call):
    return Finding("It broke.", call, "", call.plan.probe)


def unpacked(call):
    return Finding(*("It broke.", call, "", "the place"))


def through_others(call):
    yield from (each for each in (through_another(call),))


def through_another(call):
    return by_keyword(call)


def taken_away(call):
    return replace(by_keyword(call), cause=())


RULE_WITH_CAUSES = made(by_keyword)


def of_another_rule(call):
    return RULE_WITH_CAUSES.findings(call)


def asks_another_rule(call):
    return plain(call) if RULE_WITH_CAUSES.check(call) else None


@pytest.mark.parametrize("judge", [by_keyword, by_position, unpacked, through_others, of_another_rule])
def test_a_cause_is_seen_wherever_it_is_given(judge):
    assert has_causes(made(judge))


@pytest.mark.parametrize("judge", [plain, taken_away, asks_another_rule])
def test_no_cause_is_seen_where_none_is_given(judge):
    assert not has_causes(made(judge))


def test_a_finding_with_a_cause_of_a_rule_that_says_nothing_is_seen_when_it_is_found():
    (call,) = b.explore().calls[:1]
    with pytest.raises(AssertionError, match="ACME-ABC001 does not say"):
        made(by_keyword).findings(call)
    assert made(by_keyword, differs_by="the place").findings(call)
    assert made(plain).findings(call)
    assert says_nothing_of(made(by_keyword), ["", (), "the place"]) == ["the place"]
