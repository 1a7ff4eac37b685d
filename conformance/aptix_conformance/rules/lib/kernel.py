"""What a rule is.

A rule is a pure function over one observation (a `Declaration` or a `Call`) or over a whole `Exploration`. It
returns a `Finding` where the contract is broken and None where it is kept; a rule that can find several things yields a
`Finding` for each. It does no I/O, uses no randomness and keeps no state. The predicate `when` selects the observations of a rule, and `applies` selects its tools. So "not
examined" and "does not apply" are never mistaken for "pass".

A rule cites clauses; its level in an edition is the strongest level of these clauses. A rule that reads prose is at
most a SHOULD, and so is a rule of the suite's own good practice (`suite`). A rule on what a system's real orchestrator
does to a tool (`runtime`) is a MUST, because the tool is useless without it; the rule's docstring states that fact.
Rules of both sources bind the systems that adopt them; a system lists the rules that it adopts beside its clauses.

One fault breaks one rule. A rule that sees a fault which another rule reports says so: its finding names that rule in
`defers_to`. The examination decides what follows (`examine/masks.py`): no rule gives way by keeping silent.
"""

import inspect
import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from aptix_conformance.core.contracts import Edition, Level
from aptix_conformance.core.errors import ContractDataError
from aptix_conformance.core.model import Call, Declaration, Exploration, TargetKind
from aptix_conformance.targets.settings import ToolSettings

Practice = Literal["runtime", "suite"]
Source = Literal["contract"] | Practice
Subject = type[Declaration] | type[Call] | type[Exploration]
Observed = Declaration | Call | Exploration

CODE = re.compile(r"(?P<owner>[A-Z][A-Z0-9]*-)?(?P<area>[A-Z]{3})\d{3}")
"""An area and three digits; third parties add their own prefix (`ACME-NET001`), and must where the area is one of the suite's."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach of the contract: a sentence for people that says, in the past tense, what the tool did.

    The message repeats neither the call's arguments nor what the suite did to it: every report shows both beside it.
    `call` is the call that shows it, if a rule over a whole exploration can name one.
    """

    message: str
    call: Call | None = None
    defers_to: str = ""
    """The code of the rule that reports the same fault: this finding counts only where that rule is kept or binds less."""
    cause: Hashable = ()
    """The difference from the rule's other findings: findings of one cause count as one. `Rule.differs_by` says what it is."""
    declaration: Declaration | None = None
    """The reading that shows it, if a rule over a whole exploration can name one."""
    timed: bool = False
    """It rests on a measured time: it counts only if it is reproduced."""
    not_its_own: bool = False
    """With `defers_to`: the fault is never this rule's, however much less the other rule binds."""


Judgement = Finding | Iterable[Finding] | None
"""The result of the function of a rule."""


@dataclass(frozen=True, slots=True)
class AnyCall:
    """The `when` of a rule over explorations that judges the calls for which a predicate holds: there is one."""

    predicate: Callable[[Call], bool]

    def __call__(self, exploration: Exploration) -> bool:
        """Whether the exploration has such a call."""
        return any(map(self.predicate, exploration.calls))


@dataclass(frozen=True, slots=True)
class Precondition:
    """The `when` of rules that have nothing to judge where certain other rules are broken."""

    holds: Callable[[Any], bool]
    otherwise: str
    """Why it does not hold: the `unseen_reason` of a rule that gives none of its own."""
    reported_by: tuple[str, ...]
    """The rules whose breach may be why it does not hold. They mask a rule that judged nothing."""

    def __call__(self, observation: Observed) -> bool:
        """Whether it holds for an observation."""
        return self.holds(observation)

    def also(self, holds: Callable[[Any], bool], otherwise: str, *reported_by: str) -> "Precondition":
        """This precondition and one more; `reported_by` are further rules."""
        return Precondition(
            lambda observation: self.holds(observation) and holds(observation),
            otherwise,
            (*self.reported_by, *reported_by),
        )


@dataclass(frozen=True, slots=True)
class NoSuccess:
    """The `unseen_reason` of a rule that judges what calls that succeed show: the suite adds why none succeeded."""

    reason: str = ""
    """What comes before that. Where it is empty, the reason of a `Precondition`, if there is one."""


def always(_value: Any) -> bool:
    """The `when` of a rule that judges every observation of its kind, and the `asked_for` of one whose calls need no setting."""
    return True


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The `unseen_reason` of a rule that does not apply where it judged nothing.

    It is a rule on optional behaviour, such as logging a custom event, or one whose calls a tool's configuration has to ask for.
    """

    reason: str
    """Why it does not apply; where a configuration can ask for its calls, also how."""
    asked_for: Callable[[ToolSettings], bool] = always
    """Whether a configuration asks for its calls."""
    otherwise: str = ""
    """Why it judged nothing where they were asked for: it is inconclusive then. Where it is empty, it does not apply then either."""


@dataclass(frozen=True, slots=True)
class OwnPractice:
    """The `source` of a rule that binds some systems although they do not adopt it: one of a third party's."""

    source: Practice
    systems: tuple[str, ...]


