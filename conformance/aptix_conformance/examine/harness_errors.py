"""Errors of the suite itself in one examination: each is kept, with the rules that could not be judged because of it.

The phases go on with what is known. A finding stays a finding; another rule that an error concerns is inconclusive. Where
no process can be had for the tool any more, nothing further is asked of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from aptix_conformance.core.errors import ConformanceError, HarnessError, HostError, ShortageError, own_fault
from aptix_conformance.hosts.host import ToolHost

T = TypeVar("T")


@dataclass(slots=True)
class HarnessErrors:
    """The errors of the suite while it examined one tool; `host` is that tool's process, if it is asked for anything."""

    host: ToolHost | None = None
    found: dict[str, HarnessError] = field(default_factory=dict)
    """The first error of each phase, by the phase."""
    by_rule: dict[str, str] = field(default_factory=dict)
    """By the code of a rule that could not be judged: the phase of the first error that concerns it."""
    _lost: Exception | None = None
    """Why no process can be had any more."""

    def add(self, phase: str, error: Exception, rules: Iterable[str]) -> None:
        """Keep an error; `rules` are the codes of those that could not be judged."""
        if phase not in self.found:
            self.found[phase] = own_fault(error, phase)
        for code in rules:
            self.by_rule.setdefault(code, phase)

    @property
    def reasons(self) -> dict[str, str]:
        """By the code of a rule: why it could not be judged."""
        return {code: str(self.found[phase]) for code, phase in self.by_rule.items()}

    def attempt(
        self,
        phase: str,
        rules: Iterable[str],
        work: Callable[[], T],
        otherwise: Callable[[], T],
        *,
        asks_tool: bool = False,
    ) -> T:
        """The result of some work; where the suite fails, the result of `otherwise`.

        Args:
            phase: what the work is, as in "the suite failed while …".
            rules: the codes of the rules that are not judged without it.
            work: does it.
            otherwise: gives what is known without it.
            asks_tool: it needs the tool's process, which is a fresh one after an error: nobody knows what the old one is at.

        Raises:
            ConformanceError: what is no error of the suite, such as a tool that cannot be read any more, or a full disk.
        """
        if asks_tool and self._lost is not None:
            self.add(phase, self._lost, rules)
            return otherwise()
        try:
            return work()
        except HostError as error:
            self._lost = error if asks_tool else self._lost
            self.add(phase, error, rules)
        except ConformanceError:
            raise
        except Exception as error:
            if full := ShortageError.behind(error):
                raise full from error
            self.add(phase, error, rules)
            if asks_tool and self.host is not None:
                self.attempt(
                    f"{phase}, and starting it afresh", (), self.host.reset, lambda: None, asks_tool=True
                )
        return otherwise()
