"""Canaries look like secrets, are the same for a seed, and are found again."""

import base64

import pytest

from aptix_conformance.core.model import canaries


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


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "a", "ab", "key?>"])
def test_a_mark_is_found_in_base64_wherever_it_begins(before, encode):
    for value in canaries.environment(3).values():
        for text in (before + value, f"{before}{value}, and more"):
            assert canaries.find(f'"{encode(text.encode()).decode()}"') == canaries.find(value)


def test_base64_that_begins_as_a_mark_does_and_goes_on_otherwise_holds_none():
    honest = base64.b64encode(b"cnry is no word, and this is no canary").decode()
    assert canaries.find(f"{honest} {honest[:9]} Y25ye") == []


def test_what_stands_for_a_configured_secret_names_its_variable():
    canary = canaries.standing_for("ATLAS_TOKEN")
    assert canaries.find(f"key={canary}.") == [canary]
    assert canary.endswith("[ATLAS_TOKEN]")
    assert canaries.find(canaries.standing_for("a]b")) == [canaries.standing_for("a]b")]


def test_a_scratch_directory_has_one_name_in_each_run():
    """Two runs say the same of a tool that names its directory."""
    first, second = (f"cannot write /tmp/{name}/out.txt" for name in (
        "aptix-scratch-run-hpttwaaf/zygote-1/tool-0", "aptix-scratch-run-x_81aa2k/zygote-2/tool-13",
    ))  # fmt: skip
    assert canaries.without_scratch_names(first) == canaries.without_scratch_names(second)
    assert canaries.without_scratch_names(first) == "cannot write /tmp/aptix-scratch-1/out.txt"
