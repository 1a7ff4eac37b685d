"""The interface of a probe: a source of plans for one tool.

The examination makes the planned calls, returns them to the probe, and judges them. Planning is deterministic: the same
subject and the same earlier calls give equal plans, so that calls can be memoised by their plan.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from hypothesis.strategies import SearchStrategy

from aptix_conformance.core.model import (
    Call,
    Declaration,
    DeclaredExample,
    Given,
    Shortfall,
    Stimulus,
    TargetKind,
)
from aptix_conformance.core.text import printable
from aptix_conformance.stimuli.generate import Arguments, usable_schema
from aptix_conformance.stimuli.generate.unsupported_patterns import unmade_pattern
from aptix_conformance.stimuli.generate.waits import bounded_waits
from aptix_conformance.stimuli.probes.usage_examples import usage_examples
from aptix_conformance.targets.settings import ToolSettings


@dataclass(frozen=True)
class Subject:
    """The tool that a probe plans calls for.

    `schema` is its parsed parameters schema as `usable_schema` returns it; None if it is not usable.
    `examples` is the number of calls to draw for each generating probe.
    """

    declaration: Declaration
    schema: Mapping[str, Any] | None
    settings: ToolSettings
    seed: int
    examples: int
    disturbances: frozenset[str] = frozenset()
    """The kinds of disturbance that the tool's host can make."""
    stopped: str = ""
    """Why no argument objects are made although the schema was read, as a clause; empty where some may be."""
    file_names: tuple[str, ...] = ()
    """Names of files that the author gives the tool, relative to its working directory."""
    ask_listing_tools: Callable[[], tuple[str, ...]] = tuple
    """Asks the tools of the same server that list something (`ToolHost.ask_listing_tools`)."""

    @property
    def tool(self) -> str:
        """The tool's name, or the name of its class if it declares none."""
        return self.declaration.tool_name.value or self.declaration.class_name

    @property
    def given(self) -> frozenset[Given]:
        """The parts of a call that the tool receives, such as `text` or `token`."""
        return self.declaration.traits.given

    @cached_property
    def arguments(self) -> Arguments | None:
        """The generator of argument objects; None if the schema or the configured narrowing is not usable."""
        if self.schema is None:
            return None
        examples = [example.arguments for example in self.settings.examples]
        examples += [example.arguments for example in (*self._listed, *self._usage_examples)]
        try:
            return Arguments(self.schema, self.settings.arguments, examples)
        except ValueError:  # the narrowing, alone or with the schema, is not a JSON Schema
            return None

    @cached_property
    def listing_answers(self) -> tuple[str, ...]:
        """What the tools of the same server answer that list something; they are asked once, and only where it is needed."""
        return self.ask_listing_tools()

    @property
    def bounded_waits(self) -> frozenset[str]:
        """The arguments that ask for a wait, and that calls hold to a second or what an example shows."""
        return frozenset(bounded_waits(self.schema or {}))

    @cached_property
    def declared_examples(self) -> tuple[DeclaredExample, ...]:
        """The examples that the tool's own declaration lists and whose arguments its schema allows."""
        return self._allowed(self._listed)

    @cached_property
    def shown_examples(self) -> tuple[DeclaredExample, ...]:
        """Those that its usage text shows and its schema allows; none where examples are configured or listed."""
        return self._allowed(self._usage_examples)

    def _allowed(self, examples: Sequence[DeclaredExample]) -> tuple[DeclaredExample, ...]:
        arguments = self.arguments
        return tuple(sample for sample in examples if arguments and arguments.judge.allows(sample.arguments))

    @property
    def _listed(self) -> Sequence[DeclaredExample]:
        return self.declaration.facts.examples() if self.declaration.facts else ()

    @property
    def _usage_examples(self) -> Sequence[DeclaredExample]:
        if self._listed or self.settings.examples:
            return ()
        shown = usage_examples(self.declaration.usage_text.value or "")
        return [DeclaredExample(number, arguments) for number, arguments in enumerate(shown, start=1)]

    def unusable(self) -> str | None:
        """Why no argument objects can be generated, as a sentence for people; None if they can."""
        if self.schema is None:
            return self.stopped or usable_schema(self.declaration)[1] or "the schema is not usable"
        if self.arguments is None:
            return "`arguments` in the configuration is not a JSON Schema: fix it"
        if self.arguments.minimal() is not None:
            return None
        if self.settings.arguments and Arguments(self.schema).minimal() is not None:
            place = self.settings.places.get("arguments", "the configuration's `arguments`")
            return f"{place} leaves nothing of what the schema allows: widen it, or give an example that both allow"
        pattern = unmade_pattern(self.schema)
        if pattern is not None:
            return (
                f"this suite can make no text for the pattern {printable(pattern)}; give a call in `examples`"
            )
        return "no arguments were found that the schema allows: fix the schema, or give an example"


@runtime_checkable
class Probe(Protocol):
    """One way of exercising a tool. A third party's probe subclasses this: later additions have a default here."""

    @property
    def name(self) -> str:
        """The probe's name, which is part of its plans."""

    @property
    def of(self) -> TargetKind:
        """The kind of target that it exercises: tools, or the servers that offer them."""
        return "tool"

    @property
    def in_sequence(self) -> bool:
        """Whether its calls must see what earlier ones left, in the tool's files too."""
        return False

    @property
    def apart(self) -> frozenset[str]:
        """Which of its calls need nothing of one another, neither to be planned nor to be judged: `fixed`, `drawn` or both."""
        return frozenset()

    @property
    def in_fresh_process(self) -> bool:
        """Whether its first call needs a process that no other probe's call was made in."""
        return False

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """The plans that always run, in order. `calls` holds the calls made so far, those of earlier probes too.

        `calls` grows while the plans run: after a plan was yielded, its call is the last element.
        """

    def together(self, subject: Subject, calls: Sequence[Call]) -> Iterator[tuple[Stimulus, ...]]:
        """Groups of plans, each run at the same time, after the fixed ones; `calls` holds those of this probe by now."""
        return iter(())

    def drawn(self, subject: Subject, calls: Sequence[Call]) -> SearchStrategy[Stimulus] | None:
        """A strategy for further plans, to draw from and to shrink over; None where there are none."""
        return None

    def shortfall(self, subject: Subject, calls: Sequence[Call]) -> Shortfall | None:
        """The calls that this probe could not plan, and why; None where it planned all.

        `calls` holds its own fixed calls by now.
        """
        return None

    def bases(self, subject: Subject, calls: Sequence[Call]) -> Sequence[str]:
        """The argument texts of the few calls that all of its own are made from; none where it does not choose a few.

        The report says how many listed values of the schema are in none of them.
        """
        return ()
