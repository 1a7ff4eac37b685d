"""AMP: how an Amplifier module mounts its tools, and what an orchestrator needs of them.

The contract says what a module's author has to write. What today's Amplifier does besides, and what a tool has to bear
with, is in the rules of the source `runtime`; each docstring tells the fact, as amplifier-core 2.0 and the loops
published for it have it. What is asked of a tool's calls stands with the other areas, for all systems at once.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from aptix_conformance.observations import AmplifierMount, Call, Declaration, Exploration
from aptix_conformance.rules.kernel import Finding, rule
from aptix_conformance.rules.scope import NO_SUCCESS, malformed, returned, sent, shortest
from aptix_conformance.text import shown

GROUP: Final = "amplifier.modules"
_POINT: Final = "tools"
LONGEST_NAME: Final = 64
"""Characters of a name beyond which it is not short; models' interfaces take no longer one."""

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_NO_TOOL: Final = "no tool was mounted"
_LOUD: Final = ("ERROR", "CRITICAL")


def _if_mounted(holds: Callable[[AmplifierMount], bool]) -> Callable[[Declaration], bool]:
    return lambda declaration: declaration.amplifier is not None and holds(declaration.amplifier)


def _mount(declaration: Declaration) -> AmplifierMount:
    assert declaration.amplifier is not None
    return declaration.amplifier


def _has_both_schemas(declaration: Declaration) -> bool:
    mount = declaration.amplifier
    return mount is not None and mount.input_schema.outcome == mount.get_schema.outcome == "returned"


_has_tool: Final = _if_mounted(lambda mount: mount.key is not None)
_was_called: Final = _if_mounted(lambda mount: _signature_fault(mount) is None)
_returned: Final = _if_mounted(lambda mount: _signature_fault(mount) is None and mount.returned != "raised")


# ---- the module


@rule(
    "AMP001",
    "AMP.2.4",
    over=Declaration,
    when=_if_mounted(lambda _: True),
    needs="nothing is known of the module",
    remedy=f'Write [project.entry-points."{GROUP}"] and below it the module\'s id = "package:mount" into pyproject.toml.',
)
def entry_point_names_mount(declaration: Declaration) -> Finding | None:
    """An entry point in the group amplifier.modules names the module's function `mount`.

    It is declared by the installed distribution, or in the pyproject.toml above the module.
    """
    entries = _mount(declaration).entry_points
    ours = [entry for entry in entries if entry.group == GROUP]
    if any(entry.value.partition(":")[2].partition("[")[0].strip() == "mount" for entry in ours):
        return None
    if ours:
        return Finding(
            f"The entry point {shown(ours[0].name, 60)!r} names {shown(ours[0].value, 100)}, not mount."
        )
    similar = next((entry for entry in entries if "amplifier" in entry.group), None)
    if similar:
        return Finding(
            f"The entry point {shown(similar.name, 60)!r} is in the group {shown(similar.group, 60)!r}."
        )
    return Finding(f"No entry point in the group {GROUP} names the module {shown(declaration.module, 80)}.")


@rule(
    "AMP002",
    "AMP.2.1",
    "AMP.4.1",
    over=Declaration,
    when=_if_mounted(lambda _: True),
    needs="nothing is known of the module",
    remedy="Declare async def mount(coordinator, config) in the module.",
)
def mount_takes_coordinator_and_config(declaration: Declaration) -> Finding | None:
    """The module has an async function `mount`, which takes the coordinator and the mount plan's config and needs no more.

    Both are passed by position.
    """
    fault = _signature_fault(_mount(declaration))
    return Finding(fault) if fault else None


@rule(
    "AMP003",
    "AMP.2.2",
    over=Declaration,
    when=_returned,
    needs="mount did not return",
    remedy="Return the tool, a function that cleans up, or None.",
)
def mount_returns_a_tool_a_cleanup_or_none(declaration: Declaration) -> Finding | None:
    """What mount returns is a tool, a callable that cleans up, or None; a mapping that describes the module does no harm."""
    mount = _mount(declaration)
    return Finding(f"mount returned a {shown(mount.detail, 60)}.") if mount.returned == "other" else None


@rule(
    "AMP004",
    "AMP.2.2",
    over=Declaration,
    when=_was_called,
    needs="there is no function mount to be called",
    remedy="Return None where the tool cannot be had; check config and surroundings before they are used.",
)
def mount_does_not_raise(declaration: Declaration) -> Finding | None:
    """Mounting raises nothing: a module that cannot offer its tool returns None.

    SystemExit and KeyboardInterrupt would end the application.
    """
    mount = _mount(declaration)
    return Finding(f"mount raised {shown(mount.detail, 200)}.") if mount.returned == "raised" else None


