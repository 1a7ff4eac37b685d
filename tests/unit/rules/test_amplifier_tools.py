"""AMP: the tool that a module mounts, its schemas, and what its calls log and return."""

import pytest
from tests.unit.rules import amplifier_builders as a

from aptix_conformance.core.model import ResultError, WatchedArguments

# ---- AMP006 and AMP007

TEXTS = {"AMP006": ("tool_name", "name"), "AMP007": ("usage_text", "description")}


def with_text(code, value, type_name="str", **changes):
    where, name = TEXTS[code]
    return a.tool(**{where: a.text(name, value, type_name)}, **changes)


@pytest.mark.parametrize("code", TEXTS)
def test_texts_may_be_any_that_are_not_blank(code):
    assert a.judge(code, with_text(code, " x ")) is None


@pytest.mark.parametrize("code", TEXTS)
@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_blank_texts_are_quoted(code, blank):
    said = a.judge(code, with_text(code, blank))
    assert f"{TEXTS[code][1]} is blank" in said
    assert repr(blank) in said


@pytest.mark.parametrize("code", TEXTS)
def test_the_type_of_what_is_no_text_is_told(code):
    said = a.judge(code, with_text(code, None, "Template"))
    assert said == f"{TEXTS[code][1]} is a Template and no text."


@pytest.mark.parametrize("code", TEXTS)
def test_a_text_that_is_not_there_is_told(code):
    said = a.judge(code, with_text(code, None, ""))
    assert said.startswith(f"{TEXTS[code][1]} is not there")


def test_each_of_the_two_texts_is_judged_by_its_own_rule():
    nameless = with_text("AMP006", None, "")
    assert a.judge("AMP007", nameless) is None
    mute = with_text("AMP007", None, "")
    assert a.judge("AMP006", mute) is None


def test_amp006_tells_why_the_name_could_not_be_read():
    broken = a.Member("name", "property", error="KeyError: 'title'")
    assert "KeyError: 'title'" in a.judge("AMP006", with_text("AMP006", None, "", name=broken))
    said = a.judge("AMP007", with_text("AMP007", None, "", name=broken))
    assert "KeyError" not in said
    assert "description" in said


# ---- AMP008


@pytest.mark.parametrize("kind", ["method", "static_method", "class_method"])
@pytest.mark.parametrize(
    "parameters",
    [
        (a.parameter("input"),),
        (a.optional("arguments"),),
        (a.parameter("input"), a.optional("context")),
        (a.optional("rest", "var_positional"),),
        (a.parameter("input"), a.optional("timeout", "keyword"), a.optional("more", "var_keyword")),
    ],
)
def test_amp008_takes_whatever_can_be_called_with_the_input(kind, parameters):
    assert a.judge("AMP008", a.tool(execute=a.execute(*parameters, kind=kind))) is None


def test_amp008_tells_a_missing_method_from_what_cannot_be_called():
    assert "is not there" in a.judge("AMP008", a.tool(execute=a.execute(kind="missing")))
    for kind in ("attribute", "property"):
        said = a.judge("AMP008", a.tool(execute=a.execute(a.parameter("input"), kind=kind)))
        assert "cannot be called" in said


@pytest.mark.parametrize(
    "parameters",
    [(), (a.optional("input", "keyword"),), (a.optional("input", "var_keyword"),)],
)
def test_amp008_wants_the_input_to_be_taken_by_position(parameters):
    assert "by position" in a.judge("AMP008", a.tool(execute=a.execute(*parameters)))


@pytest.mark.parametrize("kind", ["positional", "keyword"])
def test_amp008_names_what_nobody_gives(kind):
    given = a.execute(a.parameter("input"), a.parameter("session", kind))
    assert "execute needs session" in a.judge("AMP008", a.tool(execute=given))


# ---- AMP009 and AMP011


def test_amp009_quotes_the_name_that_is_not_short_and_in_snake_case():
    assert "'Search-Notes'" in a.judge("AMP009", with_text("AMP006", "Search-Notes"))
    assert "65" in a.judge("AMP009", with_text("AMP006", "a" * 65))
    assert a.judge("AMP009", with_text("AMP006", "a" * 64)) is None


