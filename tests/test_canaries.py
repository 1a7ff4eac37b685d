"""Canaries look like secrets, are the same for a seed, and are found again."""

from aptix_conformance import canaries


def test_an_environment_is_the_same_for_a_seed_and_another_for_another():
    assert canaries.environment(1) == canaries.environment(1)
    assert set(canaries.environment(1).values()).isdisjoint(canaries.environment(2).values())


def test_each_variable_has_a_mark_of_its_own_that_is_found():
    sown = canaries.environment(3)
    marks = [mark for value in sown.values() for mark in canaries.find(value)]
    assert len(set(marks)) == len(sown) == len(marks)


def test_marks_are_found_in_any_case_and_each_once():
    text = f"{canaries.DEPENDENCY_MARK.upper()} and {canaries.DEPENDENCY_MARK}"
    assert canaries.find(text) == [canaries.DEPENDENCY_MARK]


def test_honest_text_holds_no_mark():
    assert canaries.find("canary cnry 0123456789abcdef CNRY-0123456789abcdef") == []