@rule(
    "AMP005",
    "AMP.2.3",
    over=Declaration,
    when=lambda d: _returned(d) and (bool(_mount(d).registrations) or _mount(d).returned == "tool"),
    needs="mount registered nothing, as it may where it can offer no tool; give it what it needs under config",
    remedy='Call await coordinator.mount("tools", tool, name=tool.name) in mount.',
)
def mount_registers_the_tool(declaration: Declaration) -> Finding | None:
    """Mounting registers the tools with the coordinator, at the mount point `tools`.

    Nobody looks at a tool that mount only returns.
    """
    mount = _mount(declaration)
    if any(made.point == _POINT and not made.error for made in mount.registrations):
        return None
    if not mount.registrations:
        return Finding(f"mount returned a tool, {shown(mount.detail, 60)}, and registered none.")
    made = mount.registrations[0]
    why = f" ({shown(made.error, 100)})" if made.error else ""
    return Finding(f"mount registered a {shown(made.type_name, 60)} at {shown(made.point, 60)!r}{why}.")


@rule(
    "AMP010",
    source="runtime",
    systems=("amplifier",),
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy="Give each tool a name of its own.",
)
def no_tool_replaces_another(declaration: Declaration) -> Finding | None:
    """A module registers no two tools under one key.

    The coordinator keeps tools in a dictionary by their keys: the second takes the place of the first, without a word.
    """
    seen: set[str | None] = set()
    for made in _mount(declaration).registrations:
        if made.point != _POINT or made.error or made.again:
            continue
        if made.key in seen:
            return Finding(
                f"A second tool, {shown(made.type_name, 60)}, took the key {shown(made.key or '', 60)!r}."
            )
        seen.add(made.key)
    return None


@rule(
    "AMP015",
    "AMP.5.1",
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy='Call coordinator.register_contributor("observability.events", MODULE, lambda: ["MODULE:started", …]) in mount.',
)
def lifecycle_events_are_registered(declaration: Declaration) -> Finding | None:
    """The module names its lifecycle events to the channel observability.events, as a list of texts."""
    mount = _mount(declaration)
    if mount.events_fault:
        return Finding(f"What it contributes is no list of names: {shown(mount.events_fault, 100)}.")
    return None if mount.events else Finding("It contributes no event to observability.events.")


@rule(
    "AMP019",
    source="runtime",
    systems=("amplifier",),
    over=Declaration,
    when=_was_called,
    needs="there is no function mount to be called",
    remedy="Read config with get; copy it before changing it: settings = dict(config).",
)
def config_is_left_as_it_is(declaration: Declaration) -> Finding | None:
    """Mounting leaves config as it was.

    A module that comes from a source is mounted twice with the same dictionary: first to be validated, then to be used.
    What the first took out of it, the second does not find.
    """
    changed = _mount(declaration).config_changed
    return Finding(f"mount changed config: {shown(', '.join(changed), 100)}.") if changed else None


@rule(
    "AMP020",
    "AMP.4.1",
    over=Exploration,
    when=lambda seen: _has_tool(seen.declarations[0]),
    needs=_NO_TOOL,
    remedy="Read the key from config, or take it out of `config` in [tool.aptix-conformance.tool.NAME].",
    advice=True,
)
def configuration_is_read(seen: Exploration) -> Finding | None:
    """The module looks at each key that its configuration has, in mount or later.

    Who goes through the whole of it has looked at each. A reader in C leaves no trace.
    """
    last = seen.declarations[0]
    for declaration in seen.declarations:
        last = declaration if declaration.when in ("start", "after_calls") else last
    unread = _mount(last).config_unread if last.amplifier else ()
    return Finding(f"Nothing looked at {shown(', '.join(unread), 100)} in config.") if unread else None


# ---- the tool


@rule(
    "AMP006",
    "AMP.1.1",
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy='Give the tool a property or attribute name that holds text, such as "search_notes".',
)
def name_is_text(declaration: Declaration) -> Finding | None:
    """The tool has a name, which is a text and not blank."""
    return _text_fault(declaration, "name")


@rule(
    "AMP007",
    "AMP.1.1",
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy="Give the tool a property or attribute description that says what it does and expects.",
)
def description_is_text(declaration: Declaration) -> Finding | None:
    """The tool has a description, which is a text and not blank."""
    return _text_fault(declaration, "description")


