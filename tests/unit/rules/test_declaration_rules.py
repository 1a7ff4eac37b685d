"""Rules over declarations: each passes what it should and fails what it should, and says what it saw."""

import json

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.rules.registration import why_not_called
from aptix_conformance.systems.amplifier.traits import TRAITS as AMPLIFIER

LONG = "Greets a person by name. " * 60


def member(kind, name="execute", **changes):
    return b.declaration(**{name: b.Member(name, kind, **changes)})


def execute(*names, is_async=True, required=None):
    parameters = tuple(
        b.Parameter(name.strip("*"), kind_of(name), required is None or name in required) for name in names
    )
    return b.declaration(execute=b.Member("execute", "method", is_async, parameters))


def kind_of(name):
    if name.startswith("**"):
        return "var_keyword"
    return "var_positional" if name.startswith("*") else "positional"


def constructor(*parameters, **changes):
    return b.declaration(
        constructor=tuple(
            b.Parameter(name, "positional", True, annotation) for name, annotation in parameters
        ),
        **changes,
    )


def prop(**schema):
    return b.declaration(b.with_property(extra={"description": "More.", **schema}))


def usage(text):
    return b.declaration(usage=text)


def reread(first, second):
    return b.declaration(emitted=first, schema_again=b.SchemaReading("returned", second))


def hello(usage="Greets the user.", schema=None, name="agent_hello_world"):
    own = {
        "type": "function",
        "name": name,
        "description": "Creates a friendly greeting with the user's name.",
        "parameters": {
            "type": "object",
            "properties": {"name": {"type": "string", "description": "The user's name."}},
            "required": ["name"],
        },
    }
    return b.declaration(emitted=schema or own, name=name, usage=usage)


def modes(usage="-", argument=None, required=(), server=True, services=("catalog",)):
    argument_schema = {"type": "boolean", "description": "…"} if argument is None else argument
    own = {
        "type": "function",
        "name": "agent_list_modes",
        "description": "Lists all modes.",
        "parameters": {
            "type": "object",
            "properties": {"includeExamples": argument_schema, "x": {"type": "string", "description": "x"}},
            "required": list(required),
        },
    }
    parameters = tuple(b.Parameter(name, "positional", True) for name in ("logger", *services))
    on_server = b.valued("is_tool_fully_executed_on_server", server)
    return b.declaration(
        emitted=own,
        name="agent_list_modes",
        usage=usage,
        constructor=parameters,
        is_tool_fully_executed_on_server=on_server,
    )


def greeting(**constraints):
    """The schema of agent_hello_world with something said of its name."""
    name = {"type": "string", "description": "The name.", **constraints}
    parameters = {"type": "object", "properties": {"name": name}, "required": ["name"]}
    return {
        "type": "function",
        "name": "agent_hello_world",
        "description": "A friendly greeting.",
        "parameters": parameters,
    }


GOOD_MODES_USAGE = """Lists the modes.
Call it when the user asks which modes are available, wants help to choose one, or before you propose a change.
Do not call it on every message, when you already know the mode, or as a substitute for the mode-change tool."""


def constant(kind, value=None, type_name="str", name="tool_name"):
    return b.declaration(**{name: b.Constant(name, kind, value, type_name)})


ok = b.declaration()

