"""AMP: how a module offers its tools: its entry point, its function `mount`, and what mounting does.

The contract says what a module's author has to write. What today's Amplifier also does is in the rules of the source
`runtime`; each docstring tells the fact, as amplifier-core 2.0 and the loops published for it have it.
"""

from collections.abc import Iterator
from typing import Final

from aptix_conformance.core.model import Declaration, Exploration
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.rules.lib.kernel import Finding, rule
from aptix_conformance.systems.amplifier.rules import mounting

_GROUP: Final = "amplifier.modules"


def _is_single_file(declaration: Declaration) -> str | None:
    """Why AMP001 does not apply: the target is a file outside any package, and nothing known offers it as a module."""
    mount = mounting.mount_if_any(declaration)
    if mount is None or mount.entry_points or "." in declaration.module:
        return None
    is_file = mount.where.endswith(".py") and not mount.where.endswith("__init__.py")
    return "the target is a single file, which no distribution offers" if is_file else None


@rule(
    "AMP001",
    "AMP.2.4",
    applies=_is_single_file,
    when=mounting.if_mounted(lambda _: True),
    unseen_reason="nothing is known of the module",
    remedy=f'Write [project.entry-points."{_GROUP}"] and below it the module\'s id = "package:mount" into pyproject.toml.',
)
def entry_point_names_mount(declaration: Declaration) -> Finding | None:
    """An entry point in the group amplifier.modules names the module's function `mount`.

    It is declared by the installed distribution, or in the pyproject.toml above the module. A target that is a single file may
    do without; where an entry point of another group names it, that is reported.
    """
    entries = mounting.mount_of(declaration).entry_points
    ours = [entry for entry in entries if entry.group == _GROUP]
    if any(entry.value.partition(":")[2].partition("[")[0].strip() == "mount" for entry in ours):
        return None
    if ours:
        return Finding(
            f"The entry point {quoted(ours[0].name, 60)} names {printable(ours[0].value, 100)}, not mount."
        )
    similar = next((entry for entry in entries if "amplifier" in entry.group), None)
    if similar:
        return Finding(
            f"The entry point {quoted(similar.name, 60)} is in the group {quoted(similar.group, 60)}."
        )
    return Finding(
        f"No entry point in the group {_GROUP} names the module {printable(declaration.module, 80)}."
    )


@rule(
    "AMP002",
    "AMP.2.1",
    "AMP.4.1",
    when=mounting.if_mounted(lambda _: True),
    unseen_reason="nothing is known of the module",
    masks_others=True,
    remedy="Declare async def mount(coordinator, config) in the module.",
)
def mount_takes_coordinator_and_config(declaration: Declaration) -> Finding | None:
    """The module has an async function `mount`, which takes the coordinator and the mount plan's config and needs no more.

    Both are passed by position.
    """
    fault = mounting.signature_fault(mounting.mount_of(declaration))
    return Finding(fault) if fault else None


@rule(
    "AMP003",
    "AMP.2.2",
    when=mounting.has_returned,
    masks_others=True,
    remedy="Return the tool, a function that cleans up, or None.",
)
def mount_returns_a_tool_a_cleanup_or_none(declaration: Declaration) -> Finding | None:
    """What mount returns is a tool, a callable that cleans up, or None; a mapping that describes the module does no harm."""
    mount = mounting.mount_of(declaration)
    return Finding(f"mount returned a {printable(mount.detail, 60)}.") if mount.returned == "other" else None


@rule(
    "AMP004",
    "AMP.2.2",
    when=mounting.could_write,
    masks_others=True,
    remedy="Return None where the tool is not available; check config and surroundings before they are used.",
)
def mount_does_not_raise(declaration: Declaration) -> Finding | None:
    """Mounting raises nothing: a module that cannot offer its tool returns None.

    SystemExit and KeyboardInterrupt would end the application. A place that is read-only for the suite alone is no fault of the module.
    """
    mount = mounting.mount_of(declaration)
    return Finding(f"mount raised {printable(mount.detail, 200)}.") if mount.returned == "raised" else None


