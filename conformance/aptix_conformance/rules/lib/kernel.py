"""What a rule is.

A rule is a pure function over one observation (a `Declaration` or a `Call`) or over a whole `Exploration`. It
answers with a `Finding` where the contract is broken and with None where it is kept; it does no I/O, draws
nothing and remembers nothing. Which observations it is for is a predicate beside it, `when`, and which tools
it is for another, `applies`, so that "was not examined" and "is not concerned" are never mistaken for "pass".

Levels are not written here. A rule cites clauses; its level in an edition is the strongest of theirs. A rule
that reads prose is capped at SHOULD, and so is one that is our own good practice. A rule on what a system's real
orchestrator does to a tool (`runtime`) is a MUST, since the tool is of no use without; its docstring tells the fact.
Both of these bind the systems whose practice adopts them; the practice of a system stands beside its clauses.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

from aptix_conformance.contracts import Edition, Level
from aptix_conformance.errors import ContractDataError
from aptix_conformance.model import Call, Declaration, Exploration

Source = Literal["contract", "runtime", "suite"]
Unseen = Literal["inconclusive", "not_applicable"]
Subject = type[Declaration] | type[Call] | type[Exploration]

CODE = re.compile(r"(?P<owner>[A-Z][A-Z0-9]*-)?(?P<area>[A-Z]{3})\d{3}")
"""An area and three digits; a third party puts a prefix of its own before it (`ACME-NET001`)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the tool did that the contract forbids: a sentence for a person, in the past tense.

    `call` is the call that shows it, where a rule over a whole exploration can name one.
    """

    message: str
    call: Call | None = None


def always(_observation: Any) -> bool:
    """The `when` of a rule that is for every observation of its kind."""
    return True


def every_tool(_declaration: Declaration) -> str | None:
    """The `applies` of a rule that is for every tool."""
    return None


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with all that a reader needs to know of it."""

    code: str
    """See `CODE`; never used again for another rule."""
    name: str
    """Kebab case, from the function's name."""
    demand: str
    """What the contract demands, in our own words: the first paragraph of the rule's page."""
    why: str
    """The rest of the docstring: the reason for it."""
    clauses: tuple[str, ...]
    over: Subject
    check: Callable[[Any], Finding | None]
    remedy: str
    """What to do about a finding."""
    when: Callable[[Any], bool] = always
    unseen_reason: str = "nothing of the kind was seen"
    """What was missing where no observation applied: completes "not examined: …"."""
    applies: Callable[[Declaration], str | None] = every_tool
    """Why a tool is not concerned by the rule, or None where it is."""
    source: Source = "contract"
    advice: bool = False
    """Reads prose or guesses intent, so that it is at most a SHOULD."""
    if_unseen: Unseen = "inconclusive"
    """The verdict where calls were made and none of them was for this rule: `not_applicable` for a rule on
    what a tool may do but need not (log a custom event, have a required argument)."""
    systems: tuple[str, ...] = ()
    """Where a rule that is not the contract's own binds besides the systems that adopt it (`Edition.adopted`)."""

    def level(self, edition: Edition) -> Level | None:
        """How strongly the rule binds in an edition; None where it does not bind there at all."""
        if self.source != "contract":
            own = Level.SHOULD if self.source == "suite" or self.advice else Level.MUST
            return own if self.code in edition.adopted or edition.system in self.systems else None
        level = edition.level(self.clauses)
        if level is None and self.code in edition.advised:
            return Level.SHOULD
        return Level.SHOULD if self.advice and level is Level.MUST else level


class Options(TypedDict, total=False):
    """What a rule may say of itself besides; `Rule` says what each means, and its default."""

    when: Callable[[Any], bool]
    unseen_reason: str
    applies: Callable[[Declaration], str | None]
    source: Source
    advice: bool
    if_unseen: Unseen
    systems: tuple[str, ...]


def rule(
    code: str, *clauses: str, over: Subject, remedy: str, **options: Unpack[Options]
) -> Callable[[Callable[[Any], Finding | None]], Rule]:
    """Make a rule of a function; its name and docstring become the rule's.

    Raises:
        ContractDataError: a code out of form, a contract rule without clauses, or no docstring.
    """

    def make(check: Callable[[Any], Finding | None]) -> Rule:
        if not CODE.fullmatch(code):
            raise ContractDataError(
                f"{check.__name__}: {code!r} is no rule code: an area of three letters and three digits"
            )
        if options.get("source", "contract") == "contract" and not clauses:
            raise ContractDataError(f"{code}: a rule of the contract's cites the clauses that it proves")
        demand, _, why = (check.__doc__ or "").strip().partition("\n\n")
        if not demand:
            raise ContractDataError(f"{code}: the docstring of a rule is its page; this one is empty")
        return Rule(
            code=code,
            name=check.__name__.replace("_", "-"),
            demand=_one_paragraph(demand),
            why="\n\n".join(_one_paragraph(part) for part in why.split("\n\n")),
            clauses=clauses,
            over=over,
            check=check,
            remedy=remedy,
            **options,
        )

    return make


def rules_in(namespaces: Iterable[object]) -> tuple[Rule, ...]:
    """Every rule found in some modules, and every rule named itself, sorted by code.

    Raises:
        ContractDataError: two rules share a code.
    """
    found: dict[str, Rule] = {}
    for namespace in namespaces:
        values = (namespace,) if isinstance(namespace, Rule) else vars(namespace).values()
        for value in values:
            if isinstance(value, Rule) and found.setdefault(value.code, value) is not value:
                raise ContractDataError(f"two rules have the code {value.code}")
    return tuple(found[code] for code in sorted(found))


def _one_paragraph(text: str) -> str:
    return " ".join(text.split())