# code, an observation that keeps the rule, one that breaks it, and a word of the finding
CASES = [
    *(
        ("REG001", ok, constant(kind), word)
        for kind, word in {
            "missing": "not there",
            "property": "property",
            "descriptor": "descriptor",
            "annotation": "annotated",
            "instance": "instances",
            "metaclass": "metaclass",
            "static": "no const",
        }.items()
    ),
    ("REG001", constant("plain", "x"), constant("plain", None, "int"), "int"),
    ("REG001", constant("plain", "x"), constant("plain", "x", "Name"), "Name"),
    ("REG002", ok, constant("plain", " \t"), "blank"),
    ("REG003", constant("plain", "Ab-9_"), constant("plain", "name\n"), r"\n"),
    ("REG003", constant("plain", "x"), constant("plain", "größe"), "größe"),
    ("REG004", constant("plain", "agent_2_do"), constant("plain", "agent-do"), "agent-do"),
    ("REG004", constant("plain", "agent"), constant("plain", "agentDo"), "agentDo"),
    ("REG005", ok, b.replace(b.declaration(), name=b.valued("name", "other")), "other"),
    (
        "REG005",
        ok,
        b.replace(b.declaration(), name=b.Member("name", "property", error="KeyError: 'x'")),
        "KeyError",
    ),
    ("REG006", ok, b.replace(b.declaration(), is_tool_fully_executed_on_server=b.valued("i", 1)), "int"),
    ("REG007", ok, b.replace(b.declaration(), name=b.Member("name", "missing")), "name is not there"),
    ("REG007", ok, b.replace(b.declaration(), name=b.Member("name", "method")), "name is a method"),
    ("REG007", ok, member("missing"), "execute is not there"),
    (
        "REG009",
        execute("a", "b", "c"),
        execute("context", "arguments_json", "cancellation_token"),
        "context in place 1",
    ),
    ("REG009", execute("*args"), execute("arguments_json", "context"), "2 arguments"),
    ("REG009", execute("_arguments_json", "_context", "*rest"), execute("a", "b", "c", "d"), "needs d"),
    (
        "REG009",
        execute("a", "b", "c", "d", required=("a", "b")),
        execute("arguments_json", "**kwargs"),
        "1 arguments",
    ),
    ("REG010", constructor(("log", "AdminLogger")), constructor(("catalog", "Catalog")), "catalog"),
    ("REG010", constructor(("logger", "")), constructor(), "nothing"),
    ("REG011", ok, constructor(("logger", ""), construction_error="ValueError: no"), "ValueError"),
    (
        "REG012",
        b.declaration(arguments_classes=(b.ArgumentsClass("_Args", False),)),
        b.declaration(arguments_classes=(b.ArgumentsClass("Args", True),)),
        "Args",
    ),
    ("REG013", ok, constant("property", name="usage_text"), "TOOL_USAGE_METADATA"),
    ("SCH001", member("class_method", "get_schema"), member("missing", "get_schema"), "no get_schema"),
    ("SCH001", ok, member("method", "get_schema"), "a method"),
    (
        "SCH001",
        ok,
        b.declaration(get_schema=b.Member("get_schema", "static_method", parameters=b.EXECUTE)),
        "context",
    ),
    (
        "SCH002",
        ok,
        b.declaration(schema=b.SchemaReading("raised", None, "ValueError: x")),
        "raised ValueError",
    ),
    ("SCH002", ok, b.declaration(schema=b.SchemaReading("not_json", None, "a set")), "a set"),
    ("SCH002", ok, b.declaration("[1]"), "no object"),
    ("SCH002", ok, b.declaration('{"type": NaN}'), "NaN"),
    ("SCH003", ok, b.declaration(b.schema(type="tool")), "'tool'"),
    ("SCH003", ok, b.declaration(b.schema(type=None)), "no member type"),
    ("SCH003", ok, b.declaration({"type": "function", "function": b.SCHEMA}), "below"),
    ("SCH004", ok, b.declaration(b.schema(name="other")), "other"),
    ("SCH004", ok, b.declaration(b.schema(name=None)), "None"),
    ("SCH005", ok, b.declaration(b.schema(description=" ")), "description"),
    ("SCH006", ok, b.declaration(b.schema(parameters=None)), "None"),
    ("SCH006", ok, b.declaration(b.parameters(type="array")), "array"),
    ("SCH006", ok, b.declaration(b.parameters(properties=None)), "properties"),
    (
        "SCH007",
        b.declaration(b.parameters(required=[])),
        b.declaration(b.parameters(required=None)),
        "no member",
    ),
    ("SCH007", ok, b.declaration(b.parameters(required="name")), "no array"),
    ("SCH007", ok, b.declaration(b.parameters(required=["name", "name"])), "twice"),
    ("SCH008", prop(type=["string", "null"]), prop(type="strng"), "strng"),
    ("SCH008", prop(anyOf=[{"type": "integer"}, {"type": "null"}]), prop(type="null"), "null"),
    (
        "SCH008",
        prop(allOf=[{"type": "integer"}, {"minimum": 1}]),
        prop(anyOf=[{"type": "integer"}, {"minimum": 1}]),
        "no type",
    ),
    ("SCH008", prop(type="object", properties={"deep": {"type": "array"}}), prop(enum=["a"]), "no type"),
    (
        "SCH008",
        b.declaration(
            b.parameters(properties={"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {"type": "string"}}})
        ),
        prop(**{"$ref": "#/properties/extra"}),
        "no schema",
    ),
    ("SCH009", ok, prop(type="string", description=" "), "extra"),
    ("SCH010", prop(type="string", pattern="^a$"), prop(type="string", minLength="3"), "minLength"),
    ("SCH010", ok, prop(type="array", items={"$ref": "#/nowhere"}), "nowhere"),
    ("SCH011", ok, b.declaration(b.parameters(required=["name", "ghost"])), "ghost"),
    (
        "SCH012",
        ok,
        b.declaration(schema_again=b.SchemaReading("returned", json.dumps(b.schema(x=1)))),
        "differs from",
    ),
    ("SCH012", ok, b.declaration(schema_again=b.SchemaReading("raised", None, "boom")), "boom"),
    (
        "SCH013",
        prop(type="string", description="When, e.g. 2025-01-31T10:00:00Z."),
        b.declaration(b.schema(description="Greets. Built 2025-11-20T10:23:11.")),
        "a timestamp",
    ),
    (
        "SCH013",
        prop(type="string", description="When it was seen, as 2030-01-28T10:00:00Z."),
        b.declaration(b.schema(description="Greets, as of 2025-11-20T10:23:11.")),
        "a timestamp",
    ),
    (
        "SCH013",
        prop(type="string", default="0123456789abcdef0123456789abcdef"),
        b.declaration(b.schema(description="Greets by 1b4e28ba-2fa1-11d2-883f-0016d3cca427.")),
        "a GUID",
    ),
    (
        "SCH013",
        prop(type="string", description="A day, as in 2025-01-31."),
        b.declaration(b.schema(**{"x-build": "9f86d081884c7d65"})),
        "random",
    ),
    ("SCH014", ok, b.declaration(b.schema(description=LONG)), "1,500"),
    ("SCH014", ok, prop(type="string", description=LONG), "extra"),
    ("SCH015", ok, b.declaration(b.schema(description="testing greeter tool")), "testing greeter"),
    ("USE001", ok, usage(" \n"), "blank"),
    ("USE002", ok, usage("Greets."), "one line"),
    *(
        (code, ok, usage("Hmm."), "seems to say it")
        for code in ("USE003", "USE004", "USE005", "USE006", "USE007", "USE008", "USE009")
    ),
    ("USE010", ok, usage("Arguments:\n- name: who\n- title: what"), "title"),
    ("USE010", usage("It has no `title` argument."), usage("Set the `title` argument."), "title"),
    (
        "USE010",
        usage('Good: {"name": "Ada"}. Bad: {"name": 5}.'),
        usage('Good: {"name": 5}. Bad: {"name": ""}.'),
        "a good call",
    ),
    (
        "USE010",
        usage(
            '- Good usage: {"name": ...}, {"name": "<name>", "n": 5}, {"name": "Ada"} gives {"greeting": "Hi"}'
        ),
        usage('Good usage:\n- {"name": 5}\n\n{"name": 6}'),
        "5",
    ),
    ("USE011", ok, usage("Uses AKIA2E0A8F3B244C9986 to sign."), "AWS"),
    ("USE012", ok, usage("It asks http://10.0.0.7:8080/names for names."), "10.0.0.7"),
    (
        "USE012",
        usage("It reads /data/names, or C:\\Users\\name\\names."),
        usage("It reads /mnt/nas02/names of today."),
        "/mnt/nas02/names",
    ),
    (
        "USE012",
        usage("It takes paths such as /mnt/a/b."),
        usage(r"It reads \\nas02\names$\today, which IT mounts."),
        r"\\nas02\names$\today",
    ),
    (
        "USE012",
        usage("A drive, C:, or a ratio, 1:2."),
        usage(r"It reads D:\exports\daily."),
        r"D:\exports\daily",
    ),
    ("USE013", ok, usage("Erzählt Witze."), "Greets a person"),
    (
        "USE014",
        ok,
        usage("This tool greets.\nUse it when asked; never twice; errors are rare; e.g. hello; idempotent."),
        "no headings",
    ),
    ("USE020", hello(), hello(usage="Says something."), "greeting"),
    (
        "USE021",
        hello(),
        hello(schema={**json.loads(hello().schema.text), "description": "Says it."}),
        "greeting",
    ),
    ("USE021", hello(), hello(schema={**b.SCHEMA, "name": "agent_hello_world"}), "mood"),
    ("CAT001", modes(), modes(server=False), "False"),
    ("CAT002", modes(), modes(argument={"type": "string", "description": "…"}), "string"),
    (
        "CAT002",
        modes(argument={"type": ["boolean", "null"], "description": "…"}),
        modes(required=["x"]),
        "requires x",
    ),
    ("CAT003", modes(), modes(services=()), "no catalog"),
    ("CAT010", modes(GOOD_MODES_USAGE), modes("Lists modes."), "choose"),
    ("CAT011", modes(GOOD_MODES_USAGE), modes("Lists modes. Never call it twice."), "every message"),
]


@pytest.mark.parametrize(("code", "kept", "broken", "word"), CASES)
def test_rule_passes_the_one_and_fails_the_other(code, kept, broken, word):
    assert b.judge(code, kept) is None
    finding = b.judge(code, broken)
    assert finding
    assert word in finding.message


@pytest.mark.parametrize(
    ("code", "broken"), [(case[0], case[2]) for case in CASES if case[0][:3] in ("REG", "SCH")]
)
def test_a_broken_declaration_breaks_one_rule_only(code, broken):
    declared = broken
    found = {
        c
        for c, r in b.RULES.items()
        if isinstance(declared, r.over) and not r.applies(declared) and r.when(declared) and r.check(declared)
    }
    # What a tool is called, and what its schema says of it, is seen from two sides at once.
    assert found - {"SCH004", "REG005", "REG004", "USE013", "SCH015"} <= {code}
    assert code in found


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (execute("arguments_json", "context"), "takes 2 arguments"),
        (execute("a", "b", "c", "d"), "needs d"),
        (member("missing", "execute"), "no method execute"),
    ],
)
def test_a_tool_that_cannot_be_called_at_all_is_not_called(declared, words):
    assert words in why_not_called(declared)