def precondition(
    otherwise: str, *reported_by: str
) -> Callable[[Callable[[Declaration], bool]], Precondition]:
    """Turn a predicate on declarations into a precondition."""
    return lambda holds: Precondition(holds, otherwise, reported_by)


def probe_of(call: Call) -> Hashable:
    """The `kind` of a rule that names no finer one: the probe that made the call."""
    return call.plan.probe


def every_tool(_declaration: Declaration) -> str | None:
    """The `applies` of a rule that judges every tool."""
    return None


@dataclass(frozen=True, slots=True)
class Rule:
    """A check and its metadata: code, name, text, clauses, and what it applies to."""

    code: str
    """In the form of `CODE`; never reused for another rule."""
    name: str
    """Kebab case, from the function's name."""
    demand: str
    """The demand of the contract in the suite's words: the first paragraph of the rule's page."""
    why: str
    """The rest of the docstring: the reason for it."""
    clauses: tuple[str, ...]
    over: Subject
    """The type of the observation that the function takes."""
    judge: Callable[[Any], Judgement]
    """The rule's function; `findings` and `check` read what it gives."""
    remedy: str
    """How to fix what a finding reports."""
    differs_by: str = ""
    """What makes two findings different, as a noun phrase for what `Finding.cause` holds: "the argument", "the kind of
    leak". It completes "Two findings are different where they differ in …". Empty for a rule that finds one thing only: all
    its findings count as one."""
    when: Callable[[Any], bool] = always
    """Which observations it judges."""
    unseen_reason: str = ""
    """Why no observation applied; completes the sentence "not examined: …". Where it is empty, nothing of the kind was seen."""
    not_applicable: str = ""
    """Why it does not apply where calls were made and it judged none of them: the reason of `NotApplicable`."""
    needs_success: bool = False
    """It judges what calls that succeed show: where it saw nothing, the suite says why none succeeded, after `unseen_reason`.
    `rule` derives it: so does a rule on calls that gives no reason, or `NoSuccess`."""
    applies: Callable[[Declaration], str | None] = every_tool
    """Gives the reason why the rule does not apply to a tool, None if it applies."""
    source: Source = "contract"
    """Who demands it: a contract by its clauses, a system's orchestrator at run time, or the suite's good practice."""
    advice: bool = False
    """The rule reads prose or guesses intent, so it is at most a SHOULD."""
    systems: tuple[str, ...] = ()
    """Systems that a `runtime` or `suite` rule binds, in addition to those that adopt it (`Edition.adopted`); of `OwnPractice`."""
    asked_for: Callable[[ToolSettings], bool] = always
    """Whether a tool's configuration asks for the calls that it judges (`NotApplicable`). Where it does not, calls that were left
    out would have shown it nothing."""
    kind: Callable[[Call], Hashable] = probe_of
    """The kind of stimulus that a call is for this rule: the rule passes only if it could judge some call of every kind."""
    probes: tuple[str, ...] | None = None
    """The probes that make the calls by which it judges, in addition to `valid`; with them a run of this rule alone comes to the
    same verdict. None: all probes. A rule on declarations needs none."""
    of: tuple[TargetKind, ...] = ("tool",)
    """The targets that the rule judges: tools, the servers that offer them, or both."""
    masks_others: bool = False
    """A breach leaves others nothing to judge. Over calls: the call threw, did not return, or its result cannot be read. Over
    declarations: the tool cannot be called, which masks every rule that needs a call."""

    def findings(self, observation: Observed) -> tuple[Finding, ...]:
        """All findings in an observation for which `when` holds, also those that give way to another rule."""
        judged = self.judge(observation)
        if judged is None:
            return ()
        return (judged,) if isinstance(judged, Finding) else tuple(judged)

    def check(self, observation: Observed) -> Finding | None:
        """The first finding that is the rule's own; None where it is kept, or gives way to another rule."""
        return next((finding for finding in self.findings(observation) if not finding.defers_to), None)

    @property
    def is_optional(self) -> bool:
        """Whether it does not apply where it judged nothing."""
        return bool(self.not_applicable) and not self.unseen_reason

    @property
    def after(self) -> tuple[str, ...]:
        """The rules on declarations whose breach may leave this one nothing to judge. They count where it judged nothing."""
        return self.when.reported_by if isinstance(self.when, Precondition) else ()

    @property
    def judges(self) -> Callable[[Call], bool] | None:
        """Whether the rule judges a call; None for a rule that does not judge single calls."""
        if self.over is Call:
            return self.when
        when = self.when.holds if isinstance(self.when, Precondition) else self.when
        return when.predicate if isinstance(when, AnyCall) else None

    def level(self, edition: Edition) -> Level | None:
        """The rule's level in an edition; None if it does not bind there."""
        if self.source != "contract":
            own = Level.SHOULD if self.source == "suite" or self.advice else Level.MUST
            return own if self.code in edition.adopted or edition.system in self.systems else None
        level = edition.level(self.clauses)
        if level is None and self.code in edition.advised:
            return Level.SHOULD
        return Level.SHOULD if self.advice and level is Level.MUST else level


