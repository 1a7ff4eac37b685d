"""A finding on an ART tool as a test for Node.js's own runner (`node --test`), which takes no dependency.

The written file imports the tool, and nothing of the suite. All that a report says enters as JSON, which is JavaScript too.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from aptix_conformance.author_tests import (
    Conditions,
    Subject,
    finite,
    parsed_arguments,
    refuse_disturbed,
    refuse_unshown,
    runs_of,
    sentence,
    short_enough,
    unshown,
    without_test,
)
from aptix_conformance.errors import ReportError
from aptix_conformance.model import Outcome
from aptix_conformance.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.art.facts import ArtTool

_TYPESCRIPT: Final = (".ts", ".mts", ".cts", ".tsx")
_MODULES: Final = (".mjs", ".js", ".cjs", *_TYPESCRIPT)
_WIDTH: Final = 80
"""Characters of an object that is written on one line."""
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]{0,99}", re.ASCII)
_PLACE: Final = re.compile(r"[\w@./ +-]{1,500}", re.ASCII)
_OWN_NAMES: Final = frozenset({
    "assert", "test", "tool", "INPUT", "CONTEXT", "EARLIER", "SECONDS", "SOURCE", "createJiti", "jiti", "once", "spawn",
    "Ajv", "result", "makeTool",
})  # fmt: skip
"""Names that a test file uses itself."""
_RESULT: Final = "const result = await tool.execute(INPUT, CONTEXT);"
_IS_TEXT: Final = "assert.ok(typeof {0} === 'string' && {0}.trim() !== '');"

DEFINITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "ART001": (
        "assert.equal(typeof tool.schema, 'object');",
        "assert.equal(typeof tool.execute, 'function');",
    ),
    "ART002": (
        _IS_TEXT.format("tool.schema.name"),
        _IS_TEXT.format("tool.schema.description"),
        "assert.equal(tool.schema.inputSchema.type, 'object');",
    ),
    "ART003": (
        "const modes = [undefined, 'functional', 'immediate', 'blocking', 'display'];",
        "assert.ok(modes.includes(tool.schema.executionMode));",
    ),
    "ART004": (
        "for (const given of [tool.schema.blockingConfig ?? {}, tool.schema.displayConfig ?? {}]) {",
        "  assert.equal(typeof given, 'object');",
        "}",
    ),
    "ART006": ("assert.match(tool.schema.name, /^[a-z0-9]+(_[a-z0-9]+)*$/);",),
}
"""What a test of a definition asserts, by the rule."""

_ARRIVES: Final = (
    "assert.equal(typeof result, 'object');",
    "assert.ok('callId' in result && 'toolName' in result && 'status' in result);",
)
_NOT_AN_ERROR: Final = ("assert.notEqual(result.status, 'error', result.error);",)
_FALSY: Final = "[0, false, ''].includes(result.output)"
_STACK: Final = r"at \S[^\n]*:\d+:\d+"
_SOURCES: Final = (
    "assert.ok(Array.isArray(result.metadata.sources));",
    "for (const source of result.metadata.sources) {",
    "  assert.equal(typeof source.sourceName, 'string');",
    "  assert.ok(['string', 'undefined'].includes(typeof source.url));",
    "}",
)

CALLS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("EXC001", "ARG005", "ARG013", "CTX001", "ART020"), _ARRIVES),
    **dict.fromkeys(("RES006", "CTX006", "ARG011"), _NOT_AN_ERROR),
    "EXC003": (f"assert.doesNotMatch(JSON.stringify(result), /{_STACK}/);",),
    "ART021": ("assert.equal(result.callId, CONTEXT.callId);",),
    "ART022": ("assert.equal(result.toolName, tool.schema.name);",),
    "ART023": ("assert.ok(['success', 'error', 'suspended'].includes(result.status));",),
    "ART024": ("assert.ok(result.status !== 'success' || result.output !== undefined);",),
    "ART025": (
        "assert.ok(result.status !== 'error' || (typeof result.error === 'string' && result.error.trim() !== ''));",
    ),
    "ART026": ("assert.ok(result.status !== 'suspended' || result.metadata?.suspensionId);",),
    "ART027": _SOURCES,
    "ART028": ("assert.ok(JSON.stringify(result.output).length <= 60_000);",),
    "ART030": ("assert.notEqual(result.status, 'success');",),
    "ART031": ("assert.notEqual(result.status, 'suspended');",),
    "ART033": ("assert.deepEqual(JSON.parse(JSON.stringify(result.output)), result.output);",),
    "ART041": (f"assert.ok(!{_FALSY});",),
    "ART042": ("assert.ok(!('data' in result.output) || Object.keys(result.output).length === 1);",),
}
"""What a test of a call asserts, by the rule; ART040 and EXC002 make the call in a way of their own."""

_THROWS: Final = (
    "try {",
    "  await tool.execute(INPUT, CONTEXT);",
    "} catch (thrown) {",
    "  assert.ok(thrown !== null && thrown !== undefined);",
    "}",
)
_IN_PROCESS: Final = (
    "const child = spawn(process.execPath, ['--input-type=module', '--eval', SOURCE], {",
    "  cwd: new URL('.', import.meta.url),",
    "  stdio: ['pipe', 'pipe', 'inherit'],",
    "});",
    "let timer;",
    "let said = '';",
    "child.stdout.on('data', (part) => {",
    "  timer ??= setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000);",
    "  said += part;",
    "});",
    "const [status] = await once(child, 'close');",
    "clearTimeout(timer);",
    "assert.ok(said.endsWith('the call came back'), 'the call did not come back');",
    "assert.equal(status, 0);",
)
_KINDS: Final = {"class": "new {0}()", "factory": "await {0}()", "instance": "{0}"}
"""How a tool is made of an export, by its kind."""

_VALIDATOR: Final = "it takes a validator of JSON Schema"
WHY: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ART005", "ART009", "ART029"), _VALIDATOR),
    "ART007": "it weighs prose, and a test would fix the words; replay tells whether it is kept",
    "ART008": "it compares all tools of a module",
    **dict.fromkeys(("EXC004", "EXC005"), "what leaks is planted in the environment"),
    "RES007": "its author alone knows whether the call should have succeeded or failed",
    "ART032": "it compares the form of an example with that of a result",
}
"""Why rules of this system have no plain test."""


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an ART tool (`author_tests.WriteTest`).

    Raises:
        ReportError: the finding has no plain test, with the reason.
    """
    refuse_unshown(finding)
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, ArtTool)
    settings = subject.settings
    if settings.env or settings.files is not None:
        raise unshown(
            "the project gives the tool an environment or files, which a test in JavaScript would have to set up"
        )
    making = _making(subject, facts)
    if finding.call is None or rule.code in DEFINITIONS:
        lines = DEFINITIONS.get(rule.code)
        if lines is None:
            raise without_test(rule.code, WHY)
        return _file(rule, (), making, (), lines)
    constants = _constants(finding, finding.call)
    if rule.code == "EXC002":
        seconds = settings.timeout or conditions.timeout
        return _process_test(rule, finding, making, constants, seconds)
    lines = (_RESULT, *CALLS[rule.code]) if rule.code in CALLS else ()
    lines = _THROWS if rule.code == "ART040" else lines
    if not lines:
        raise without_test(rule.code, WHY)
    if rule.code == "ART033":
        _refuse_unseen(finding.call)
    if rule.code == "EXC003" and not _shows_a_stack(finding.call):
        raise unshown("what leaks has no pattern of its own")
    return _file(rule, (), making, constants, (*_earlier(finding), *lines))