@pytest.mark.parametrize("declared", [ok, execute("*args"), execute("context", "arguments_json", "token")])
def test_a_tool_that_can_be_called_somehow_is_called(declared):
    assert why_not_called(declared) is None


def test_what_another_system_calls_execute_is_its_own_affair():
    assert why_not_called(b.replace(execute("input"), traits=AMPLIFIER)) is None


def required_by_property():
    name = {"type": "string", "description": "Whom to greet.", "required": True}
    return b.declaration({**b.SCHEMA, "parameters": {"type": "object", "properties": {"name": name}}})


NOT_EXAMINED = [
    ("REG002", constant("missing")),
    ("REG005", b.declaration(construction_error="it broke")),
    ("REG011", b.declaration(missing_services=("catalog",), construction_error="catalog")),
    ("SCH002", member("method", "get_schema")),
    ("SCH006", b.declaration({"type": "function", "function": b.SCHEMA})),
    ("SCH010", required_by_property()),
    ("SCH013", reread('{"a": "2025-11-20T10:23:11"}', '{"a": "2025-11-20T10:23:12"}')),
    ("USE003", usage(" ")),
    ("USE013", b.declaration(b.schema(description="TODO"))),
]


@pytest.mark.parametrize(("code", "observed"), NOT_EXAMINED)
def test_rule_does_not_judge_what_another_rule_has_found(code, observed):
    assert not b.RULES[code].when(observed)


