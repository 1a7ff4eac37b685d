"""Rules over declarations at their edges: what is just right, what is just wrong, and what is another rule's."""

import pytest

from aptix_conformance.model import Exploration
from aptix_conformance.rules.lib import forms
from aptix_conformance.rules.registration import why_not_called
from aptix_harness.declaration import read_declaration
from aptix_reference_tools import HelloWorldTool


def emitted(b, **changes):
    return b.declaration(b.parameters(**changes))


def parameters(b, *names, kind="positional", required=True):
    return tuple(b.Parameter(name, kind, required) for name in names)


def execute(b, *given, kind="method"):
    return b.declaration(execute=b.Member("execute", kind, True, given))


# ---- REG


def test_reg007_takes_attributes_for_properties(b):
    own = b.replace(b.declaration(), name=b.valued("name", "testing_greeter", "attribute"))
    assert b.judge("REG007", own) is None
    assert b.judge("REG005", own) is None


def test_reg007_wants_execute_to_be_a_method(b):
    assert "execute is a property" in b.judge("REG007", execute(b, kind="property")).message


def test_reg006_is_for_instances_whose_property_could_be_read(b):
    assert not b.RULES["REG006"].when(b.declaration(construction_error="boom"))
    assert not b.RULES["REG006"].when(b.declaration(missing_services=("catalog",)))
    own = b.Member("is_tool_fully_executed_on_server", "method")
    assert not b.RULES["REG006"].when(b.declaration(is_tool_fully_executed_on_server=own))
    own = b.valued("is_tool_fully_executed_on_server", True, "attribute")
    assert b.RULES["REG006"].when(b.declaration(is_tool_fully_executed_on_server=own))


def test_reg006_tells_why_the_property_could_not_be_read(b):
    own = b.Member("is_tool_fully_executed_on_server", "property", error="KeyError: 'x'")
    assert "KeyError" in b.judge("REG006", b.declaration(is_tool_fully_executed_on_server=own)).message


def test_reg004_is_for_names_of_the_allowed_characters(b):
    odd = b.declaration(tool_name=b.plain("TOOL_NAME", "größe"))
    assert not b.RULES["REG004"].when(odd)
    missing = b.declaration(tool_name=b.Constant("TOOL_NAME", "missing", None, ""))
    assert not b.RULES["REG004"].when(missing)
    assert not b.RULES["REG003"].when(missing)


@pytest.mark.parametrize("name", ["agent__do", "_agent", "agent_", "Agent"])
def test_reg004_wants_lower_case_words_with_single_underscores(b, name):
    assert name in b.judge("REG004", b.declaration(tool_name=b.plain("TOOL_NAME", name))).message


def test_reg009_takes_optional_parameters_more_than_the_three(b):
    more = (*parameters(b, "arguments_json", "context", "token"), *parameters(b, "x", required=False))
    assert b.judge("REG009", execute(b, *more)) is None


def test_reg009_names_the_first_parameter_that_nobody_gives(b):
    more = parameters(b, "arguments_json", "context", "token", "first", "second")
    assert "needs first" in b.judge("REG009", execute(b, *more)).message


@pytest.mark.parametrize(("required", "is_broken"), [(True, True), (False, False)])
def test_reg009_asks_for_no_keyword_that_nobody_gives(b, required, is_broken):
    three = parameters(b, "arguments_json", "context", "token")
    own = execute(b, *three, *parameters(b, "mode", kind="keyword", required=required))
    assert (b.judge("REG009", own) is not None) is is_broken


def test_reg009_is_for_an_execute_whose_parameters_are_known(b):
    for kind in ("missing", "property", "attribute"):
        assert not b.RULES["REG009"].when(execute(b, kind=kind))
    for kind in ("static_method", "class_method"):
        assert b.RULES["REG009"].when(execute(b, kind=kind))