def test_amp009_is_for_tools_that_have_a_name():
    assert not a.is_for("AMP009", with_text("AMP006", ""))
    assert not a.is_for("AMP009", with_text("AMP006", None, "int"))


def test_amp011_wants_the_key_to_be_the_name_to_the_letter():
    said = a.judge("AMP011", a.module(key="tool-notes"))
    assert "'search_notes'" in said
    assert "'tool-notes'" in said
    assert a.judge("AMP011", a.module(key="Search_Notes"))
    assert a.judge("AMP011", a.module(key="")).endswith("under ''.")


@pytest.mark.parametrize("name", [None, "", "  "])
def test_amp011_is_for_tools_whose_name_is_a_text(name):
    assert not a.is_for("AMP011", with_text("AMP006", name))


# ---- AMP012 and AMP013


@pytest.mark.parametrize(
    "schema",
    [
        a.SCHEMA,
        {"type": "object"},
        {"properties": {"query": {}}},
        {"type": ["object"]},
        {"type": ["null", "object"]},
    ],
)
def test_amp012_takes_schemas_of_objects(schema):
    assert a.judge("AMP012", a.module(input_schema=a.reading(schema))) is None
    assert a.judge("AMP013", a.module(input_schema=a.reading(schema))) is None


@pytest.mark.parametrize(
    ("unread", "said"),
    [
        (a.unread(error="there is no input_schema"), "there is no input_schema"),
        (a.unread("raised", "KeyError: 'x'"), "KeyError: 'x'"),
        (a.unread("not_json", "a set has no JSON form"), "a set"),
        (a.unread("raised", None), "raised"),
        (a.SchemaReading("returned"), "cannot be used"),
    ],
)
def test_amp012_tells_why_the_schema_could_not_be_read(unread, said):
    module = a.module(input_schema=unread)
    assert said in a.judge("AMP012", module)
    assert not a.is_for("AMP013", module)


@pytest.mark.parametrize("schema", ["[]", "null", '"object"', '["object"]', "true"])
def test_amp012_quotes_what_is_no_dictionary(schema):
    module = a.module(input_schema=a.reading(schema))
    assert f"input_schema is {schema} " in a.judge("AMP012", module)
    assert not a.is_for("AMP013", module)


@pytest.mark.parametrize("declared", ["string", ["string", "null"], [], None, "an object", {"object": 1}])
def test_amp012_quotes_the_type_of_anything_else(declared):
    said = a.judge("AMP012", a.module(input_schema=a.reading({"type": declared})))
    assert a.json.dumps(declared) in said


@pytest.mark.parametrize(
    "other", [a.unread(), a.reading({}), a.reading("[1]"), a.reading("null"), a.SchemaReading("returned")]
)
def test_amp013_wants_a_schema_that_says_something(other):
    said = a.judge("AMP013", a.module(input_schema=a.reading({}), get_schema=other))
    assert "input_schema" in said
    assert "get_schema" in said


def test_amp013_is_content_with_either():
    assert a.judge("AMP013", a.module(input_schema=a.reading({}), get_schema=a.reading(a.SCHEMA))) is None
    assert a.judge("AMP013", a.module(get_schema=a.reading({}))) is None


def test_amp013_does_not_take_what_was_not_returned():
    given = a.SchemaReading("raised", a.json.dumps(a.SCHEMA))
    assert a.judge("AMP013", a.module(input_schema=a.reading({}), get_schema=given))


# ---- AMP014


def test_amp014_concerns_tools_that_have_both_schemas():
    rule = a.RULES["AMP014"]
    assert rule.applies(a.module(get_schema=a.reading(a.SCHEMA))) is None
    for without in (
        a.module(),
        a.module(input_schema=a.unread(), get_schema=a.reading(a.SCHEMA)),
        a.empty(),
        a.of_another_system(),
    ):
        assert "both schemas" in rule.applies(without)


def test_amp014_minds_neither_spaces_nor_the_order_of_keys():
    turned = dict(reversed(a.SCHEMA.items()))
    assert a.judge("AMP014", a.module(get_schema=a.reading(a.json.dumps(turned, indent=2)))) is None


