import dataclasses

import pytest

from aptix_harness import InvokeResult, ResultError


def test_created_result_is_successful_and_holds_its_value():
    """A created result has the value and no error."""
    result = InvokeResult.create("{}")
    assert (result.successful, result.result, result.errors, result.error_message) == (True, "{}", (), None)


def test_result_from_error_is_failed_and_holds_the_error():
    """A failed result has no value and the error with all of its parts."""
    result = InvokeResult.from_error("No name.", code="NAME", details="The name was empty.")
    assert (result.successful, result.result) == (False, None)
    assert result.errors == (ResultError("No name.", "NAME", "The name was empty."),)


def test_error_message_joins_all_messages():
    """The messages of several errors are one text."""
    result = InvokeResult(successful=False, errors=(ResultError("One."), ResultError("Two.")))
    assert result.error_message == "One.; Two."


@pytest.mark.parametrize(
    "record", [InvokeResult.create("{}"), ResultError("No name.")], ids=lambda r: type(r).__name__
)
def test_results_and_errors_cannot_be_changed(record):
    """Setting a field raises."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, dataclasses.fields(record)[0].name, "other")
