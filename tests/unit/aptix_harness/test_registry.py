import functools

import pytest

from aptix_harness import AgentTool, AgentToolRegistry, InvalidOperationError


@pytest.fixture
def registry(logger):
    return AgentToolRegistry(logger)


@pytest.fixture
def refused(registry, logger):
    """Return a function that registers a class, checks that it is refused as it should be, and returns the message."""

    def refuse(tool_type):
        with pytest.raises(InvalidOperationError) as raised:
            registry.register(tool_type)
        message = str(raised.value)
        assert [call[2] for call in logger.named("add_error")] == [message]
        assert "To fix it, " in message
        assert registry.registered_tools == {}
        return message

    return refuse


class Descriptor:
    """A value that is computed whenever it is looked up."""

    def __get__(self, instance, owner):
        return "computed"


class Text(str):
    """A str that is not plain."""

    __slots__ = ()


def test_well_formed_tool_is_registered_and_traced(registry, logger, make_tool):
    """The class can be looked up, and the log has one trace with its name."""
    tool = make_tool()
    registry.register(tool)
    assert registry.get_tool_type("test_tool") is tool
    assert registry.has_tool("test_tool")
    assert [call[0] for call in logger.calls] == ["trace"]
    assert ("ToolName", "test_tool") in logger.calls[0]


@pytest.mark.clause("TUL-011.2.8")
def test_class_is_not_instantiated(registry, make_tool):
    """A constructor that raises does not matter at registration."""

    def explode(self):
        raise AssertionError("instantiated")

    registry.register(make_tool(__init__=explode))
    assert registry.has_tool("test_tool")


def test_inherited_constants_and_schema_are_fine(registry, make_tool):
    """A subclass that adds nothing is a tool too."""
    registry.register(type("Child", (make_tool(),), {}))
    assert registry.has_tool("test_tool")


def test_tool_that_inherits_the_protocol_is_fine(registry, make_tool):
    """Naming AgentTool as a base changes nothing."""
    registry.register(make_tool(bases=(AgentTool,), metaclass=type(AgentTool)))
    assert registry.has_tool("test_tool")


def test_members_of_the_protocol_itself_do_not_count(refused, make_tool):
    """A member that is only inherited from AgentTool is missing."""
    tool = make_tool(bases=(AgentTool,), metaclass=type(AgentTool), without=["get_schema"])
    assert "has no get_schema" in refused(tool)


@pytest.mark.parametrize("constant", ["TOOL_NAME", "TOOL_USAGE_METADATA"])
class TestConstants:
    @pytest.mark.clause("TUL-011.2.8")
    def test_missing_constant_is_refused(self, refused, make_tool, constant):
        """The message names the class, the rule and the fix."""
        message = refused(make_tool(without=[constant]))
        assert message.startswith("made.MadeTool breaks TUL-011.2.3: its body has no constant " + constant)
        assert f'write {constant}: Final = "..." into the class body' in message

    def test_constant_that_is_only_annotated_is_refused(self, refused, make_tool, constant):
        """An annotation is no value."""
        assert "has no constant" in refused(make_tool(without=[constant], __annotations__={constant: str}))

    def test_constant_that_only_instances_have_is_refused(self, refused, make_tool, constant):
        """What __init__ sets is not on the class."""

        def initialise(self):
            setattr(self, constant, "value")

        assert "has no constant" in refused(make_tool(without=[constant], __init__=initialise))

    @pytest.mark.clause("TUL-011.2.8")
    @pytest.mark.parametrize(
        "wrap",
        [
            property,
            functools.cached_property,
            classmethod,
            staticmethod,
            lambda function: function,
            lambda function: Descriptor(),
        ],
        ids=["property", "cached_property", "classmethod", "staticmethod", "function", "descriptor"],
    )
    def test_computed_constant_is_refused(self, refused, make_tool, constant, wrap):
        """Whatever has __get__ is no field."""
        tool = make_tool(**{constant: wrap(lambda *owner: "value")})
        assert f"TUL-011.2.3: {constant} is computed by" in refused(tool)

    def test_constant_in_slots_is_refused(self, refused, make_tool, constant):
        """A slot is an instance attribute, too."""
        assert "is computed by" in refused(make_tool(without=[constant], __slots__=(constant,)))

    def test_property_that_hides_an_inherited_constant_is_refused(self, refused, make_tool, constant):
        """The nearest definition counts."""
        child = type("Child", (make_tool(),), {constant: property(lambda self: "value")})
        assert "is computed by" in refused(child)

    def test_constant_that_the_metaclass_invents_is_refused(self, refused, make_tool, constant):
        """A property of the metaclass is not in the class's body."""
        metaclass = type("Meta", (type,), {constant: property(lambda cls: "value")})
        assert "has no constant" in refused(make_tool(without=[constant], metaclass=metaclass))

    def test_constant_that_the_metaclass_invents_on_demand_is_refused(self, refused, make_tool, constant):
        """Neither is what its __getattr__ makes up."""
        metaclass = type("Meta", (type,), {"__getattr__": lambda cls, name: "value"})
        assert "has no constant" in refused(make_tool(without=[constant], metaclass=metaclass))

    @pytest.mark.parametrize("trick", ["member", "__getattribute__"])
    def test_constant_that_the_metaclass_overrides_is_refused(self, refused, make_tool, constant, trick):
        """A constant that users of the class do not see is none, and reading it runs none of the metaclass's code."""

        def explode(cls, *name):
            raise AssertionError("the metaclass was asked")

        member = (constant, property(explode)) if trick == "member" else (trick, explode)
        tool = make_tool(metaclass=type("Meta", (type,), dict([member])))
        assert (
            f"its metaclass intercepts the reading of {constant if trick == 'member' else 'TOOL_NAME'}"
            in refused(tool)
        )

    @pytest.mark.parametrize(
        "value", [None, 7, b"name", ["name"], Text("name")], ids=lambda v: type(v).__name__
    )
    def test_constant_that_is_no_plain_str_is_refused(self, refused, make_tool, constant, value):
        """The message names the type that was found."""
        message = refused(make_tool(**{constant: value}))
        assert f"{constant} is of type " in message
        assert type(value).__name__ in message

    @pytest.mark.clause("TUL-011.2.8", "AGN-005.7.17")
    @pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u2003"], ids=ascii)
    def test_blank_constant_is_refused(self, refused, make_tool, constant, blank):
        """White space is no text."""
        assert f"{constant} is blank" in refused(make_tool(**{constant: blank}))