def test_amp014_quotes_both_in_their_order():
    one, other = a.reading({"title": "one"}), a.reading({"title": "other"})
    said = a.judge("AMP014", a.module(input_schema=one, get_schema=other))
    assert 'input_schema is {"title": "one"}' in said
    assert 'get_schema gives {"title": "other"}' in said


# ---- AMP016


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "NOTSET"])
def test_amp016_takes_what_is_logged_below_error(level):
    assert a.judge("AMP016", a.call(logs=(a.logged(level),))) is None


@pytest.mark.parametrize("level", ["ERROR", "CRITICAL"])
def test_amp016_quotes_what_was_logged_at_error_or_above(level):
    records = (a.logged("INFO"), a.logged(level, "the search is done"), a.logged("DEBUG"))
    said = a.judge("AMP016", a.call(logs=records))
    assert f"{level} 'the search is done'" in said


def test_amp016_is_for_calls_that_succeeded_undisturbed():
    assert a.is_for("AMP016", a.call())
    assert not a.is_for("AMP016", a.call(a.failure()))
    assert not a.is_for("AMP016", a.raising())
    assert not a.is_for("AMP016", a.call(disturbance=WatchedArguments()))


# ---- AMP017


def lost(**changes):
    return a.success(unserialisable="TypeError: a set has no JSON form", payload_type="set", **changes)


def test_amp017_tells_why_a_result_is_lost_and_shows_the_call():
    call = a.call(lost())
    exploration = a.seen(a.call(), call, a.raising())
    said = a.judge("AMP017", exploration)
    assert "TypeError: a set has no JSON form" in said
    assert "a set for output" in said
    assert a.RULES["AMP017"].check(exploration).call is call


def test_amp017_is_about_failed_results_too():
    failed = a.failure(unserialisable="ValueError: NaN")
    assert "NaN" in a.judge("AMP017", a.seen(a.call(), a.call(failed)))


def test_amp017_names_each_call_and_tells_the_kinds_apart():
    calls = a.call(lost()), a.call(lost(), arguments='{"query": "a"}')
    first, second = a.RULES["AMP017"].findings(a.seen(a.call(), *calls))
    assert (first.call, second.call) == calls
    assert first.cause == second.cause == ("set", "TypeError")


@pytest.mark.parametrize("probe", ["malformed", "invalid", "extremes", "repeat"])
def test_amp017_is_about_the_calls_of_every_probe(probe):
    odd = a.call(lost(), "lenient:surrogate-escaped", '{"query": "\\ud800"}', probe)
    assert "TypeError" in a.judge("AMP017", a.seen(a.call(), odd))


def test_amp017_is_for_tools_of_which_a_call_succeeded():
    assert a.is_for("AMP017", a.seen(a.raising(), a.call(), a.call(a.failure())))
    assert not a.is_for("AMP017", a.seen(a.call(a.failure()), a.raising()))
    assert not a.is_for("AMP017", a.seen())


# ---- AMP018


@pytest.mark.parametrize("result", [a.success(), a.failure()], ids=["success", "failure"])
def test_amp018_tells_of_an_input_that_was_changed(result):
    assert a.judge("AMP018", a.call(result)) is None
    said = a.judge("AMP018", a.call(a.replace(result, input_changed=True)))
    assert "changed its input" in said


def test_amp018_is_for_calls_that_returned():
    assert not a.is_for("AMP018", a.raising())
    assert a.is_for("AMP018", a.call(disturbance=WatchedArguments()))


# ---- AMP021


def test_amp021_advises_an_error_where_the_output_says_what_went_wrong():
    said = a.failure(errors=(), error_message='{"stderr": "no such file"}')
    assert "no message in its error" in a.judge("AMP021", a.call(said))
    assert a.judge("AMP021", a.call(a.failure())) is None
    assert not a.is_for("AMP021", a.call())


def test_a_failure_that_says_nothing_at_all_is_res004s():
    silent = a.call(a.failure(errors=(ResultError(None),), error_message=None))
    assert a.judge("AMP021", silent) is None
    assert [found.defers_to for found in a.RULES["AMP021"].findings(silent)] == ["RES004"]