def test_a_method_without_any_parameter_that_could_be_read_is_found_out_by_calling(b):
    assert why_not_called(execute(b)) is None
    assert why_not_called(execute(b, *parameters(b, "x"), kind="attribute")) is None
    assert why_not_called(execute(b, *parameters(b, "x")))


def test_reg008_is_for_one_async_declaration_of_several(b):
    plain = b.replace(b.declaration().execute, is_async=False)
    both = (b.declaration(execute=plain), b.declaration())
    assert b.RULES["REG008"].when(Exploration(both, ()))


def test_reg012_tells_the_public_one_of_several_classes(b):
    classes = (b.ArgumentsClass("_Own", public=False), b.ArgumentsClass("Args", public=True))
    assert "Args is public" in b.judge("REG012", b.declaration(arguments_classes=classes)).message


# ---- forms


@pytest.mark.parametrize(
    ("schema", "is_null"),
    [({"type": "null"}, True), ({"enum": [None]}, True), ({"const": None}, True), ({"const": 0}, False)],
)
def test_a_branch_that_is_null_declares_no_type_of_its_own(schema, is_null):
    fault = forms.type_fault({"anyOf": [{"type": "string"}, schema]}, {})
    assert (fault is None) is is_null


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_every_branch_of_a_union_declares_a_type(keyword):
    assert forms.type_fault({keyword: [{"type": "string"}, {"type": "integer"}]}, {}) is None
    assert "no type" in forms.type_fault({keyword: [{"type": "string"}, {}]}, {})
    assert "no type" in forms.type_fault({keyword: [{}, {"type": "string"}]}, {})


@pytest.mark.parametrize("depth", [1, 16])
def test_a_type_may_stand_behind_as_many_as_sixteen_references(depth):
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1, depth)}
    definitions[f"d{depth}"] = {"type": "string"}
    assert forms.type_fault({"$ref": "#/$defs/d1"}, {"$defs": definitions}) is None


def test_and_not_behind_seventeen():
    definitions = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(1, 17)}
    definitions["d17"] = {"type": "string"}
    assert forms.type_fault({"$ref": "#/$defs/d1"}, {"$defs": definitions})


def test_references_are_unescaped_and_local():
    root = {"$defs": {"a/b~c": {"type": "string"}}}
    assert forms.type_fault({"$ref": "#/$defs/a~1b~0c"}, root) is None
    assert forms.type_fault({"$ref": "other.json#/$defs/a~1b~0c"}, root)
    assert forms.type_fault({"$ref": "#/$defs/a~1b~0c/type/x"}, root)


@pytest.mark.parametrize(("declared", "word"), [(["null"], "['null']"), ([], "[]"), (["string", 7], "7")])
def test_a_list_of_types_has_one_beside_null_and_none_that_is_unknown(declared, word):
    assert word in forms.type_fault({"type": declared}, {})


@pytest.mark.parametrize(
    ("schema", "requires"),
    [
        ({"properties": {"a": {"default": 1}}, "required": ["a"]}, False),
        ({"properties": {"a": {}}, "required": ["a"]}, True),
        ({"properties": {"a": {"default": 1}, "b": {}}, "required": ["a", "b"]}, True),
        ({"properties": {"a": {}}, "required": []}, False),
        ({"properties": {}, "required": ["a"]}, True),
        ({"properties": {"o": {"properties": {"a": {}}, "required": ["a"]}}, "required": []}, True),
        ({"properties": {"o": {"items": [{"properties": {}, "required": ["a"]}]}}, "required": []}, True),
        ({"properties": {"a": True}, "required": "a"}, False),
    ],
)
def test_something_is_required_where_a_name_has_no_default_at_any_depth(b, schema, requires):
    declared = b.declaration(b.schema(parameters={"type": "object", **schema}))
    assert forms.requires_something(declared) is requires


def test_names_of_properties_are_found_at_any_depth():
    inner = {"type": "array", "items": [{"properties": {"deep": {}}}]}
    schema = {"properties": {"a": inner, "b": {"properties": "none"}}, "anyOf": [{"properties": {"c": {}}}]}
    assert set(forms.property_names(schema)) == {"a", "b", "deep", "c"}