def _process_test(
    rule: Rule, finding: FindingReport, making: tuple[str, ...], constants: tuple[str, ...], seconds: float
) -> str:
    """A test that makes the call in a process of its own, which it may end or keep."""
    call, earlier = finding.call, _earlier(finding)
    assert call is not None
    if call.outcome not in {Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.RAISED}:
        raise unshown("it needs the suite's limits on memory, output and processes")
    refuse_disturbed(call)
    after = "setTimeout(() => process.stdout.write('the call came back', () => process.exit()), 100);"
    call_lines = ("process.stdout.write('the call begins');", "await tool.execute(INPUT, CONTEXT);", after)
    source = "\n".join([*making, "", *constants, "", *earlier, *call_lines])
    if "`" in source or "${" in source or "\\" in source:
        quoted = "[\n" + "".join(f"  {_quoted(line)},\n" for line in source.split("\n")) + "].join('\\n')"
    else:
        quoted = f"`\n{source}\n`"
    imports = ("import { spawn } from 'node:child_process';", "import { once } from 'node:events';")
    own = (f"const SECONDS = {seconds:g};", f"const SOURCE = {quoted};")
    return _file(rule, imports, (), own, _IN_PROCESS)


_EARLIER: Final = (
    "for (const [input, context] of EARLIER) {",
    "  await tool.execute(input, context).catch(() => {});",
    "}",
)


def _earlier(finding: FindingReport) -> tuple[str, ...]:
    return _EARLIER if finding.history else ()