@rule(
    "AMP005",
    "AMP.2.3",
    when=mounting.has_returned.also(
        lambda d: bool(mounting.mount_of(d).registrations) or mounting.mount_of(d).returned == "tool",
        "mount registered nothing, as it may where it can offer no tool; give it what it needs under config",
    ),
    masks_others=True,
    remedy='Call await coordinator.mount("tools", tool, name=tool.name) in mount.',
)
def mount_registers_the_tool(declaration: Declaration) -> Finding | None:
    """Mounting registers the tools with the coordinator, at the mount point `tools`.

    `coordinator.mount` and the mapping `coordinator.mount_points["tools"]` do the same. Nobody looks at a tool that mount
    only returns.
    """
    mount = mounting.mount_of(declaration)
    if any(entry.point == mounting.POINT and not entry.error for entry in mount.registrations):
        return None
    if not mount.registrations:
        return Finding(f"mount returned a tool, {printable(mount.detail, 60)}, and registered none.")
    entry = mount.registrations[0]
    why = f" ({printable(entry.error, 100)})" if entry.error else ""
    return Finding(f"mount registered a {printable(entry.type_name, 60)} at {quoted(entry.point, 60)}{why}.")


@rule(
    "AMP010",
    source="runtime",
    when=mounting.has_tool,
    differs_by="the key of the registration",
    remedy="Give each tool a name of its own.",
)
def no_tool_replaces_another(declaration: Declaration) -> Iterator[Finding]:
    """A module registers no two tools under one key.

    The coordinator keeps tools in a dictionary by their keys: the second takes the place of the first, without a word.
    """
    keys: set[str | None] = set()
    for entry in mounting.mount_of(declaration).registrations:
        if entry.point != mounting.POINT or entry.error or entry.again:
            continue
        if entry.key in keys:
            message = f"A second tool, {printable(entry.type_name, 60)}, took the key {quoted(entry.key or '', 60)}."
            yield Finding(message, cause=entry.key)
        keys.add(entry.key)


@rule(
    "AMP015",
    "AMP.5.1",
    when=mounting.has_tool,
    remedy='Call coordinator.register_contributor("observability.events", MODULE, lambda: ["MODULE:started", …]) in mount.',
)
def lifecycle_events_are_registered(declaration: Declaration) -> Finding | None:
    """The module names its lifecycle events as a list of texts: to the channel observability.events.

    The older way, the capability of this name, is read by the logging hooks as well.
    """
    mount = mounting.mount_of(declaration)
    if mount.events_fault:
        return Finding(
            f"What it declares under observability.events is no list of names: {printable(mount.events_fault, 100)}."
        )
    return None if mount.events else Finding("The module declares no event under observability.events.")


@rule(
    "AMP019",
    source="runtime",
    when=mounting.was_called,
    remedy="Read config with get; copy it before changing it: settings = dict(config).",
)
def config_is_unchanged(declaration: Declaration) -> Finding | None:
    """Mounting leaves config as it was.

    A module that comes from a source is mounted twice with the same dictionary: first to be validated, then to be used.
    The second does not find what the first took out of it.
    """
    changed = mounting.mount_of(declaration).config_changed
    return Finding(f"mount changed config: {printable(', '.join(changed), 100)}.") if changed else None


@rule(
    "AMP020",
    "AMP.4.1",
    when=lambda exploration: mounting.has_tool(exploration.declarations[0]),
    unseen_reason=mounting.has_tool.otherwise,
    remedy="Read the key from config, or take it out of `config` in [tool.aptix-conformance.tool.NAME].",
    source="advice",
)
def configuration_is_read(exploration: Exploration) -> Finding | None:
    """The module looks at each key that its configuration has, in mount or later.

    Who goes through the whole of it has looked at each. A reader in C leaves no trace.
    """
    last = exploration.declarations[0]
    for declaration in exploration.declarations:
        last = declaration if declaration.when in ("start", "after_calls") else last
    unread = mounting.mount_of(last).config_unread if last.facts else ()
    if not unread:
        return None
    return Finding(f"Nothing looked at {printable(', '.join(unread), 100)} in config.", declaration=last)
