"""Mutations of ours beside cosmic-ray's own: what a rule's author gets wrong that no arithmetic mutant shows.

cosmic-ray leaves `in`, `any` and `all`, return values and arguments alone, and rules are made of those.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import parso
from cosmic_ray.operators.operator import Operator

Position = tuple[tuple[int, int], tuple[int, int]]


class Membership(Operator):
    """`in` becomes `not in`, and the other way round."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where the operators of comparisons are."""
        if node.type == "comparison":
            for sign in node.children[1::2]:
                if sign.get_code().split() in (["in"], ["not", "in"]):
                    yield sign.start_pos, sign.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """The comparison with the other operator."""
        signs = [
            n
            for n, child in enumerate(node.children)
            if n % 2 and child.get_code().split() in (["in"], ["not", "in"])
        ]
        was = node.children[signs[index]].get_code().split()
        node.children[signs[index]] = parso.parse(" in" if "not" in was else " not in")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants them for its own tests."""
        return ()


class AnyAll(Operator):
    """`any(` becomes `all(`, and the other way round."""

    other: ClassVar = {"any": "all", "all": "any"}

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where either is called."""
        if node.type == "name" and node.value in self.other and _is_called(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 - one a node
        """The other name."""
        node.value = self.other[node.value]
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants them for its own tests."""
        return ()


class ReturnNone(Operator):
    """`return value` becomes `return None`: a rule that never finds, a predicate that never holds."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where a value is returned."""
        if node.type == "return_stmt" and node.children[1].get_code().strip() != "None":
            yield node.children[1].start_pos, node.children[1].end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 - one a node
        """The statement without its value."""
        node.children[1] = parso.parse(" None")
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants them for its own tests."""
        return ()


class DropPredicate(Operator):
    """`both(a, b)` becomes `both(b)`: a rule that is for more observations than it should be."""

    callers: ClassVar = ("both", "any_call", "_any")

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where each of several arguments of a combinator of predicates stands."""
        if node.type == "arglist" and _caller(node) in self.callers:
            for argument in node.children[::2]:
                yield argument.start_pos, argument.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        """The arguments without one of them and its comma."""
        at = 2 * index
        del node.children[at : at + 2]
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants them for its own tests."""
        return ()


class DropScope(Operator):
    """`@rule(…, when=f, applies=g)` for everything and for every tool."""

    everything: ClassVar = {"when": " lambda _anything: True", "applies": " lambda _anything: None"}

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        """Where a rule says what it is for."""
        if node.type == "argument" and node.children[0].get_code().strip() in self.everything:
            yield node.children[2].start_pos, node.children[2].end_pos

    def mutate(self, node: Any, index: int) -> Any:  # noqa: ARG002 - one a node
        """The argument with a function that excludes nothing."""
        node.children[2] = parso.parse(self.everything[node.children[0].get_code().strip()])
        return node

    @classmethod
    def examples(cls) -> tuple[()]:
        """None: cosmic-ray wants them for its own tests."""
        return ()


OPERATORS = {each.__name__: each for each in (Membership, AnyAll, ReturnNone, DropPredicate, DropScope)}


def _is_called(name: Any) -> bool:
    following = name.get_next_sibling()
    return following is not None and following.type == "trailer" and following.children[0] == "("


def _caller(arglist: Any) -> str:
    before = arglist.parent.get_previous_sibling() if arglist.parent.type == "trailer" else None
    return before.get_code().strip() if before is not None else ""
