"""Tools in memory that keep what they are sent, and the calls that the probes on concurrent updates make of them."""

import json

from aptix_conformance.core.model import Call, Change, Kind, Outcome, Result, ResultError, kept_files
from aptix_conformance.core.model.codec import replace
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes import (
    AtOnceProbe,
    InReverseProbe,
    InTurnProbe,
    KeepingProbe,
    NeighboursProbe,
)
from aptix_conformance.stimuli.probes.planning import plan

SCHEMA = {
    "type": "object",
    "properties": {"kind": {"enum": ["bird", "fish"]}, "entity": {"type": "string"}},
    "required": ["kind", "entity"],
}
ARGUMENTS = {"kind": "bird", "entity": "Ada"}


class Keeper:
    """Keeps entities in `graph.json`; a subclass says what goes wrong with calls at the same time."""

    def __init__(self):
        self.kept = []

    def call(self, arguments):
        """The payload, or a text why not."""
        self.kept.append(arguments["entity"])
        return {"kept": arguments["entity"]}

    def calls_at_once(self, given):
        return [self.call(arguments) for arguments in given]

    def files(self):
        return {"graph.json": json.dumps(self.kept)}


class LosingKeeper(Keeper):
    """Each call has read what was there before all of them."""

    def calls_at_once(self, given):
        before, answers = list(self.kept), []
        for arguments in given:
            self.kept = list(before)
            answers.append(self.call(arguments))
        return answers


class Observed:
    """The calls of the probes, of one tool after another in fresh processes."""

    def __init__(self, make_tool, subject, arguments=None):
        self._make_tool, self.subject, self.calls = make_tool, subject, []
        self._tool = make_tool()
        first = write(arguments or ARGUMENTS)
        self._make([plan(subject, "valid", Change(Kind.EXAMPLE, number=1), first)])

    def run(self):
        for probe in (NeighboursProbe(), KeepingProbe(), InTurnProbe(), InReverseProbe(), AtOnceProbe()):
            self._tool = self._make_tool()
            for each in probe.fixed(self.subject, self.calls):
                self._make([each])
            for group in probe.together(self.subject, self.calls):
                self._make(group)
        return self

    def of(self, probe):
        return [call for call in self.calls if call.plan.probe == probe]

    def _make(self, plans):
        together = [each for each in plans if each.kind is Kind.TOGETHER]
        alone = [each for each in plans if each.kind is not Kind.TOGETHER]
        given = [json.loads(each.arguments) for each in together]
        answers = self._tool.calls_at_once(given) if given else []
        answers += [None] * len(alone)
        for each, made in zip([*together, *alone], answers, strict=True):
            is_made = each.kind is Kind.TOGETHER
            answer = made if is_made else self._tool.call(json.loads(each.arguments))
            call = Call(each, Outcome.RETURNED, 0.001, _result(answer))
            if kept_files.looks_at_files(each):
                call = replace(call, files=tuple(sorted(self._tool.files().items())))
            self.calls.append(call)


def _result(answer):
    if isinstance(answer, str):
        return Result("InvokeResult", True, False, errors=(ResultError(answer),), error_message=answer)
    return Result("InvokeResult", True, True, json.dumps(answer), "str")
