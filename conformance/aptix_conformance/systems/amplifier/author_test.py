"""A finding on an Amplifier tool as a pytest test: the module is mounted by Amplifier's own test coordinator.

The written file imports `amplifier_core` and the module, and nothing of the suite.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aptix_conformance.author_tests import (
    INDENT,
    Check,
    Conditions,
    Draft,
    Subject,
    dotted,
    earlier_calls,
    in_own_process,
    literal,
    parsed_arguments,
    refuse_unshown,
    surround,
    unshown,
    without_test,
)
from aptix_conformance.errors import ReportError
from aptix_conformance.model import CancellationPoint
from aptix_conformance.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.amplifier.facts import AmplifierMount

_CORE: Final = "amplifier_core"
_GROUP: Final = "amplifier.modules"
_OWN_NAMES: Final = frozenset({
    "asyncio", "call", "call_in_process", "contextlib", "copy", "create_test_coordinator", "inspect", "json", "mounted",
    "multiprocessing", "pytest", "re", "shutil", "ToolResult",
})  # fmt: skip
"""Names that a test file uses itself."""
_TOOL: Final = "tool = asyncio.run(mounted())"
_TOOLS: Final = "tools = asyncio.run(mounted())"
"""For rules on names: fixing one changes the key."""

MODULES: Final[Mapping[str, Check]] = {
    "AMP002": Check(
        ("assert inspect.iscoroutinefunction(mount)", "inspect.signature(mount).bind(None, {})"), ("inspect",)
    ),
    "AMP004": Check(("asyncio.run(mount(create_test_coordinator(), CONFIG))",), ("asyncio",)),
    "AMP005": Check((_TOOLS, "assert tools"), ("asyncio",)),
    "AMP006": Check(
        (
            _TOOLS,
            "for tool in tools.values():",
            "    assert isinstance(tool.name, str)",
            "    assert tool.name.strip()",
        ),
        ("asyncio",),
    ),
    "AMP007": Check(
        (_TOOL, "assert isinstance(tool.description, str)", "assert tool.description.strip()"), ("asyncio",)
    ),
    "AMP008": Check(
        (
            _TOOL,
            "assert inspect.iscoroutinefunction(tool.execute)",
            "inspect.signature(tool.execute).bind({})",
        ),
        ("asyncio", "inspect"),
    ),
    "AMP009": Check(
        (
            _TOOLS,
            "for tool in tools.values():",
            '    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", tool.name)',
            "    assert len(tool.name) <= 64",
        ),
        ("asyncio", "re"),
    ),
    "AMP011": Check((_TOOLS, "assert [tool.name for tool in tools.values()] == list(tools)"), ("asyncio",)),
    "AMP012": Check(
        (
            _TOOL,
            "assert isinstance(tool.input_schema, dict)",
            'assert tool.input_schema["type"] == "object"',
            "assert json.dumps(tool.input_schema, allow_nan=False)",
        ),
        ("asyncio", "json"),
    ),
    "AMP019": Check(
        (
            "before = copy.deepcopy(CONFIG)",
            "asyncio.run(mount(create_test_coordinator(), CONFIG))",
            "assert CONFIG == before",
        ),
        ("asyncio", "copy"),
    ),
}
"""What a test of a module asserts, by the rule."""

_RETURNED: Final = Check(("assert isinstance(result, ToolResult)",), harness=("ToolResult",))
_REFUSED: Final = Check(("assert not result.success",))
_ACCEPTED: Final = Check(("assert result.success, result.error",))
_MESSAGE: Final = 'message = (result.error or {}).get("message") or ""'

CALLS: Final[Mapping[str, Check]] = {
    **dict.fromkeys(("ARG005", "EXC001", "RES001"), _RETURNED),
    **dict.fromkeys(("ARG001", "ARG006", "ARG007", "ARG008", "ARG009", "ARG010"), _REFUSED),
    **dict.fromkeys(("ARG011", "RES006"), _ACCEPTED),
    "RES004": Check((_MESSAGE, "assert result.success or message.strip() or result.output")),
    "AMP021": Check((_MESSAGE, "assert result.success or message.strip()")),
    "AMP017": Check(
        ("assert result.get_serialized_output().encode()", "assert result.safe_hook_presentation()")
    ),
    "AMP018": Check(("assert INPUT == before",), ("copy",), before=("before = copy.deepcopy(INPUT)",)),
    "LOG003": Check(('assert capfd.readouterr().out == ""',), fixtures=("capfd",)),
}
"""What a test of a call asserts, by the rule."""

_CALL: Final = "await tool.execute(INPUT)"

OWN_WAY: Final = frozenset({"EXC002", "RES011", "REG008", "CAN007"})
"""Rules whose tests make the call in a way of their own."""

_EVENTS: Final = "it takes the events of a session"
WHY: Final[Mapping[str, str]] = {
    "AMP001": "entry points belong to the distribution, and a test mounts the module",
    "AMP003": "a test cannot know what the module intends to return",
    "AMP010": "it judges what the coordinator no longer shows",
    **dict.fromkeys(("AMP013", "AMP014"), "it compares schemas in forms that differ"),
    **dict.fromkeys(("AMP015", "AMP024"), _EVENTS),
    "AMP016": "it judges the log of a whole session",
    "AMP020": "only the suite sees which keys of the configuration are read",
    **dict.fromkeys(("AMP022", "AMP023"), "a session calls the cleanup, and only the suite watches it"),
    "EXC010": "the suite made a library fail that the tool calls by itself",
    "RES007": "its author alone knows whether the call should have succeeded or failed",
    "AMP025": "what is printed at the import comes before a test begins",
}
"""Why rules of this system have no plain test."""


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an Amplifier tool (`author_tests.WriteTest`).

    Raises:
        ReportError: the finding has no plain test, with the reason.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, AmplifierMount)
    refuse_unshown(finding)
    draft = Draft(subject.directory)
    surround(draft, subject)
    importing = _import_mount(draft, subject, facts)
    draft.constants.append(f"CONFIG = {literal(dict(subject.settings.config))}")
    if finding.call is None or rule.code in MODULES:
        _give_module_test(draft, rule, importing, facts)
        return draft.text(rule)
    _define_mounted(draft, importing, _key(facts))
    _give_call_test(draft, rule, finding, finding.call, subject.settings.timeout or conditions.timeout, facts)
    return draft.text(rule)


def _give_module_test(draft: Draft, rule: Rule, importing: tuple[str, ...], facts: AmplifierMount) -> None:
    check = MODULES.get(rule.code)
    if check is None:
        raise without_test(rule.code, WHY)
    if _TOOLS in check.lines:
        _define_mounted(draft, importing, "")
    elif _TOOL in check.lines:
        _define_mounted(draft, importing, _key(facts))
    else:
        draft.body += importing
    if any("create_test_coordinator" in line for line in check.lines):
        draft.take(f"{_CORE}.testing", "create_test_coordinator")
    draft.modules |= {*check.modules}
    draft.body += check.lines


def _give_call_test(
    draft: Draft, rule: Rule, finding: FindingReport, call: CallReport, seconds: float, facts: AmplifierMount
) -> None:
    check = _check(rule.code, call, facts)
    draft.constants.append(f"INPUT = {literal(parsed_arguments(call.plan.arguments))}")
    if finding.history:
        earlier = "".join(
            f"{INDENT}{literal(parsed_arguments(plan.arguments))},\n" for plan in finding.history
        )
        draft.constants.append(f"EARLIER = [\n{earlier}]")
    functions, run, modules = _way(rule.code, finding, call)
    if rule.code == "EXC002":
        draft.constants.append(f"SECONDS = {seconds:g}")
    draft.definitions += functions
    draft.modules |= {*modules, *check.modules}
    draft.fixtures |= {*check.fixtures}
    draft.take(_CORE, *check.harness)
    if not any("result" in line for line in check.lines):
        run = tuple(line.removeprefix("result = ") for line in run)
    draft.body += [*check.before, *run, *check.lines]


def _check(code: str, call: CallReport, facts: AmplifierMount) -> Check:
    if code in OWN_WAY:
        return Check(())
    check = CALLS.get(code)
    if check is None:
        raise without_test(code, WHY)
    result = call.result
    if check is _REFUSED and (result is None or result.successful is not True):
        raise unshown("the call did not succeed where it should have been refused")
    if code == "RES004" and result and result.payload_type != "NoneType" and result.payload:
        raise unshown(
            "the failed result has an output, and a test cannot tell what of it says what went wrong"
        )
    if code == "LOG003" and facts.printed:
        raise unshown("mounting the module prints too")
    return check


def _way(
    code: str, finding: FindingReport, call: CallReport
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The functions that make the call, the lines of the test that run it, and the modules that both use."""
    earlier, modules = earlier_calls(
        finding,
        "for given in EARLIER:",
        f"{INDENT}with contextlib.suppress(Exception):",
        f"{INDENT * 2}await tool.execute(given)",
    )
    begin = ("tool = await mounted()", *earlier)
    run: tuple[str, ...] = ("result = asyncio.run(call())",)
    point = call.plan.cancellation
    if code == "EXC002":
        functions, run = in_own_process(call, _function(*begin, f"return {_CALL}"))
        return functions, run, ("asyncio", "multiprocessing", *modules)
    if code == "CAN007":
        return (_function(*begin, *_cancelled(point)),), _CANCELLED, ("asyncio", "pytest", *modules)
    if call.plan.disturbance is not None and not (point and point.is_watched_only):
        raise unshown("the suite made a library fail that the tool calls by itself")
    if code == "REG008":
        lines = (
            *begin,
            "awaitable = tool.execute(INPUT)",
            "assert inspect.isawaitable(awaitable)",
            "await awaitable",
        )
        return (_function(*lines),), ("asyncio.run(call())",), ("asyncio", "inspect", *modules)
    if code == "RES011":
        lines = (*begin, f"first = {_CALL}", f"second = {_CALL}", "assert second.output == first.output")
        return (_function(*lines),), ("asyncio.run(call())",), ("asyncio", *modules)
    return (_function(*begin, f"return {_CALL}"),), run, ("asyncio", *modules)