@pytest.mark.parametrize(
    ("name", "annotation", "kind", "takes"),
    [
        ("logger", "", "positional", True),
        ("log", "AdminLogger", "positional", True),
        ("options", "", "var_keyword", True),
        ("catalog", "Catalog", "positional", False),
        ("rest", "", "var_positional", False),
    ],
)
def test_the_logger_is_known_by_name_or_type_and_taken_by_who_takes_anything(
    b, name, annotation, kind, takes
):
    declared = b.declaration(constructor=(b.Parameter(name, kind, True, annotation),))
    assert forms.takes_the_logger(declared) is takes


def test_a_schema_is_a_functions_by_its_type_or_its_parameters(b):
    for schema, expected in [
        ({"type": "function"}, True),
        ({"parameters": {}}, True),
        ({"type": "tool"}, False),
        ({"type": "function", "function": {}}, False),
    ]:
        assert forms.is_function(b.declaration(schema)) is expected
    assert not forms.is_function(b.declaration("[]"))


def test_what_a_schema_cannot_be_read_for_is_told(b):
    raised = b.declaration(schema=b.SchemaReading("raised", None, "boom"))
    assert forms.emitted(raised).fault == "boom"
    empty = b.declaration(schema=b.SchemaReading("returned", None, None))
    assert forms.emitted(empty).fault == "returned"


# ---- SCH


def test_sch001_takes_parameters_that_may_be_left_out_as_variadic(b):
    own = b.Member("get_schema", "static_method", parameters=parameters(b, "rest", kind="var_positional"))
    assert b.judge("SCH001", b.declaration(get_schema=own)) is None


def test_schema_can_be_called_where_no_parameter_is_required(b):
    optional = b.Member("get_schema", "class_method", parameters=parameters(b, "x", required=False))
    needed = b.Member("get_schema", "class_method", parameters=parameters(b, "x"))
    assert forms.callable_schema(b.declaration(get_schema=optional))
    assert not forms.callable_schema(b.declaration(get_schema=needed))


@pytest.mark.parametrize(
    ("changes", "is_judged"),
    [
        ({}, True),
        ({"required": None}, True),
        ({"required": "name"}, False),
        ({"required": None, "properties": {"a": {"type": "string", "required": True}}}, False),
        ({"properties": {"a": {}}}, False),
    ],
)
def test_sch010_is_for_parameters_in_which_nothing_simpler_is_wrong(b, changes, is_judged):
    assert b.RULES["SCH010"].when(emitted(b, **changes)) is is_judged


def test_sch010_reports_a_schema_too_deep_for_any_checker(b):
    """It is a finding, and not the end of the checker."""
    deep = '{"type": "array", "items": ' * 3_000 + "{}" + "}" * 3_000
    properties = f'{{"a": {deep}}}'
    own = f'{{"type": "function", "parameters": {{"type": "object", "properties": {properties}, "required": []}}}}'
    assert b.RULES["SCH010"].check(b.declaration(own)) or not b.RULES["SCH010"].when(b.declaration(own))


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("patternProperties", {"^x": {}}),
        ("allOf", [{"properties": {"title": {}}}]),
        ("anyOf", [{}]),
        ("oneOf", [{}]),
        ("if", {}),
        ("additionalProperties", {"type": "string"}),
    ],
)
def test_sch016_knows_that_arguments_may_be_described_elsewhere(b, keyword, value):
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    assert b.judge("SCH016", Exploration((b.declaration(),), (example,)))
    assert b.judge("SCH016", Exploration((emitted(b, **{keyword: value}),), (example,))) is None
    assert b.judge("SCH016", Exploration((emitted(b, additionalProperties=True),), (example,)))


