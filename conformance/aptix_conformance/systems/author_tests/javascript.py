"""A test for Node.js's own runner (`node --test`): the file, its imports, and JavaScript source text.

All that a report says enters as JSON, which is JavaScript too.
"""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final

from aptix_conformance.core.errors import ReportError
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests.conditions import Subject
from aptix_conformance.systems.author_tests.demands import only_the_suite
from aptix_conformance.systems.author_tests.source import finite, runs_of, sentence, short_enough

_TYPESCRIPT: Final = (".ts", ".mts", ".cts", ".tsx")
_MODULES: Final = (".mjs", ".js", ".cjs", *_TYPESCRIPT)
_WIDTH: Final = 80
"""Characters of an object that is written on one line."""
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]{0,99}", re.ASCII)
_PLACE: Final = re.compile(r"[\w@./ +-]{1,500}", re.ASCII)
_OWN_NAMES: Final = frozenset({
    "assert", "test", "tool", "INPUT", "EARLIER", "SECONDS", "SOURCE", "createJiti", "jiti", "once", "spawn", "result",
})  # fmt: skip
"""Names that every test file uses itself."""
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


@dataclass(slots=True)
class Making:
    """The lines that import the tool of a subject, what it needs, and make it.

    `own_names` are names that the test file uses itself, besides those of every file.
    """

    subject: Subject
    own_names: frozenset[str]
    imports: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def take(self, place: str, name: str, default: str = "Tool") -> str:
        """Import an export of a module, and give its name in the file; TypeScript is loaded by jiti.

        The default export is named `default`. A name that the file uses already gets `own_` in front.

        Raises:
            ReportError: the place or the name is not plain.
        """
        if not _NAME.fullmatch(name):
            raise ReportError("a test cannot import the tool: its export is not a plain name in JavaScript")
        local = default if name == "default" else name
        if local in _OWN_NAMES | self.own_names or local in self._taken:
            local = f"own_{local}"
        self._taken.add(local)
        place = self._place(place)
        if place.endswith(_TYPESCRIPT):
            jiti = "import { createJiti } from 'jiti';"
            self.imports += [] if jiti in self.imports else [jiti]
            binding = name if local == name else f"{name}: {local}"
            loaded = f"await createJiti(import.meta.url).import({quoted(place)})"
            self.statements.append(f"const {{ {binding} }} = {loaded};")
            return local
        binding = f"{{ {name} }}" if local == name else f"{{ {name} as {local} }}"
        self.imports.append(f"import {local if name == 'default' else binding} from {quoted(place)};")
        return local

    def lines(self) -> tuple[str, ...]:
        """All of it, with a blank line after the imports."""
        return (*self.imports, "", *self.statements)

    def _place(self, place: str) -> str:
        """The import of a module: a path from the test's folder, or the name of a package."""
        if not _PLACE.fullmatch(place):
            raise ReportError("a test cannot import the tool: its place has characters that need quoting")
        subject = self.subject
        is_path = place.startswith(".") or PurePath(place).is_absolute()
        if not is_path and not (PurePath(place).suffix in _MODULES and (subject.directory / place).exists()):
            return place
        path = os.path.relpath(subject.directory / place, subject.folder or subject.directory)
        path = path.replace(os.sep, "/")
        return path if path.startswith(".") else f"./{path}"


def refuse_surroundings(subject: Subject) -> None:
    """Leave a tool with an environment or files to the suite: imports of a module come before all statements.

    Raises:
        ReportError: the project gives the tool one of both.
    """
    if subject.settings.env or subject.settings.files is not None:
        raise only_the_suite()


def node_test(
    rule: Rule,
    making: Iterable[str],
    constants: Iterable[str],
    body: Sequence[str],
    imports: Iterable[str] = (),
) -> str:
    """The file of a test whose function has the lines of `body`; `imports` are of Node.js's own modules."""
    head = (
        f"// Fails until the tool keeps {rule.code} of aptix-conformance: {sentence(rule.name)}. Run it with: node --test",
        f"// {sentence(rule.demand)}",
    )
    standard = ("import assert from 'node:assert/strict';", *imports, "import { test } from 'node:test';")
    function = (
        f"test({quoted(rule.name.replace('-', ' '))}, async () => {{",
        *(f"  {line}" for line in body),
        "});",
    )
    parts = [*map(tuple, (head, standard, making, constants, function))]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def node_process_test(
    rule: Rule, making: Iterable[str], constants: Iterable[str], calls: Sequence[str], seconds: float
) -> str:
    """The file of a test that makes the calls in a process of its own; the call of the last line may end or keep it."""
    after = "setTimeout(() => process.stdout.write('the call came back', () => process.exit()), 100);"
    lines = (*calls[:-1], "process.stdout.write('the call begins');", calls[-1], after)
    source = "\n".join([*making, "", *constants, "", *lines])
    if "`" in source or "${" in source or "\\" in source:
        text = "[\n" + "".join(f"  {quoted(line)},\n" for line in source.split("\n")) + "].join('\\n')"
    else:
        text = f"`\n{source}\n`"
    imports = ("import { spawn } from 'node:child_process';", "import { once } from 'node:events';")
    own = (f"const SECONDS = {seconds:g};", f"const SOURCE = {text};")
    return node_test(rule, (), own, _IN_PROCESS, imports)


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
            quoted(part) + (f".repeat({times})" if times > 1 else "") for part, times in runs_of(value)
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
        return f"[{quoted(key)}]"
    return key if _NAME.fullmatch(key) else quoted(key)


def member_of(name: str) -> str:
    """The access to a member of an object, after the object."""
    return f".{name}" if _NAME.fullmatch(name) else f"[{quoted(name)}]"


def assigned(name: str, value: Any) -> str:
    """A constant; the members of a long object stand on lines of their own."""
    text = literal(value)
    if len(text) > _WIDTH and isinstance(value, Mapping):
        members = "".join(f"  {_member(key)}: {_literal(inner)},\n" for key, inner in value.items())
        text = f"{{\n{members}}}"
    return f"const {name} = {text};"


def quoted(text: str) -> str:
    """A text in single quotes; what cannot be printed as ASCII is escaped."""
    body = json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{body}'"