@pytest.mark.parametrize(
    ("code", "observed"),
    [
        ("REG012", ok),
        ("USE006", b.declaration(b.parameters(properties={}, required=[]))),
        ("ARG006", b.declaration(b.parameters(required=[]))),
        ("ARG009", b.declaration(b.parameters(properties={}, required=[]))),
        ("USE020", ok),
        ("CAT001", ok),
        ("CTX002", hello()),
        ("ARG001", modes(required=["includeExamples"])),
        ("ARG006", modes(required=["includeExamples"])),
        ("ARG007", modes(required=["includeExamples"])),
        ("ARG010", hello(schema=greeting(minLength=1))),
        ("ARG011", required_by_property()),
        ("ARG011", b.declaration(b.parameters(required=["nmae"]))),
    ],
)
def test_rule_says_why_it_does_not_concern_a_tool(code, observed):
    assert b.RULES[code].applies(observed)


def test_a_constraint_of_the_greeting_that_its_own_contract_does_not_name_is_judged():
    for constraints in ({"minLength": 2}, {"minLength": 1, "maxLength": 9}, {"pattern": r"\S"}):
        assert b.RULES["ARG010"].applies(hello(schema=greeting(**constraints))) is None


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"type": "function", "parameters": ' + '{"a": ' * 9_000 + "1" + "}" * 9_001]
)
def test_no_rule_on_declarations_stumbles_over_depth(text):
    declared = b.declaration(emitted=text)
    for rule in b.RULES.values():
        if isinstance(declared, rule.over) and rule.when(declared):
            rule.check(declared)