def test_sch016_judges_by_schemas_that_could_be_read_and_examples_that_worked(b):
    titled = '{"name": "Ada", "title": "Countess"}'
    example = b.call("example:1", titled, demand="accepted")
    unread = b.declaration(b.schema(parameters=None))
    assert b.judge("SCH016", Exploration((unread,), (example,))) is None
    assert b.judge("SCH016", Exploration((unread, b.declaration()), (example,)))
    refused = b.call("example:2", titled, demand="accepted", result=b.failure("No."))
    drawn = b.call("generated", titled)
    assert b.judge("SCH016", Exploration((b.declaration(),), (drawn, refused))) is None


def test_sch014_draws_the_line_at_1024_characters(b):
    for length, is_broken in ((1024, False), (1025, True)):
        own = b.declaration(b.schema(description="x" * length))
        assert (b.judge("SCH014", own) is not None) is is_broken
        inner = b.with_property(extra={"type": "string", "description": "x" * length})
        assert (b.judge("SCH014", b.declaration(inner)) is not None) is is_broken


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("Greets people warmly.", False),
        ("Greets people.", True),
        ("The testing greeter tool", True),
        ("A greeter for testing this", False),
    ],
)
def test_sch015_wants_three_words_and_one_that_is_not_of_the_name(b, text, is_broken):
    assert (b.judge("SCH015", b.declaration(b.schema(description=text))) is not None) is is_broken


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("Built 2025-11-20T10:23:11", True),
        ("Built '2025-11-20T10:23:11'", False),
        ("Built (2025-11-20T10:23:11)", False),
        ("Built <2025-11-20T10:23:11Z>", False),
        ("Built '2025-11-20T10:23:11 or so", True),
        ("'Now': 2025-11-20T10:23:11 (local)", True),
    ],
)
def test_sch013_takes_what_is_quoted_for_an_example(b, text, is_broken):
    assert (b.judge("SCH013", b.declaration(b.schema(description=text))) is not None) is is_broken


def test_sch013_looks_at_names_and_in_lists_and_tells_the_first(b):
    digits = "9f86d081884c7d659f86d081884c7d65"
    listed = b.declaration(b.schema(**{"x-builds": [f"{digits}a", f"{digits}b"]}))
    assert f"{digits}a" in b.judge("SCH013", listed).message
    assert b.judge("SCH013", b.declaration(b.schema(**{digits: 1})))


# ---- SCH030 and up


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("SCH031", {"anyOf": [{"required": ["name"]}]}),
        ("SCH032", {"properties": {"level": {"type": "integer", "enum": [1, 2], "description": "Level."}}}),
        ("SCH033", {"properties": {"größe": {"type": "string", "description": "Size."}}}),
    ],
)
def test_what_a_provider_refuses_is_told_with_the_provider(b, code, changes):
    assert b.judge(code, b.declaration()) is None
    found = b.judge(code, emitted(b, **{"required": [], **changes}))
    assert "refused by" in found.message
    assert found.message[0].isupper()


def test_sch034_is_about_schemas_that_ask_to_be_strict(b):
    assert b.judge("SCH034", b.declaration()) is None
    assert b.judge("SCH034", b.declaration(b.schema(strict=True)))


@pytest.mark.parametrize(
    ("name", "is_broken"),
    [("1agent", True), ("a" * 65, True), ("a" * 64, False), ("_a", False), ("-a", True)],
)
def test_sch030_wants_names_that_every_provider_takes(b, name, is_broken):
    assert (b.judge("SCH030", b.declaration(b.schema(name=name))) is not None) is is_broken


def test_they_are_not_for_what_is_out_of_form_already(b):
    for code in ("SCH031", "SCH032", "SCH033", "SCH034"):
        assert not b.RULES[code].when(b.declaration(b.schema(parameters=None)))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name="größe")))
    assert not b.RULES["SCH030"].when(b.declaration(b.schema(name=7)))
    assert not b.RULES["SCH030"].when(b.declaration({"type": "tool", "name": "a"}))


# ---- USE, and who is concerned