class Options(TypedDict, total=False):
    """Optional arguments of `rule`; `Rule` documents each of them and its default."""

    differs_by: str
    when: Callable[[Any], bool]
    applies: Callable[[Declaration], str | None]
    kind: Callable[[Call], Hashable]
    probes: tuple[str, ...] | None
    of: tuple[TargetKind, ...]
    masks_others: bool


def rule(
    code: str,
    *clauses: str,
    remedy: str,
    unseen_reason: str | NoSuccess | NotApplicable = "",
    source: Source | Literal["advice"] | OwnPractice = "contract",
    **options: Unpack[Options],
) -> Callable[[Callable[[Any], Judgement]], Rule]:
    """Turn a function into a rule with the function's name and docstring, over what its parameter is annotated with.

    `Rule` documents the options. A rule on calls that gives no reason why it saw nothing needs calls that succeed. The source
    `advice` is the contract, for a rule that reads prose or guesses intent.

    Raises:
        ContractDataError: the code is malformed, a contract rule cites no clause, the docstring is empty, or the parameter
            is annotated with something else than `Declaration`, `Call` and `Exploration`.
    """
    when = options.get("when")
    otherwise = when.otherwise if isinstance(when, Precondition) else ""
    optional = unseen_reason if isinstance(unseen_reason, NotApplicable) else NotApplicable("")
    reason = _reason(unseen_reason) or otherwise
    has_reason = bool(reason or optional.reason) and not isinstance(unseen_reason, NoSuccess)
    practice = source.source if isinstance(source, OwnPractice) else source

    def make(judge: Callable[[Any], Judgement]) -> Rule:
        if not CODE.fullmatch(code):
            raise ContractDataError(
                f"{judge.__name__}: {code!r} is no rule code: an area of three letters and three digits"
            )
        if practice in ("contract", "advice") and not clauses:
            raise ContractDataError(f"{code}: a rule of the contract's cites the clauses that it proves")
        demand, why = _documented(code, judge)
        over = _over(code, judge)
        return Rule(
            code=code,
            name=judge.__name__.replace("_", "-"),
            demand=demand,
            why=why,
            clauses=clauses,
            over=over,
            judge=judge,
            remedy=remedy,
            unseen_reason=reason,
            not_applicable=optional.reason,
            needs_success=not has_reason and over is not Declaration,
            source="contract" if practice == "advice" else practice,
            advice=practice == "advice",
            systems=source.systems if isinstance(source, OwnPractice) else (),
            asked_for=optional.asked_for,
            **options,
        )

    return make


def _reason(unseen: str | NoSuccess | NotApplicable) -> str:
    if isinstance(unseen, NotApplicable):
        return unseen.otherwise
    return unseen.reason if isinstance(unseen, NoSuccess) else unseen


def rules_in(namespaces: Iterable[object]) -> tuple[Rule, ...]:
    """All rules in some modules, and all rules given directly, sorted by code.

    Raises:
        ContractDataError: two rules share a code.
    """
    rules: dict[str, Rule] = {}
    for namespace in namespaces:
        values = (namespace,) if isinstance(namespace, Rule) else vars(namespace).values()
        for value in values:
            if isinstance(value, Rule) and rules.setdefault(value.code, value) is not value:
                raise ContractDataError(f"two rules have the code {value.code}")
    return tuple(rules[code] for code in sorted(rules))


def _documented(code: str, judge: Callable[[Any], Judgement]) -> tuple[str, str]:
    """What a rule demands, and why: the first paragraph of its docstring, and the others."""
    demand, _, why = (judge.__doc__ or "").strip().partition("\n\n")
    if not demand:
        raise ContractDataError(f"{code}: the docstring of a rule is its page; this one is empty")
    return _one_paragraph(demand), "\n\n".join(_one_paragraph(part) for part in why.split("\n\n"))


def _over(code: str, judge: Callable[[Any], Judgement]) -> Subject:
    annotated = [each.annotation for each in inspect.signature(judge, eval_str=True).parameters.values()]
    if annotated not in ([Declaration], [Call], [Exploration]):
        raise ContractDataError(
            f"{code}: annotate the one parameter of a rule with what it judges: Declaration, Call or Exploration"
        )
    over: Subject = annotated[0]
    return over


def _one_paragraph(text: str) -> str:
    return " ".join(text.split())