@rule(
    "AMP008",
    "AMP.1.1",
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy="Declare async def execute(self, input: dict[str, Any]) -> ToolResult.",
)
def execute_takes_the_input(declaration: Declaration) -> Finding | None:
    """The tool has a method `execute` that takes the input by position and can be called with nothing else."""
    execute = declaration.execute
    if execute.kind not in ("method", "static_method", "class_method"):
        there = "is not there" if execute.kind == "missing" else "cannot be called"
        return Finding(f"execute {there}.")
    by_position = [parameter for parameter in execute.parameters if parameter.kind == "positional"]
    if not by_position and not any(parameter.kind == "var_positional" for parameter in execute.parameters):
        return Finding("execute takes no argument by position.")
    needed = [*by_position[1:], *(p for p in execute.parameters if p.kind == "keyword")]
    extra = next((parameter.name for parameter in needed if parameter.required), None)
    return Finding(f"execute needs {shown(extra, 40)}, which nobody gives it.") if extra else None


@rule(
    "AMP009",
    "AMP.3.1",
    over=Declaration,
    when=lambda declaration: _has_tool(declaration) and bool(declaration.tool_name.value),
    needs="the tool has no name",
    remedy="Name the tool in a few lower-case words joined by single underscores, as in search_notes.",
)
def name_is_short_and_snake_case(declaration: Declaration) -> Finding | None:
    """The name is short, in lower case, its words joined by underscores."""
    name = declaration.tool_name.value or ""
    if len(name) > LONGEST_NAME:
        return Finding(f"The name has {len(name)} characters; {LONGEST_NAME} are the most.")
    return None if _SNAKE.fullmatch(name) else Finding(f"The name is {shown(name, 80)!r}.")


@rule(
    "AMP011",
    source="runtime",
    systems=("amplifier",),
    over=Declaration,
    when=lambda declaration: _has_tool(declaration) and _text_fault(declaration, "name") is None,
    needs="the tool has no name",
    remedy='Register the tool under its own name: await coordinator.mount("tools", tool, name=tool.name).',
)
def key_is_the_name(declaration: Declaration) -> Finding | None:
    """The key under which the tool is registered is its name.

    The model is told the tool's name, and calls it by that; the orchestrator looks for it among the keys.
    """
    key, name = _mount(declaration).key, declaration.tool_name.value
    if key == name:
        return None
    return Finding(f"The tool {shown(name or '', 60)!r} is registered under {shown(key or '', 60)!r}.")


@rule(
    "AMP012",
    source="runtime",
    systems=("amplifier",),
    over=Declaration,
    when=_has_tool,
    needs=_NO_TOOL,
    remedy='Give the tool a property or attribute input_schema, a dict: {"type": "object", "properties": {…}}.',
)
def input_schema_describes_an_object(declaration: Declaration) -> Finding | None:
    """The tool has `input_schema`, a dictionary that has a JSON form and describes an object.

    An orchestrator reads it off every tool before each request to the model. Where it is missing on one, is no
    dictionary or raises, no tool can be used any more. Calls have an object for their arguments, never anything else.
    """
    fault = _schema_fault(_mount(declaration))
    return Finding(fault) if fault else None


@rule(
    "AMP013",
    "AMP.3.5",
    over=Declaration,
    when=lambda declaration: _has_tool(declaration) and _schema_fault(_mount(declaration)) is None,
    needs="there is no input_schema that could be used",
    remedy="Let input_schema, and get_schema if there is one, say which arguments there are.",
)
def schema_is_offered(declaration: Declaration) -> Finding | None:
    """The tool says in a JSON schema what its input is, in `input_schema` or `get_schema`.

    The document names get_schema; today's orchestrators read input_schema and know nothing of the other. Either will do.
    """
    mount = _mount(declaration)
    readings = (mount.input_schema, mount.get_schema)
    if any(
        r.outcome == "returned" and isinstance(v := json.loads(r.text or "0"), dict) and v for r in readings
    ):
        return None
    return Finding("Neither input_schema nor get_schema says anything of the input.")


@rule(
    "AMP014",
    "AMP.3.5",
    over=Declaration,
    applies=lambda declaration: None if _has_both_schemas(declaration) else "it does not have both schemas",
    remedy="Let one give the other: def get_schema(self): return self.input_schema.",
    advice=True,
)
def both_schemas_are_one(declaration: Declaration) -> Finding | None:
    """Where there are both `input_schema` and `get_schema`, they say the same."""
    mount = _mount(declaration)
    one, other = (json.loads(reading.text or "null") for reading in (mount.input_schema, mount.get_schema))
    if one == other:
        return None
    texts = (shown(reading.text or "", 80) for reading in (mount.input_schema, mount.get_schema))
    return Finding("input_schema is {}, get_schema gives {}.".format(*texts))