def hello(b, **changes):
    name = {"type": "string", "description": "The user's name."}
    own = {
        "type": "function",
        "name": "agent_hello_world",
        "description": "Makes a friendly greeting.",
        "parameters": {"type": "object", "properties": {"name": name}, "required": ["name"], **changes},
    }
    return b.declaration(own, "agent_hello_world")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"properties": {"name": True}}, "no string"),
        ({"properties": {"name": {"type": "integer"}}}, "no string"),
        ({"required": []}, "required: []"),
        ({"properties": {}}, "none"),
        ({"properties": {"name": {}, "title": {}}}, "title"),
    ],
)
def test_use021_wants_one_required_text(b, changes, words):
    assert words in b.judge("USE021", hello(b, **changes)).message


def test_use021_takes_a_name_without_a_type_for_a_text(b):
    """What is missing is SCH008's."""
    assert b.judge("USE021", hello(b, properties={"name": {}})) is None


@pytest.mark.parametrize(
    ("code", "inner", "concerned"),
    [
        ("ARG009", {"enum": ["a"]}, True),
        ("ARG009", {"const": "a"}, True),
        ("ARG009", {"type": "string"}, False),
        ("ARG009", {"$ref": "#/$defs/kind"}, True),
        ("ARG009", {"$ref": "#/$defs/tree"}, False),
        ("ARG009", {"$ref": "elsewhere.json"}, False),
        ("ARG009", {"type": "string", "allOf": [{"$ref": "#/$defs/kind"}]}, True),
        ("ARG009", {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, True),
        ("ARG009", {"anyOf": [{"type": "string"}, {"const": None}]}, False),
        ("ARG009", {"oneOf": [{"type": "integer"}, {"const": "a"}]}, True),
        ("ARG009", {"type": "array", "items": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "array", "prefixItems": [{"enum": ["a"]}]}, True),
        ("ARG009", {"type": "object", "properties": {"deep": {"enum": ["a"]}}}, True),
        ("ARG009", {"type": "object", "properties": {"enum": {"type": "string"}}}, False),
        ("ARG009", {"type": "object", "additionalProperties": {"enum": ["a"]}}, True),
        ("ARG009", {"type": "string", "default": {"enum": ["a"]}}, False),
        ("ARG010", {"type": "string", "minLength": 1}, True),
        ("ARG010", {"type": "string", "enum": ["a"]}, False),
        ("ARG010", {"type": "string", "title": "x", "$comment": "y"}, False),
    ],
)
def test_rules_on_values_are_for_schemas_that_say_something_of_them(b, code, inner, concerned):
    kept = {"$defs": {"kind": {"enum": ["a"]}, "tree": {"items": {"$ref": "#/$defs/tree"}}}}
    own = emitted(b, properties={"a": inner, "b": True}, required=[], **kept)
    assert (b.RULES[code].applies(own) is None) is concerned


def test_rules_on_types_and_defaults_are_for_schemas_with_such_arguments(b):
    none = emitted(b, properties={}, required=[])
    assert b.RULES["ARG008"].applies(none)
    assert b.RULES["ARG011"].applies(none)
    assert b.RULES["ARG011"].applies(emitted(b, properties={"a": {}}, required=["a"]))
    assert b.RULES["ARG011"].applies(b.declaration()) is None
    assert b.RULES["ARG008"].applies(b.declaration()) is None


def test_sch004_and_sch014_are_for_functions(b):
    nameless = b.declaration(tool_name=b.Constant("TOOL_NAME", "missing", None, ""))
    assert not b.RULES["SCH004"].when(nameless)
    assert not b.RULES["SCH004"].when(b.declaration({"type": "tool"}))
    assert not b.RULES["SCH014"].when(b.declaration({"type": "tool"}))


def test_sch006_tells_what_the_parameters_are(b):
    assert "['a']" in b.judge("SCH006", b.declaration(b.schema(parameters=["a"]))).message


def test_sch002_tells_what_was_emitted(b):
    assert "get_schema gave [1]" in b.judge("SCH002", b.declaration("[1]")).message


def test_sch010_is_not_for_one_property_of_several_that_says_that_it_is_required(b):
    own = {"a": {"type": "string", "required": True}, "b": {"type": "string"}}
    assert not b.RULES["SCH010"].when(emitted(b, required=None, properties=own))


@pytest.mark.parametrize(
    ("text", "is_broken"),
    [
        ("' 2025-11-20T10:23:11 '", False),
        ("'  2025-11-20T10:23:11'", True),
        ("'2025-11-20T10:23:11  '", True),
        ("'2025-11-20T10:23:11   ", True),
    ],
)
def test_sch013_sees_a_mark_within_two_characters(b, text, is_broken):
    assert (b.judge("SCH013", b.declaration(b.schema(description=f"Built {text}"))) is not None) is is_broken


def test_a_union_that_refers_to_itself_declares_no_type_that_could_be_read():
    root = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}
    assert "could be read" in forms.type_fault({"$ref": "#/$defs/a"}, root)


