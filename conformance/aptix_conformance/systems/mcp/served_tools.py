"""The hosts of MCP servers and of their tools: what a stimulus may take, and what a call changed in the author's files."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from aptix_conformance.core.errors import HostError, TargetError
from aptix_conformance.core.model import Call, Change, Kind, Outcome, ScarceResource, Stimulus
from aptix_conformance.core.model.allowance import Allowance
from aptix_conformance.core.model.codec import replace
from aptix_conformance.hosts.effects import Contents, changes_between, contents_of
from aptix_conformance.hosts.host import MIB, Environment
from aptix_conformance.hosts.process_host import ProcessToolHost
from aptix_conformance.hosts.starter import Starter
from aptix_conformance.hosts.tool_process import ToolProcess
from aptix_conformance.stimuli.generate import usable_schema
from aptix_conformance.systems.mcp.facts import McpResult, McpTool
from aptix_conformance.systems.mcp.wire import OF_SERVERS, allowance_of
from aptix_conformance.targets.settings import Target, ToolSettings

_LISTS: Final = re.compile(
    r"(?:list|ls|browse|catalog(?:ue)?|index|all|names|available|show|describe|search|find|get)(?:_.*)?"
    r"|(?!(?:add|clear|create|delete|drop|edit|empty|purge|remove|reset|set|update|write)_).*_(?:list|names|catalog(?:ue)?)"
)
"""The name of a tool that may list something: it begins with the word for it, since `delete_all` lists nothing."""
_JOINED: Final = re.compile(r"[-./: ]+|(?<=[a-z0-9])(?=[A-Z])")
_MOST_ASKED: Final = 3


def listing_tools(names: Sequence[str], own: str) -> list[str]:
    """The tools of a server that may list something, the likeliest first, without one; at most `_MOST_ASKED`."""
    plain = {name: _JOINED.sub("_", name).lower() for name in names if name and name != own}
    listing = [name for name, words in plain.items() if _LISTS.fullmatch(words)]
    return sorted(listing, key=lambda name: "list" not in plain[name])[:_MOST_ASKED]


class ServerStarter(Starter, Protocol):
    """Starts processes of servers, also with a small disk: the pool of MCP."""

    environment: Environment

    def opens(self, settings: ToolSettings) -> bool:
        """Whether a server reaches other machines."""

    def start_small(self, target: Target, settings: ToolSettings, disk: int) -> ToolProcess:
        """A new process for a tool with a disk of so many bytes, besides its author's files.

        Raises:
            TargetError, HostError: as `start`.
        """


class ServerHost(ProcessToolHost):
    """A server in its own process: each stimulus is several requests."""

    def _allowance(self, plan: Stimulus) -> Allowance:
        return allowance_of(plan, OF_SERVERS)


class ServedToolHost(ProcessToolHost):
    """A tool in a server process of its own: a stimulus of several calls gets their time."""

    def __init__(
        self, pool: ServerStarter, target: Target, settings: ToolSettings, secrets: Mapping[str, str]
    ) -> None:
        """Raises as `ProcessToolHost`."""
        super().__init__(pool, target, settings, secrets)
        self._servers, self._secrets = pool, secrets

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """See `host.ToolHost`."""
        if isinstance(plan.disturbance, ScarceResource) and self.read_only is None:
            timeout = timeout or self._seconds_for(plan)
            return self._redactor.redact(self._execute_apart(plan, timeout))
        return super().execute(plan, timeout)

    def ask_listing_tools(self) -> tuple[str, ...]:
        """See `host.ToolHost`: each is called once, in a process of its own. None is where calls reach more than their container."""
        if (
            self.read_only is not None
            or self._settings.side_effects == "none"
            or self._servers.opens(self._settings)
        ):
            return ()
        try:
            facts = self.describe().facts
        except (TargetError, HostError):
            return ()
        names = listing_tools(facts.names, self._target.qualname) if isinstance(facts, McpTool) else []
        uncalled = {key.rpartition("#")[2] for key in self._servers.environment.uncalled}
        names = [name for name in names if name not in uncalled]
        return tuple(filter(None, map(self._answer_of, names)))

    def _answer_of(self, name: str) -> str:
        """What a tool of the server answers without arguments; empty where it fails, or needs some."""
        target, host, call = replace(self._target, qualname=name), None, None
        try:
            host = ProcessToolHost(self._servers, target, self._settings, self._secrets)
            schema, _ = usable_schema(host.describe())
            if schema is not None and not schema.get("required"):
                call = host.execute(Stimulus("valid", Change(Kind.MINIMAL), "{}", None))
        except (TargetError, HostError):
            return ""
        finally:
            if host is not None:
                host.close()
                self._waited += host.waited
        return (call.result.payload or "") if call and call.succeeded and call.result else ""

    def _allowance(self, plan: Stimulus) -> Allowance:
        return allowance_of(plan, plan.allowance)

    def _execute_apart(self, plan: Stimulus, timeout: float) -> Call:
        """One call in a process of its own, beside that of the other calls: what is done to it stays there.

        Where its server does not start on a small disk, the call is left out.
        """
        try:
            process = self._servers.start_small(self._target, self._settings, plan.allowance.disk)
        except TargetError as error:
            reason = f"the server does not start with a disk of {plan.allowance.disk // MIB} MiB: {error}"
            return Call(plan, Outcome.RETURNED, 0.0, None, left_out=reason)
        try:
            return process.execute(plan, timeout)
        finally:
            self._waited += process.waited
            process.abandon()


class WatchedToolHost(ServedToolHost):
    """A tool whose server is given files: each call is compared with the files before it."""

    def __init__(
        self,
        pool: ServerStarter,
        target: Target,
        settings: ToolSettings,
        secrets: Mapping[str, str],
        own_files: frozenset[str],
    ) -> None:
        """`own_files` are the paths of the author's files. Raises as `ProcessToolHost`."""
        super().__init__(pool, target, settings, secrets)
        self._own_files = own_files
        self._last_contents: tuple[ToolProcess | None, int, Contents] = (None, 0, {})

    def execute(self, plan: Stimulus, timeout: float | None = None) -> Call:
        """See `host.ToolHost`."""
        if self.read_only is not None or plan.disturbance is not None:
            return super().execute(plan, timeout)
        process = self._current()
        before = self._contents(process)
        call = super().execute(plan, timeout)
        facts = call.result.facts if call.result else None
        if before is None or not isinstance(facts, McpResult) or call.result is None:
            return call
        after = self._contents(process)
        changes = None if after is None else changes_between(before, after, self._own_files)
        result = replace(call.result, facts=replace(facts, changes=changes))
        return self._redactor.redact(replace(call, result=result))

    def _contents(self, process: ToolProcess) -> Contents | None:
        """The files of a process now; None where nobody reaches them."""
        if process.directory is None:
            return None
        last, served, known = self._last_contents
        known = known if last is process else {}
        if last is not process or served != process.served:
            known = contents_of(process.directory, known)
            self._last_contents = (process, process.served, known)
        return known