# ---- its calls


@rule(
    "AMP016",
    "AMP.6.1",
    over=Call,
    when=lambda call: call.succeeded and call.plan.disturbance == "nothing",
    needs=NO_SUCCESS,
    remedy="Log what goes as it should at DEBUG or INFO, what is odd at WARNING, and failures at ERROR.",
)
def success_is_not_logged_as_an_error(call: Call) -> Finding | None:
    """A call that succeeds logs nothing at the level ERROR or above."""
    for record in call.logs:
        if record.method == "log" and record.level in _LOUD:
            said = f"{record.level} {shown(record.message, 100)!r}"
            return Finding(f"A successful call logged {said}; sent: {sent(call)}.")
    return None


@rule(
    "AMP017",
    source="runtime",
    systems=("amplifier",),
    over=Exploration,
    when=lambda seen: any(call.succeeded for call in seen.calls),
    needs=NO_SUCCESS,
    remedy="Put texts, numbers, lists and dicts into output and error, and nothing else: no set, no bytes, no object of a "
    "class, no NaN, and no lone surrogate.",
)
def output_survives_the_orchestrator(seen: Exploration) -> Finding | None:
    """Output and error of every result can be written down as JSON, in UTF-8.

    An orchestrator has ToolResult write the output for the model, and the whole of it for its hooks. Where that raises, the
    work is done and its result is lost.
    """
    lost = (c for c in seen.calls if c.result and c.result.unserialisable and not malformed(c))
    call = shortest(lost)
    if call is None or call.result is None:
        return None
    why = shown(call.result.unserialisable or "", 120)
    kind = shown(call.result.payload_type, 60)
    return Finding(
        f"The result, with a {kind} for output, cannot be written down: {why}; sent: {sent(call)}.", call
    )


@rule(
    "AMP018",
    source="suite",
    systems=("amplifier",),
    over=Call,
    when=returned,
    needs="no call returned",
    remedy="Read the input with get; copy it before changing it: arguments = dict(input).",
)
def input_is_left_as_it_is(call: Call) -> Finding | None:
    """A call leaves the dictionary that it is given as it was.

    The orchestrator goes on using it: what a tool takes out of it is missing from the events and the transcript.
    """
    if call.result is None or not call.result.input_changed:
        return None
    return Finding(f"The call changed its input; sent: {sent(call)}.")


def _signature_fault(mount: AmplifierMount) -> str | None:
    """Why mount cannot be called as it is; None where it can."""
    wrong = {
        "missing": "There is no mount.",
        "class": "mount is a class.",
        "other": "mount cannot be called.",
    }
    if mount.function in wrong:
        return wrong[mount.function]
    if mount.returned == "not_awaitable":
        return "mount is not async: it gave nothing to await."
    by_position = [parameter for parameter in mount.parameters if parameter.kind == "positional"]
    more = any(parameter.kind == "var_positional" for parameter in mount.parameters)
    if len(by_position) < 2 and not more:  # noqa: PLR2004 - coordinator and config
        return f"mount takes {len(by_position)} arguments by position, not two."
    needed = [*by_position[2:], *(p for p in mount.parameters if p.kind == "keyword")]
    extra = next((parameter.name for parameter in needed if parameter.required), None)
    return f"mount needs {shown(extra, 40)}, which nobody gives it." if extra else None


def _schema_fault(mount: AmplifierMount) -> str | None:
    """Why an orchestrator cannot offer the tool with its input_schema; None where it can."""
    reading = mount.input_schema
    if reading.outcome != "returned" or reading.text is None:
        return f"input_schema cannot be used: {shown(reading.error or reading.outcome, 200)}."
    schema = json.loads(reading.text)
    if not isinstance(schema, dict):
        return f"input_schema is {shown(reading.text, 80)} and no dictionary."
    declared = schema.get("type", "object")
    if declared == "object" or (isinstance(declared, list) and "object" in declared):
        return None
    return f"input_schema is of the type {shown(json.dumps(declared), 60)} and not object."


def _text_fault(declaration: Declaration, name: str) -> Finding | None:
    found: Any = declaration.tool_name if name == "name" else declaration.usage_text
    if found.value is not None and found.value.strip():
        return None
    if found.value is not None:
        return Finding(f"{name} is blank: {shown(repr(found.value), 40)}.")
    if name == "name" and declaration.name.error:
        return Finding(f"Reading name failed: {shown(declaration.name.error, 120)}.")
    what = (
        f"is a {shown(found.type_name, 60)} and no text"
        if found.type_name
        else "is not there or cannot be read"
    )
    return Finding(f"{name} {what}.")
