"""AMP: the entry point, the function mount, and what mounting does."""

import pytest
from tests.unit.rules import amplifier_builders as a

MUST, SHOULD = "MUST", "SHOULD"


def of_mount(*parameters, **changes):
    return a.module(parameters=parameters, **changes)


# ---- all of them

LEVELS = {
    **dict.fromkeys(("AMP001", "AMP002", "AMP003", "AMP004", "AMP005", "AMP006", "AMP007", "AMP008"), MUST),
    **dict.fromkeys(("AMP010", "AMP011", "AMP012", "AMP017", "AMP019"), MUST),
    **dict.fromkeys(("AMP009", "AMP013", "AMP014", "AMP015", "AMP016", "AMP018", "AMP020", "AMP021"), SHOULD),
    **dict.fromkeys(("AMP022", "AMP023", "AMP024", "AMP025"), SHOULD),
}


def test_rules_bind_as_their_clauses_do_and_advice_at_most_as_should():
    assert {code: rule.level(a.EDITION).name for code, rule in a.RULES.items()} == LEVELS


def test_only_those_are_advice_that_guess_at_what_was_meant():
    assert {code for code, rule in a.RULES.items() if rule.advice} == {"AMP014", "AMP020", "AMP021"}


def test_a_module_that_keeps_the_contract_is_found_fault_with_by_no_rule():
    module = a.module(get_schema=a.reading(a.SCHEMA), cleanup=a.Cleanup())
    emitting = a.call(logs=(a.emitted("tool-notes:completed"),))
    exploration = a.seen(emitting, a.call(a.failure()), declarations=(module,))
    for code, rule in a.RULES.items():
        assert rule.applies(module) is None
        of_its_kind = (*exploration.declarations, *exploration.calls, exploration)
        judged = [each for each in of_its_kind if isinstance(each, rule.over) and a.is_for(code, each)]
        assert judged, code
        assert [a.judge(code, observation) for observation in judged] == [None] * len(judged), code


@pytest.mark.parametrize("code", ["AMP001", "AMP002", "AMP003", "AMP004", "AMP005", "AMP019"])
def test_rules_on_modules_are_for_modules_of_which_something_is_known(code):
    assert not a.is_for(code, a.of_another_system())


@pytest.mark.parametrize(
    "code",
    ["AMP006", "AMP007", "AMP008", "AMP009", "AMP010", "AMP011", "AMP012", "AMP013", "AMP015"],
)
def test_rules_on_tools_are_for_modules_that_mounted_one(code):
    assert not a.is_for(code, a.empty())
    assert not a.is_for(code, a.of_another_system())
    assert not a.is_for(code, a.tool(facts=a.replace(a.MOUNT, key=None)))


# ---- AMP001


@pytest.mark.parametrize("value", ["notes:mount", "notes.tools:mount", "notes:mount [web]", "notes : mount"])
def test_amp001_takes_an_entry_point_that_names_mount(value):
    assert a.judge("AMP001", a.module(entry_points=(a.entry(value),))) is None


def test_amp001_is_for_modules_that_mount_nothing_too():
    assert a.judge("AMP001", a.empty()) is None
    assert "notes" in a.judge("AMP001", a.empty(entry_points=(), where="./amplifier-module-tool-notes"))


def test_amp001_is_not_for_a_single_file_that_nothing_offers():
    rule = a.RULES["AMP001"]
    alone = a.module(where="./tools/notes.py", entry_points=())
    assert "single file" in rule.applies(alone)
    for judged in (
        a.module(where="./tools/notes.py", entry_points=(a.entry(group="amplifier.tools"),)),
        a.module(where="./tool_notes/__init__.py", entry_points=()),
        a.replace(alone, module="tool_notes.notes"),
        a.module(where="./amplifier-module-tool-notes", entry_points=()),
        a.module(where="tool-notes", entry_points=()),
        a.of_another_system(),
    ):
        assert rule.applies(judged) is None


def test_amp004_is_not_for_a_place_that_is_read_only_here():
    """No module knows the suite's containment."""
    rule = a.RULES["AMP004"]
    refused = a.empty(returned="raised", detail="OSError: [Errno 30] Read-only file system: '/srv/cache'")
    assert not rule.when(refused)
    assert "read-only" in rule.unseen_reason
    for detail in (
        "FileNotFoundError: [Errno 2] No such file",
        "OSError: [Errno 28] No space left on device",
    ):
        assert rule.when(a.empty(returned="raised", detail=detail))


def test_amp001_wants_one_of_several_to_name_mount():
    other = a.entry("notes:setup", "tool-other")
    assert a.judge("AMP001", a.module(entry_points=(other, a.entry()))) is None
    assert a.judge("AMP001", a.module(entry_points=(a.entry(), other))) is None


