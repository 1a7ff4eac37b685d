"""REG: declarations that are just right, those that are just wrong, and what is another rule's."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Exploration
from aptix_conformance.rules.registration import why_not_called
from aptix_harness.declaration import read_declaration
from aptix_reference_tools import HelloWorldTool


def execute(*given, kind="method"):
    return b.declaration(execute=b.Member("execute", kind, True, given))


def parameters(*names, kind="positional", required=True):
    return tuple(b.Parameter(name, kind, required) for name in names)


def test_reg007_takes_attributes_for_properties():
    own = b.replace(b.declaration(), name=b.valued("name", "testing_greeter", "attribute"))
    assert b.judge("REG007", own) is None
    assert b.judge("REG005", own) is None


def test_reg007_wants_execute_to_be_a_method():
    assert "execute is a property" in b.judge("REG007", execute(kind="property")).message


def test_reg006_is_for_instances_whose_property_could_be_read():
    assert not b.RULES["REG006"].when(b.declaration(construction_error="boom"))
    assert not b.RULES["REG006"].when(b.declaration(missing_services=("catalog",)))
    own = b.Member("is_tool_fully_executed_on_server", "method")
    assert not b.RULES["REG006"].when(b.declaration(is_tool_fully_executed_on_server=own))
    own = b.valued("is_tool_fully_executed_on_server", True, "attribute")
    assert b.RULES["REG006"].when(b.declaration(is_tool_fully_executed_on_server=own))


def test_reg006_tells_why_the_property_could_not_be_read():
    own = b.Member("is_tool_fully_executed_on_server", "property", error="KeyError: 'x'")
    assert "KeyError" in b.judge("REG006", b.declaration(is_tool_fully_executed_on_server=own)).message


def test_reg004_is_for_names_of_the_allowed_characters():
    odd = b.declaration(tool_name=b.plain("TOOL_NAME", "größe"))
    assert not b.RULES["REG004"].when(odd)
    missing = b.declaration(tool_name=b.Constant("TOOL_NAME", "missing", None, ""))
    assert not b.RULES["REG004"].when(missing)
    assert not b.RULES["REG003"].when(missing)


@pytest.mark.parametrize("name", ["agent__do", "_agent", "agent_", "Agent"])
def test_reg004_wants_lower_case_words_with_single_underscores(name):
    assert name in b.judge("REG004", b.declaration(tool_name=b.plain("TOOL_NAME", name))).message


def test_reg009_takes_optional_parameters_more_than_the_three():
    more = (*parameters("arguments_json", "context", "token"), *parameters("x", required=False))
    assert b.judge("REG009", execute(*more)) is None


def test_reg009_names_the_first_parameter_that_nobody_gives():
    more = parameters("arguments_json", "context", "token", "first", "second")
    assert "needs first" in b.judge("REG009", execute(*more)).message


@pytest.mark.parametrize(("required", "is_broken"), [(True, True), (False, False)])
def test_reg009_asks_for_no_keyword_that_nobody_gives(required, is_broken):
    three = parameters("arguments_json", "context", "token")
    own = execute(*three, *parameters("mode", kind="keyword", required=required))
    assert (b.judge("REG009", own) is not None) is is_broken


def test_reg009_is_for_an_execute_whose_parameters_are_known():
    for kind in ("missing", "property", "attribute"):
        assert not b.RULES["REG009"].when(execute(kind=kind))
    for kind in ("static_method", "class_method"):
        assert b.RULES["REG009"].when(execute(kind=kind))


def test_a_method_without_any_parameter_that_could_be_read_is_found_out_by_calling():
    assert why_not_called(execute()) is None
    assert why_not_called(execute(*parameters("x"), kind="attribute")) is None
    assert why_not_called(execute(*parameters("x")))


def test_reg008_is_for_one_async_declaration_of_several():
    plain = b.replace(b.declaration().execute, is_async=False)
    both = (b.declaration(execute=plain), b.declaration())
    assert b.RULES["REG008"].when(Exploration(both, ()))


def test_reg012_tells_the_public_one_of_several_classes():
    classes = (b.ArgumentsClass("_Own", public=False), b.ArgumentsClass("Args", public=True))
    assert "Args is public" in b.judge("REG012", b.declaration(arguments_classes=classes)).message


def test_reg005_tells_both_names():
    own = b.replace(b.declaration(), name=b.valued("name", "other"))
    message = b.judge("REG005", own).message
    assert "name is 'other'" in message
    assert "TOOL_NAME is 'testing_greeter'" in message


def test_a_declaration_holds_the_schema_that_the_class_gives():
    given = read_declaration(HelloWorldTool).schema
    assert given == HelloWorldTool.get_schema()