def test_a_type_may_stand_in_as_many_as_sixteen_unions():
    schema = {"type": "string"}
    for _ in range(16):
        schema = {"anyOf": [schema, {"type": "null"}]}
    assert forms.type_fault(schema, {}) is None
    assert forms.type_fault({"anyOf": [schema]}, {})


def test_of_several_unknown_types_the_first_is_named():
    assert "'text'" in forms.type_fault({"type": ["text", "int"]}, {})


def test_sch013_takes_a_quotation_at_the_very_beginning_for_one(b):
    assert b.judge("SCH013", b.declaration(b.schema(description="'2025-11-20T10:23:11' it was."))) is None


def test_sch016_names_the_argument_that_is_not_declared(b):
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    assert (
        "The argument 'title' is not"
        in b.judge("SCH016", Exploration((b.declaration(),), (example,))).message
    )


def test_a_type_may_stand_in_one_of_as_many_as_sixteen_parts():
    schema = {"type": "string"}
    for _ in range(16):
        schema = {"allOf": [{}, schema]}
    assert forms.type_fault(schema, {}) is None
    assert forms.type_fault({"allOf": [schema]}, {})


def test_a_type_is_missing_where_no_part_has_one():
    assert forms.type_fault({"allOf": [{}, {"description": "A name."}]}, {}) == "declares no type"
    assert forms.type_fault({"allOf": [{"type": "string"}]}, {}) is None


def test_reg005_tells_both_names(b):
    own = b.replace(b.declaration(), name=b.valued("name", "other"))
    message = b.judge("REG005", own).message
    assert "name is 'other'" in message
    assert "TOOL_NAME is 'testing_greeter'" in message


def test_sch015_is_for_descriptions_that_hold_text(b):
    for description in (None, " \n"):
        assert not b.RULES["SCH015"].when(b.declaration(b.schema(description=description)))
    assert b.RULES["SCH015"].when(b.declaration())


def test_sch016_is_for_calls_with_arguments_of_the_schemas(b):
    assert not b.RULES["SCH016"].when(Exploration((b.declaration(),), (b.call(probe="repeat"),)))
    assert b.RULES["SCH016"].when(Exploration((b.declaration(),), (b.call(),)))


def test_sch016_says_nothing_where_one_reading_describes_arguments_elsewhere(b):
    example = b.call("example:1", '{"name": "Ada", "title": "Countess"}', demand="accepted")
    both = (b.declaration(), emitted(b, patternProperties={"^x": {}}))
    assert b.judge("SCH016", Exploration(both, (example,))) is None


def test_sch010_goes_on_where_the_checker_of_schemas_cannot(b):
    schema = {"type": "string"}
    for _ in range(200):
        schema = {"type": "object", "properties": {"a": schema}}
    assert "nest more than" in b.judge("SCH010", b.declaration(b.with_property(deep=schema))).message


def test_a_declaration_holds_the_schema_that_the_class_gives():
    given = read_declaration(HelloWorldTool).schema
    assert given == HelloWorldTool.get_schema()
