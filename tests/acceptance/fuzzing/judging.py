"""What a tool declares and returns, judged by every rule: no text makes a rule raise or take long."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.acceptance.fuzzing.documents import examined

from aptix_conformance.core.model import Call, Declaration, LogRecord, Output
from aptix_conformance.core.model.codec import replace
from aptix_conformance.rules import Rule

_LENGTH = 50_000
_RUNS = (
    "A ", "\n", ": ", "- x\n", '"', "(", '{"a":', "http://a.b/", "_", "`a` ", "/a", "a@", "C:\\a\\", "1.", "Errors:\n- a ", "::", "**a",
)  # fmt: skip


def texts() -> tuple[bytes, ...]:
    """Long texts of one run each, and a short one."""
    return (b"A tool.", *((run * (_LENGTH // len(run))).encode() for run in _RUNS))


def judge(data: bytes, _scratch: Path) -> bool:
    """Judge a conforming tool whose every text is this one."""
    text = data.decode("utf-8", "surrogateescape")
    _, rules, declaration, calls = examined()
    _judge(rules, Declaration, _declarations(declaration, text))
    _judge(rules, Call, _calls(next(call for call in calls if call.succeeded), text))
    return True


def _judge(rules: Iterable[Rule], subject: type, observations: Iterable[Any]) -> None:
    for observation in observations:
        for rule in rules:
            if rule.over is subject and rule.when(observation):
                rule.check(observation)


def _declarations(plain: Declaration, text: str) -> Iterable[Declaration]:
    assert plain.schema.text is not None
    described = json.dumps({**json.loads(plain.schema.text), "description": text})
    yield replace(plain, usage_text=replace(plain.usage_text, value=text))
    yield replace(plain, tool_name=replace(plain.tool_name, value=text))
    yield replace(
        plain,
        schema=replace(plain.schema, text=described),
        schema_again=replace(plain.schema_again, text=described),
    )


def _calls(plain: Call, text: str) -> Iterable[Call]:
    assert plain.result is not None
    for payload in (text, json.dumps({"x": text}), json.dumps({text: [text]})):
        yield replace(plain, result=replace(plain.result, payload=payload))
    failed = replace(plain.result, successful=False, payload=None, error_message=text)
    yield replace(plain, result=failed)
    yield replace(plain, logs=(LogRecord("add_error", "[Tag]", text, pairs=((text, text),)),))
    yield replace(plain, stdout=Output(text, len(text)))