@pytest.mark.clause("TUL-011.2.8")
@pytest.mark.parametrize(
    "name", ["with space", "dot.ted", "newline\n", "\nx", "naïve", "x\x00", "a/b", "\u212ait"], ids=ascii
)
def test_name_outside_the_pattern_is_refused(refused, make_tool, name):
    """Every character counts, the trailing newline too."""
    message = refused(make_tool(TOOL_NAME=name))
    assert "made.MadeTool breaks TUL-011.2.5" in message
    assert message.isascii()


@pytest.mark.parametrize("name", ["a", "A-b_9", "-", "_"])
def test_name_inside_the_pattern_is_accepted(registry, make_tool, name):
    """Letters, digits, underscore and hyphen are allowed anywhere."""
    registry.register(make_tool(TOOL_NAME=name))
    assert list(registry.registered_tools) == [name]


class TestSchema:
    def test_missing_get_schema_is_refused(self, refused, make_tool):
        """The message shows how to declare it."""
        message = refused(make_tool(without=["get_schema"]))
        assert "made.MadeTool breaks TUL-011.2.7: it has no get_schema" in message
        assert "@staticmethod def get_schema()" in message

    @pytest.mark.clause("TUL-011.2.8")
    @pytest.mark.parametrize(
        "method",
        [lambda self: {}, property(lambda self: {}), {}, dict, functools.partial(dict)],
        ids=["instance method", "property", "dict", "class", "partial"],
    )
    def test_get_schema_that_is_not_static_is_refused(self, refused, make_tool, method):
        """Only a static method or a class method will do."""
        assert "get_schema is not a static method" in refused(make_tool(get_schema=method))

    def test_get_schema_that_the_metaclass_overrides_is_refused(self, refused, make_tool):
        """What users of the class would call is not what the class declares."""
        metaclass = type("Meta", (type,), {"get_schema": property(lambda cls: dict)})
        assert "get_schema is not a static method" in refused(make_tool(metaclass=metaclass))

    @pytest.mark.clause("TUL-011.2.8")
    @pytest.mark.parametrize(
        "method",
        [
            staticmethod(lambda language: {}),
            staticmethod(lambda language="en": {}),
            staticmethod(lambda *language: {}),
            staticmethod(lambda **language: {}),
            classmethod(lambda cls, language: {}),
        ],
        ids=["required", "default", "args", "kwargs", "classmethod"],
    )
    def test_get_schema_with_parameters_is_refused(self, refused, make_tool, method):
        """No parameter at all means none with a default either."""
        assert "get_schema takes parameters (language)" in refused(make_tool(get_schema=method))

    @pytest.mark.parametrize(
        "wrapped", [7, property(lambda cls: 1 / 0), type], ids=["int", "raising", "type"]
    )
    def test_get_schema_without_a_signature_is_refused(self, refused, make_tool, wrapped):
        """A static method over something odd is refused and not raised."""
        message = refused(make_tool(get_schema=classmethod(wrapped)))
        assert "TUL-011.2.7" in message or "AGN-005.7.18" in message

    def test_class_method_without_further_parameters_is_accepted(self, registry, make_tool):
        """It is called just like a static one."""
        registry.register(make_tool(get_schema=classmethod(lambda cls: {})))
        assert registry.has_tool("test_tool")

    @pytest.mark.clause("AGN-005.7.18")
    @pytest.mark.parametrize("error", [ValueError("secret"), SystemExit(3), GeneratorExit()], ids=repr)
    def test_get_schema_that_raises_is_refused(self, refused, make_tool, error):
        """Whatever it raises becomes a refusal that names the type only."""

        def get_schema():
            raise error

        message = refused(make_tool(get_schema=staticmethod(get_schema)))
        assert "AGN-005.7.18: get_schema raised" in message
        assert type(error).__name__ in message
        assert "secret" not in message

    def test_keyboard_interrupt_is_nobodys_refusal(self, registry, make_tool):
        """Ctrl-C while a schema is made goes through."""

        def get_schema():
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            registry.register(make_tool(get_schema=staticmethod(get_schema)))

    @pytest.mark.clause("TUL-011.2.8", "AGN-005.7.18")
    @pytest.mark.parametrize("schema", [None, "{}", [], 7])
    def test_get_schema_that_returns_no_mapping_is_refused(self, refused, make_tool, schema):
        """The message names the type that came back."""
        message = refused(make_tool(get_schema=staticmethod(lambda: schema)))
        assert f"returned an object of type {type(schema).__name__}" in message

    def test_async_get_schema_is_refused(self, refused, make_tool):
        """A coroutine is no schema, and is closed without a warning."""

        async def get_schema():
            return {}

        assert "returned an object of type coroutine" in refused(
            make_tool(get_schema=staticmethod(get_schema))
        )