_CANCELLED: Final = ("with pytest.raises(asyncio.CancelledError):", f"{INDENT}asyncio.run(call())")


def _cancelled(point: CancellationPoint | None) -> tuple[str, ...]:
    if point is None or point.kind != "task" or point.at != 1:
        raise unshown("the call is cancelled where it waits a later time, which a plain test cannot find")
    return (
        "task = asyncio.create_task(tool.execute(INPUT))",
        f"await asyncio.sleep({point.hold:g})  # the call begins, and waits",
        "task.cancel()",
        "await task",
    )


def _function(*lines: str) -> str:
    return "async def call():\n" + "".join(f"{INDENT}{line}\n" for line in lines)


# ---- the module


def _key(facts: AmplifierMount) -> str:
    """The key of the tool, as a literal.

    Raises:
        ReportError: the module registers none.
    """
    if facts.key is None:
        raise unshown("the module registers no tool, and a test cannot know under which key it should")
    return literal(facts.key)


def _define_mounted(draft: Draft, importing: tuple[str, ...], key: str) -> None:
    """The function that mounts the module, and gives the tool of a key, or all tools where the key is empty."""
    draft.take(f"{_CORE}.testing", "create_test_coordinator")
    lines = [
        *importing,
        "coordinator = create_test_coordinator()",
        "await mount(coordinator, CONFIG)",
        "for _ in range(50):  # a module may register its tool after mount has returned",
        f'{INDENT}tools = coordinator.mount_points["tools"]',
        f"{INDENT}if {key} in tools:" if key else f"{INDENT}if tools:",
        f"{INDENT * 2}break",
        f"{INDENT}await asyncio.sleep(0.01)",
        f"return tools[{key}]" if key else "return tools",
    ]
    draft.definitions.append("async def mounted():\n" + "".join(f"{INDENT}{line}\n" for line in lines))
    draft.modules.add("asyncio")


