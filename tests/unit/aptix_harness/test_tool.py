from aptix_harness import AgentTool


def test_tool_need_not_inherit_anything(make_tool):
    """A class with the right members is an AgentTool."""
    assert isinstance(make_tool()(), AgentTool)


def test_object_without_execute_is_no_tool(make_tool):
    """A missing member shows."""
    assert not isinstance(make_tool(without=["execute"])(), AgentTool)