@pytest.mark.parametrize(
    "value", ["notes:setup", "notes", "mount", "mount:notes", "notes:mount_all", "notes:"]
)
def test_amp001_tells_what_the_entry_point_names_instead(value):
    said = a.judge("AMP001", a.module(entry_points=(a.entry(value),)))
    assert "'tool-notes'" in said
    assert f"names {value}," in said


def test_amp001_quotes_the_first_of_several_that_name_something_else():
    wrong = (a.entry("notes:first", "tool-first"), a.entry("notes:second", "tool-second"))
    said = a.judge("AMP001", a.module(entry_points=wrong))
    assert "tool-first" in said
    assert "notes:first" in said


def test_amp001_tells_the_group_where_it_is_a_similar_one():
    scripts = a.entry(group="console_scripts")
    similar = a.entry(group="amplifier.tools")
    said = a.judge("AMP001", a.module(entry_points=(scripts, similar)))
    assert "'amplifier.tools'" in said
    assert "'tool-notes'" in said
    assert "console_scripts" not in said


@pytest.mark.parametrize("groups", [(), ("console_scripts",)])
def test_amp001_names_the_module_that_has_no_entry_point(groups):
    entries = tuple(a.entry(group=group) for group in groups)
    said = a.judge("AMP001", a.module(where="./tool-notes", entry_points=entries))
    assert "amplifier.modules" in said
    assert "the module notes" in said


# ---- AMP002


@pytest.mark.parametrize(
    "parameters",
    [
        (a.parameter("coordinator"), a.parameter("config")),
        (a.parameter("c"), a.optional("settings")),
        (a.parameter("coordinator"), a.parameter("config"), a.optional("clock")),
        (a.parameter("coordinator"), a.optional("rest", "var_positional")),
        (a.optional("rest", "var_positional"), a.optional("more", "var_keyword")),
        (a.parameter("coordinator"), a.parameter("config"), a.optional("clock", "keyword")),
    ],
)
def test_amp002_takes_whatever_can_be_called_with_coordinator_and_config(parameters):
    assert a.judge("AMP002", of_mount(*parameters)) is None


def test_amp002_takes_a_plain_function_that_gives_something_to_await():
    assert a.judge("AMP002", a.module(function="plain")) is None


@pytest.mark.parametrize(
    ("function", "said"), [("missing", "no mount"), ("class", "a class"), ("other", "cannot be called")]
)
def test_amp002_tells_what_stands_in_the_place_of_mount(function, said):
    for returned in ("raised", "not_awaitable"):
        assert said in a.judge("AMP002", a.empty(function=function, returned=returned))


def test_amp002_wants_something_to_await():
    assert "not async" in a.judge("AMP002", a.empty(function="plain", returned="not_awaitable"))


def test_amp002_tells_how_many_arguments_are_taken():
    said = a.judge("AMP002", of_mount(a.parameter("coordinator"), returned="raised"))
    assert "mount takes 1 " in said
    assert "not two" in said
    assert "mount takes 0 " in a.judge("AMP002", of_mount(a.parameter("config", "keyword")))


@pytest.mark.parametrize(
    "extra",
    [a.parameter("session"), a.parameter("session", "keyword")],
    ids=["by position", "by keyword"],
)
def test_amp002_names_what_nobody_gives(extra):
    said = a.judge("AMP002", of_mount(a.parameter("coordinator"), a.parameter("config"), extra))
    assert "session" in said


# ---- AMP003 and AMP004


@pytest.mark.parametrize("returned", ["tool", "cleanup", "mapping", "nothing"])
def test_amp003_takes_a_tool_a_cleanup_none_and_a_mapping(returned):
    assert a.judge("AMP003", a.module(returned=returned)) is None
    assert a.judge("AMP004", a.module(returned=returned)) is None


def test_amp003_names_the_type_of_anything_else():
    other = a.module(returned="other", detail="bool")
    assert "returned a bool" in a.judge("AMP003", other)
    assert a.judge("AMP004", other) is None


def test_amp004_tells_what_was_raised():
    raised = a.empty(returned="raised", detail="SystemExit: 2")
    assert "SystemExit: 2" in a.judge("AMP004", raised)
    assert a.judge("AMP004", a.empty()) is None
    assert a.judge("AMP002", raised) is None


def test_what_mount_gave_is_asked_where_it_could_be_called_and_returned():
    uncallable = of_mount(a.parameter("coordinator"), returned="raised")
    assert not a.is_for("AMP004", uncallable)
    assert not a.is_for("AMP019", uncallable)
    for code in ("AMP003", "AMP005"):
        assert not a.is_for(code, a.module(returned="raised"))
        assert not a.is_for(code, a.module(function="plain", returned="not_awaitable"))
        assert not a.is_for(code, of_mount(a.parameter("coordinator"), returned="nothing"))
    assert a.is_for("AMP003", a.empty())


# ---- AMP005


