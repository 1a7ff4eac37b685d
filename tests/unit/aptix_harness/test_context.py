import dataclasses

import pytest

from aptix_harness import AgentToolExecutionContext, AgentToolRequest, EntityHeader


@pytest.mark.parametrize("part", [AgentToolExecutionContext, AgentToolRequest, EntityHeader])
def test_every_part_is_none_unless_given(part):
    """A part made from nothing has None in each field."""
    assert set(dataclasses.astuple(part())) == {None}


@pytest.mark.parametrize("part", [AgentToolExecutionContext, AgentToolRequest, EntityHeader])
def test_no_part_can_be_changed(part):
    """Setting a field raises."""
    field = dataclasses.fields(part)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(part(), field, "other")
