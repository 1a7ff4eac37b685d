"""A finding on an ART tool as a test for Node.js's own runner (`node --test`), which takes no dependency.

The written file imports the tool, and nothing of the suite. All that a report says enters as JSON, which is JavaScript too.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.report import CallReport, FindingReport
from aptix_conformance.rules import Rule
from aptix_conformance.systems.art.facts import ArtTool
from aptix_conformance.systems.author_tests import (
    Conditions,
    Demand,
    Subject,
    demand_of,
    finite,
    only_the_suite,
    parsed_arguments,
    runs_of,
    sentence,
    short_enough,
)

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

_ASSERTIONS: Final[Mapping[Demand, tuple[str, ...]]] = {
    Demand.COMES_BACK: (
        "assert.equal(typeof result, 'object');",
        "assert.ok('callId' in result && 'toolName' in result && 'status' in result);",
    ),
    Demand.SUCCEEDS: ("assert.notEqual(result.status, 'error', result.error);",),
    Demand.ENDS: (),
}
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


def write_test(subject: Subject, rule: Rule, finding: FindingReport, conditions: Conditions) -> str:
    """A test that shows a finding on an ART tool (`author_tests.WriteTest`).

    Raises:
        ReportError: only the suite shows the finding.
    """
    facts = subject.declaration.facts if subject.declaration else None
    assert isinstance(facts, ArtTool)
    demand, call = demand_of(rule, finding)
    settings = subject.settings
    if demand not in _ASSERTIONS or settings.env or settings.files is not None:
        raise only_the_suite()
    making, constants = _making(subject, facts), _constants(finding, call)
    if demand is Demand.ENDS:
        return _process_test(rule, finding, making, constants, settings.timeout or conditions.timeout)
    return _file(rule, (), making, constants, (*_earlier(finding), _RESULT, *_ASSERTIONS[demand]))


def _process_test(
    rule: Rule, finding: FindingReport, making: tuple[str, ...], constants: tuple[str, ...], seconds: float
) -> str:
    """A test that makes the call in a process of its own, which it may end or keep."""
    earlier = _earlier(finding)
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
    lines = [
        _assigned("INPUT", parsed_arguments(call.plan.arguments)),
        _assigned("CONTEXT", call.plan.context),
    ]
    if finding.history:
        pairs = [
            f"  [{literal(parsed_arguments(plan.arguments))}, {literal(plan.context)}],\n"
            for plan in finding.history
        ]
        lines.append("const EARLIER = [\n" + "".join(pairs) + "];")
    return tuple(lines)


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
    definition = f"const tool = {_KINDS[facts.exported].format(local)};"
    if not place.endswith(_TYPESCRIPT):
        import_ = (
            f"import {local} from {_quoted(place)};"
            if name == "default"
            else f"import {{ {name} }} from {_quoted(place)};"
        )
        return (import_, "", definition)
    binding = "{ default: Tool }" if name == "default" else f"{{ {name} }}"
    return (
        "import { createJiti } from 'jiti';",
        "",
        f"const {binding} = await createJiti(import.meta.url).import({_quoted(place)});",
        definition,
    )


def _place(subject: Subject) -> str:
    """The import of the tool's module: a path from the test's folder, or the name of a package."""
    place = subject.module
    if not _PLACE.fullmatch(place):
        raise ReportError("a test cannot import the tool: its place has characters that need quoting")
    is_path = place.startswith(".") or PurePath(place).is_absolute()
    if not is_path and not (PurePath(place).suffix in _MODULES and (subject.directory / place).exists()):
        return place
    path = os.path.relpath(subject.directory / place, subject.folder or subject.directory).replace(
        os.sep, "/"
    )
    return path if path.startswith(".") else f"./{path}"


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