def test_amp005_is_not_for_modules_that_degrade_gracefully():
    assert not a.is_for("AMP005", a.empty())
    assert not a.is_for("AMP005", a.empty(returned="cleanup", detail="function"))


def test_amp005_takes_whatever_else_is_registered_beside_the_tool():
    others = (a.registered("notes", "hooks"), a.registered("one", error="TypeError: no tool"))
    assert a.judge("AMP005", a.module(registrations=(*others, a.registered()))) is None
    assert a.judge("AMP005", a.module(registrations=(a.registered(), *others), returned="nothing")) is None


def test_amp005_names_the_tool_that_was_only_returned():
    assert "SearchNotesTool" in a.judge("AMP005", a.empty(returned="tool", detail="SearchNotesTool"))


def test_amp005_names_the_place_where_the_tool_does_not_belong():
    elsewhere = a.empty(registrations=(a.registered(point="providers"), a.registered("two", "hooks")))
    said = a.judge("AMP005", elsewhere)
    assert "SearchNotesTool" in said
    assert "at 'providers'." in said


def test_amp005_tells_why_the_tool_could_not_be_registered():
    refused = a.registered(None, error="ValueError: a tool needs a name")
    said = a.judge("AMP005", a.empty(registrations=(refused,), returned="tool"))
    assert "at 'tools'" in said
    assert "(ValueError: a tool needs a name)" in said


# ---- AMP010


def test_amp010_takes_tools_with_keys_of_their_own():
    tools = (a.registered("one"), a.registered("two"), a.registered("three"))
    assert a.judge("AMP010", a.module(registrations=tools)) is None


@pytest.mark.parametrize(
    "harmless",
    [
        a.registered("one", again=True),
        a.registered("one", "hooks"),
        a.registered("one", error="TypeError: no tool"),
    ],
    ids=["the same once more", "elsewhere", "refused"],
)
def test_amp010_is_about_other_tools_that_were_registered(harmless):
    one = a.registered("one")
    assert a.judge("AMP010", a.module(registrations=(one, harmless))) is None
    assert a.judge("AMP010", a.module(registrations=(harmless, one))) is None


@pytest.mark.parametrize(
    "between",
    [a.registered("one", again=True), a.registered("one", "hooks"), a.registered("two", error="no")],
)
def test_amp010_names_the_second_tool_and_its_key(between):
    tools = (a.registered("one"), between, a.registered("one", type_name="OtherTool"))
    said = a.judge("AMP010", a.module(registrations=tools))
    assert "OtherTool" in said
    assert "'one'" in said


# ---- AMP015 and AMP019


def test_amp015_wants_events():
    assert a.judge("AMP015", a.module(events=("tool-notes:started",))) is None
    assert "observability.events" in a.judge("AMP015", a.module(events=()))


@pytest.mark.parametrize("events", [(), ("tool-notes:started",)])
def test_amp015_tells_what_is_no_list_of_names(events):
    said = a.judge("AMP015", a.module(events=events, events_fault="a contribution is a str"))
    assert "a contribution is a str" in said


def test_amp019_names_the_keys_that_were_changed():
    said = a.judge("AMP019", a.module(config_changed=("folder", "limit")))
    assert "folder, limit" in said
    assert "folder" in a.judge("AMP019", a.empty(config_changed=("folder",), returned="raised"))
    assert a.judge("AMP019", a.empty()) is None


# ---- AMP020


def reading_of(when, *unread):
    return a.replace(a.module(config_unread=unread), when=when)


def test_amp020_names_the_keys_at_which_nothing_looked():
    said = a.judge("AMP020", a.seen(declarations=[reading_of("start", "folder", "limit")]))
    assert "folder, limit" in said


def test_amp020_lets_calls_look_at_them():
    start = reading_of("start", "folder", "limit")
    assert a.judge("AMP020", a.seen(declarations=[start, reading_of("after_calls")])) is None
    said = a.judge("AMP020", a.seen(declarations=[start, reading_of("after_calls", "limit")]))
    assert "limit" in said
    assert "folder" not in said


@pytest.mark.parametrize("when", ["restarted", "threads"])
def test_amp020_does_not_ask_interpreters_that_ran_no_calls(when):
    start, later = reading_of("start", "folder"), reading_of("after_calls")
    assert a.judge("AMP020", a.seen(declarations=[start, later, reading_of(when, "folder")])) is None
    assert a.judge("AMP020", a.seen(declarations=[start, reading_of(when, "folder"), later])) is None
    assert "folder" in a.judge("AMP020", a.seen(declarations=[start, reading_of(when)]))


def test_amp020_is_for_modules_that_mounted_a_tool_at_first():
    assert a.is_for("AMP020", a.seen(declarations=[a.module(), a.empty(), a.empty()]))
    assert not a.is_for("AMP020", a.seen(declarations=[a.empty(), a.module(), a.module()]))
    assert not a.is_for("AMP020", a.seen(declarations=[a.of_another_system()]))