def _constants(finding: FindingReport, call: CallReport) -> tuple[str, ...]:
    made = [
        _assigned("INPUT", parsed_arguments(call.plan.arguments)),
        _assigned("CONTEXT", call.plan.context),
    ]
    if finding.history:
        pairs = [
            f"  [{literal(parsed_arguments(plan.arguments))}, {literal(plan.context)}],\n"
            for plan in finding.history
        ]
        made.append("const EARLIER = [\n" + "".join(pairs) + "];")
    return tuple(made)


def _shows_a_stack(call: CallReport) -> bool:
    """Whether a result holds a line of a stack trace."""
    texts = (*call.result.texts, call.result.error_message or "") if call.result else ()
    return any(re.search(_STACK, text) for text in texts)


def _refuse_unseen(call: CallReport) -> None:
    """Refuse values that a comparison with their JSON does not show."""
    oddities = (call.result.facts or {}).get("oddities", ()) if call.result else ()
    words = [each.get("what") for each in oddities if isinstance(each, Mapping)]
    for what in ("getter", "proxy", "lone surrogate", "too deep", "too many"):
        if what in words:
            raise unshown(f"a {what} in the output is seen by the suite only")


# ---- the file


def _file(
    rule: Rule,
    imports: tuple[str, ...],
    making: tuple[str, ...],
    constants: tuple[str, ...],
    body: tuple[str, ...],
) -> str:
    head = (
        f"// Fails until the tool keeps {rule.code} of aptix-conformance: {sentence(rule.name)}. Run it with: node --test",
        f"// {sentence(rule.demand)}",
    )
    standard = ("import assert from 'node:assert/strict';", *imports, "import { test } from 'node:test';")
    function = (
        f"test({_quoted(rule.name.replace('-', ' '))}, async () => {{",
        *(f"  {line}" for line in body),
        "});",
    )
    parts = (head, standard, making, constants, function)
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _making(subject: Subject, facts: ArtTool) -> tuple[str, ...]:
    """The lines that import and make the tool."""
    name = subject.qualname
    if not (_NAME.fullmatch(name) or name == "default"):
        raise ReportError("a test cannot import the tool: its export is not a plain name in JavaScript")
    if name in _OWN_NAMES:
        raise ReportError(f"a test cannot import {name}: the file uses that name itself")
    local = "Tool" if name == "default" else name
    place = _place(subject)
    made = f"const tool = {_KINDS[facts.exported].format(local)};"
    if not place.endswith(_TYPESCRIPT):
        import_ = (
            f"import {local} from {_quoted(place)};"
            if name == "default"
            else f"import {{ {name} }} from {_quoted(place)};"
        )
        return (import_, "", made)
    taken = "{ default: Tool }" if name == "default" else f"{{ {name} }}"
    return (
        "import { createJiti } from 'jiti';",
        "",
        f"const {taken} = await createJiti(import.meta.url).import({_quoted(place)});",
        made,
    )


def _place(subject: Subject) -> str:
    """What the test imports: a path from its own folder, or the name of a package."""
    place = subject.module
    if not _PLACE.fullmatch(place):
        raise ReportError("a test cannot import the tool: its place has characters that need quoting")
    is_path = place.startswith(".") or PurePath(place).is_absolute()
    if not is_path and not (PurePath(place).suffix in _MODULES and (subject.directory / place).exists()):
        return place
    found = os.path.relpath(subject.directory / place, subject.folder or subject.directory).replace(
        os.sep, "/"
    )
    return found if found.startswith(".") else f"./{found}"


# ---- literals


def literal(value: Any) -> str:
    """A JSON value as a JavaScript literal; a text that repeats itself is written with `repeat`.

    Raises:
        ReportError: it is too long for a test that people read, or a number that JSON does not have.
    """
    return short_enough(_literal(value))


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return " + ".join(
            _quoted(part) + (f".repeat({times})" if times > 1 else "") for part, times in runs_of(value)
        )
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Mapping):
        members = (f"{_member(key)}: {_literal(inner)}" for key, inner in value.items())
        return "{ " + ", ".join(members) + " }" if value else "{}"
    return json.dumps(finite(value))


def _member(key: str) -> str:
    """The name of a member. In a literal, `__proto__` would be the object's prototype; in brackets it is a member."""
    if key == "__proto__":
        return f"[{_quoted(key)}]"
    return key if _NAME.fullmatch(key) else _quoted(key)


def _assigned(name: str, value: Any) -> str:
    """A constant; the members of a long object stand on lines of their own."""
    text = literal(value)
    if len(text) > _WIDTH and isinstance(value, Mapping):
        members = "".join(f"  {_member(key)}: {_literal(inner)},\n" for key, inner in value.items())
        text = f"{{\n{members}}}"
    return f"const {name} = {text};"


def _quoted(text: str) -> str:
    """A text in single quotes; what cannot be printed as ASCII is escaped."""
    body = json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{body}'"