def _import_mount(draft: Draft, subject: Subject, facts: AmplifierMount) -> tuple[str, ...]:
    """Import the mount function; returns the lines that do it in a function, for a module that is found by its path."""
    assert subject.declaration is not None
    module = dotted(subject.declaration.module)
    attribute = _attribute(facts, module)
    first = dotted(attribute).partition(".")[0]
    if first in _OWN_NAMES or facts.function == "missing":
        raise ReportError(
            f"a test cannot import {first}: the file uses that name itself, or the module does not have it"
        )
    name = "" if attribute == "mount" else f"mount = {attribute}"
    folder = _folder(subject, facts.where, module)
    if folder is None:
        draft.take(module, first)
        return (name,) if name else ()
    draft.fixtures |= {"monkeypatch", "pytestconfig"}
    place = "pytestconfig.rootpath" if folder == "." else f"pytestconfig.rootpath / {literal(folder)}"
    draft.body.append(f"monkeypatch.syspath_prepend({place})")
    return (f"from {module} import {first}", *((name,) if name else ()))


def _attribute(facts: AmplifierMount, module: str) -> str:
    """The name of the mount function in the module: what its entry point says."""
    for entry in facts.entry_points:
        named, _, attribute = entry.value.partition(":")
        if entry.group == _GROUP and named.strip() == module and attribute.strip():
            return attribute.strip()
    return "mount"


def _folder(subject: Subject, where: str, module: str) -> str | None:
    """The folder in which the module of a path is found, from the project's directory; None for an installed module."""
    path = subject.directory / where
    if not (path.is_dir() or path.suffix == ".py"):
        return None
    parts = module.split(".")
    around = [path, path / "src", *path.resolve().parents[: len(parts) + 1]]
    for folder in around:
        if folder.joinpath(*parts).is_dir() or folder.joinpath(*parts).with_suffix(".py").is_file():
            return Path(os.path.relpath(folder, subject.directory)).as_posix()
    raise unshown("the folder of its module is not known")