@pytest.mark.clause("TUL-011.2.8")
@pytest.mark.parametrize("member", ["name", "is_tool_fully_executed_on_server", "execute"])
def test_class_without_a_member_of_the_interface_is_refused(refused, make_tool, member):
    """The message says which member to add."""
    message = refused(make_tool(without=[member]))
    assert f"TUL-011.2.1: it has no {'method' if member == 'execute' else 'property'} {member}" in message


def test_execute_that_cannot_be_called_is_refused(refused, make_tool):
    """A field called execute is no method."""
    assert "has no method execute" in refused(make_tool(execute="now"))


@pytest.mark.parametrize("thing", [None, "test_tool", object()], ids=lambda thing: type(thing).__name__)
def test_what_is_not_a_class_is_refused(refused, thing):
    """An instance or a name is not registered in place of a class."""
    assert "breaks TUL-011.2.1: it is not a class" in refused(thing)


@pytest.mark.clause("TUL-011.2.9", "AGN-005.2.2")
@pytest.mark.parametrize("second", ["test_tool", "TEST_Tool"])
def test_duplicate_name_is_refused_and_the_first_stays(registry, logger, make_tool, second):
    """Case does not count; the message names both classes."""
    first = make_tool()
    registry.register(first)
    other = type("OtherTool", (make_tool(TOOL_NAME=second),), {"__module__": "other"})
    with pytest.raises(InvalidOperationError) as raised:
        registry.register(other)
    message = str(raised.value)
    assert message.startswith(
        f"other.OtherTool breaks TUL-011.2.9: its TOOL_NAME '{second}' is taken by made.MadeTool"
    )
    assert [call[2] for call in logger.named("add_error")] == [message]
    assert registry.get_tool_type(second) is first
    assert list(registry.registered_tools) == ["test_tool"]


def test_same_class_twice_is_refused(registry, make_tool):
    """A second registration is a mistake, too."""
    tool = make_tool()
    registry.register(tool)
    with pytest.raises(InvalidOperationError, match="register the class only once"):
        registry.register(tool)


@pytest.mark.parametrize("name", [None, "", "  ", "unknown", "test_tool ", "test_tool\n", 7], ids=ascii)
def test_look_up_of_what_is_not_there_answers_no(registry, make_tool, name):
    """None, blank and unknown names give False and None, never an error."""
    registry.register(make_tool())
    assert not registry.has_tool(name)
    assert registry.get_tool_type(name) is None


def test_look_up_disregards_case_but_not_the_alphabet(registry, make_tool):
    """Another case finds the tool; a letter that merely folds to an allowed one does not."""
    tool = make_tool(TOOL_NAME="Kelvin")
    registry.register(tool)
    assert registry.get_tool_type("KELVIN") is tool
    assert registry.get_tool_type("\u212aelvin") is None


def test_registered_tools_are_sorted_and_read_only(registry, make_tool):
    """The mapping is sorted without regard to case, cannot be written to, and does not change later."""
    for name in ("zeta", "Alpha", "beta"):
        registry.register(make_tool(TOOL_NAME=name))
    tools = registry.registered_tools
    registry.register(make_tool(TOOL_NAME="late"))
    assert list(tools) == ["Alpha", "beta", "zeta"]
    with pytest.raises(TypeError):
        tools["new"] = object


def test_broken_logger_changes_nothing(broken_logger, make_tool):
    """Without a log a good tool is registered and a bad one refused all the same."""
    registry = AgentToolRegistry(broken_logger)
    registry.register(make_tool())
    with pytest.raises(InvalidOperationError):
        registry.register(make_tool(TOOL_NAME=""))
    assert list(registry.registered_tools) == ["test_tool"]
