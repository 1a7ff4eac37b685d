"""Steps are named and left out."""

import pytest

from aptix_conformance.examine.step_limit import MOST_STOPPED, SIZE, OutOfTime, StepLimit, running_step


def test_a_step_that_was_stopped_is_left_out_from_then_on() -> None:
    limit = StepLimit(excluded={"ART029": "it ended the process"})
    with pytest.raises(OutOfTime, match="it ended the process"):
        limit.enter("ART029")
    limit.stop("drawing valid", "it took too long")
    with pytest.raises(OutOfTime, match="it took too long"), limit.step("drawing valid"):
        raise AssertionError
    with limit.step("drawing invalid"):
        pass


def test_too_many_stopped_steps_leave_out_the_rest() -> None:
    limit = StepLimit()
    for number in range(MOST_STOPPED):
        limit.stop(f"step {number}", "it took too long")
    with pytest.raises(OutOfTime, match=f"{MOST_STOPPED} earlier steps"):
        limit.enter("another")
    limit.enter("")  # a pause is no step


def test_the_shared_memory_shows_the_step_that_runs() -> None:
    shared = bytearray(SIZE)
    limit = StepLimit(shared)
    assert running_step(shared) == (0, "")
    with limit.step("drawing é " + "x" * 100):
        number, name = running_step(shared)
        assert name == ("drawing ? " + "x" * 100)[:63]
        limit.leave(limit.enter("ARG002"))
        assert running_step(shared)[0] > number
        assert running_step(shared)[1] == name
    assert running_step(shared)[1] == ""
