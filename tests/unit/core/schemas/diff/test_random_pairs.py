"""Random pairs of schemas: no `compatible` is ever refuted, and every `breaking` has its witness.

The pairs come from a grammar of schemas and one of mutations, both written down here and drawn with a seed. Who
judges is the reference validator `jsonschema`, by a reading of the promise that is written down here a second time.
"""

import copy
import itertools
import random
from collections import Counter

import jsonschema
import jsonschema_rs
import pytest

from aptix_conformance.core.schemas.diff import ChangeClass, ToolSchema, compare, promised
from aptix_conformance.stimuli.generate import counterparts
from aptix_conformance.stimuli.generate.witness import find_witness

PAIRS = 480
"""The first of the pairs; tests/acceptance/test_random_pairs.py draws more."""
PARTS = 8
NAMES = ("city", "unit", "units", "limit", "tags", "filter", "note")
WORDS = ("a", "b", "c", "C", "F", "oslo")
PATTERNS = ("^[a-z]+$", "^[a-c]+$", "\\S", "^a", "^ab")
FORMATS = ("date", "email", "uuid")


# ---- schemas


def scalar(draw):
    """A schema of one scalar type, with up to two keywords."""
    kind = draw.choice(["string", "integer", "number", "boolean", "enum", "null"])
    if kind == "enum":
        return {"enum": draw.sample(WORDS, draw.randint(1, 4))}
    node = {"type": kind}
    if kind == "string" and draw.random() < 0.6:
        node |= draw.choice(
            [
                {"minLength": draw.randint(0, 3)},
                {"maxLength": draw.randint(1, 6)},
                {"pattern": draw.choice(PATTERNS)},
                {"format": draw.choice(FORMATS)},
            ]
        )
    if kind in ("integer", "number") and draw.random() < 0.6:
        node |= draw.choice(
            [
                {"minimum": draw.randint(-3, 3)},
                {"maximum": draw.randint(1, 9)},
                {"exclusiveMinimum": draw.randint(-2, 2)},
                {"multipleOf": draw.choice([1, 2, 3, 4])},
                {"minimum": 0, "maximum": 5},
            ]
        )
    return node


def node(draw, depth=0):  # noqa: PLR0911 - a table
    """Any schema of the grammar."""
    if depth >= 2 or draw.random() < 0.6:
        return scalar(draw)
    kind = draw.choice(["object", "array", "anyOf", "oneOf", "ref", "nullable", "allOf", "rare"])
    if kind == "rare":
        return rare(draw, depth + 1)
    if kind == "object":
        return an_object(draw, depth + 1)
    if kind == "array":
        array = {"type": "array", "items": node(draw, depth + 1)}
        if draw.random() < 0.4:
            array |= draw.choice(
                [{"minItems": draw.randint(0, 2)}, {"maxItems": draw.randint(1, 3)}, {"uniqueItems": True}]
            )
        return array
    if kind in ("anyOf", "oneOf"):
        return {kind: [node(draw, depth + 1) for _ in range(draw.randint(1, 3))]}
    if kind == "ref":
        return {"$ref": f"#/$defs/{draw.choice(['one', 'two', 'tree'])}"}
    if kind == "nullable":
        return {"anyOf": [node(draw, depth + 1), {"type": "null"}]}
    return {"allOf": [an_object(draw, depth + 1), an_object(draw, depth + 1)]}


def rare(draw, depth):
    """A schema with a keyword that few tools use."""
    return draw.choice(
        [
            lambda: {
                "type": "array",
                "prefixItems": [node(draw, depth), scalar(draw)],
                "items": scalar(draw),
            },
            lambda: {"type": "array", "items": scalar(draw), "contains": scalar(draw)},
            lambda: {"type": "object", "patternProperties": {draw.choice(PATTERNS): scalar(draw)}},
            lambda: {"type": "object", "propertyNames": {"maxLength": draw.randint(1, 4)}},
            lambda: {**an_object(draw, depth), "minProperties": draw.randint(0, 2)},
            lambda: {**an_object(draw, depth), "maxProperties": draw.randint(0, 3)},
            lambda: {
                **an_object(draw, depth),
                "dependentRequired": {draw.choice(NAMES): [draw.choice(NAMES)]},
            },
            lambda: {
                **an_object(draw, depth),
                "anyOf": [{"required": [name]} for name in draw.sample(NAMES, 2)],
            },
            lambda: {"not": scalar(draw)},
            lambda: {
                "type": ["string", "integer"],
                "minLength": draw.randint(0, 2),
                "minimum": draw.randint(0, 2),
            },
            lambda: {"const": draw.choice([*WORDS, 1, None, True])},
            lambda: {"if": scalar(draw), "then": scalar(draw), "else": scalar(draw)},
        ]
    )()


def an_object(draw, depth=0):
    """An object with a few members; sometimes it says what others it takes."""
    names = draw.sample(NAMES, draw.randint(0, 4))
    made = {
        "type": "object",
        "properties": {name: node(draw, depth) for name in names},
        "required": [name for name in names if draw.random() < 0.4],
    }
    if draw.random() < 0.25:
        made["additionalProperties"] = draw.choice([True, False, {"type": "string"}])
    return made


def a_root(draw):
    """A parameters schema with its definitions."""
    tree = {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}, "size": scalar(draw)},
    }
    return {**an_object(draw), "$defs": {"one": scalar(draw), "two": an_object(draw, 2), "tree": tree}}


# ---- mutations


def places(schema, found=None):
    """Every node of a schema that can be changed."""
    found = [] if found is None else found
    if isinstance(schema, dict):
        found.append(schema)
        for keyword in ("properties", "$defs"):
            for inner in schema.get(keyword, {}).values():
                places(inner, found)
        for keyword in ("anyOf", "oneOf", "allOf"):
            for inner in schema.get(keyword, []):
                places(inner, found)
        for keyword in ("items", "additionalProperties"):
            places(schema.get(keyword), found)
    return found


def mutated(draw, schema):
    """The schema with some small changes: at least one that promises something else, nine times out of ten."""
    changed = copy.deepcopy(schema)
    for _ in range(draw.randint(1, 3)):
        mutate(draw, changed)
    for _ in range(20 if draw.random() < 0.9 else 0):
        if promised(changed) != promised(schema):
            break
        mutate(draw, changed)
    return changed


NUDGED = {"enum", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
FITTING = {
    "members": {"properties"},
    "required": {"properties"},
    "nudge": NUDGED,
    "branch": {"anyOf", "oneOf", "allOf"},
}
"""What a node must have one of to be changed so; any node will do for the others."""


def mutate(draw, schema):  # noqa: C901, PLR0912 - a table
    """One small change at one of the nodes where it can be made."""
    change = draw.choice(
        ["keyword", "nudge", "drop", "members", "required", "more", "branch", "replace", "words"]
    )
    nodes = places(schema)
    at = draw.choice([found for found in nodes if found.keys() & FITTING.get(change, found.keys())] or nodes)
    if change == "keyword":
        at |= {key: value for key, value in scalar(draw).items() if key != "type"}
    elif change == "nudge":
        nudge(draw, at)
    elif change == "drop":
        removable = [key for key in at if key not in ("$defs", "$ref")]
        if removable:
            del at[draw.choice(removable)]
    elif change == "members" and "properties" in at:
        name = draw.choice(NAMES)
        if at["properties"].pop(name, None) is None:
            at["properties"][name] = node(draw, 1)
    elif change == "required" and at.get("properties"):
        at["required"] = sorted(set(at.get("required", ())) ^ {draw.choice(list(at["properties"]))})
    elif change == "more":
        at["additionalProperties"] = draw.choice([True, False, scalar(draw)])
    elif change == "branch":
        for keyword in ("anyOf", "oneOf", "allOf"):
            if keyword in at:
                at[keyword] = [*at[keyword][draw.randint(0, 1) :], node(draw, 1)]
    elif change == "replace" and "$defs" not in at:
        at.clear()
        at |= node(draw, 1)
    elif change == "words":
        at["description"] = draw.choice(WORDS)


def nudge(draw, at):
    """One listed value more or less, one bound a little further or nearer."""
    if "enum" in at:
        at["enum"] = sorted(set(at["enum"]) ^ {draw.choice(WORDS)}) or ["a"]
    for keyword in sorted(
        at.keys() & {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}
    ):
        at[keyword] = max(at[keyword] + draw.choice([-1, 1]), 0)


# ---- the check


def compared(old, new):
    return compare(
        ToolSchema({"name": "t", "parameters": old}),
        ToolSchema({"name": "t", "parameters": new}),
        find_witness,
    )


class Refuter:
    """Looks for what speaks against a verdict, by other means than the search for witnesses."""

    def __init__(self, old, new):
        self.old, self.new = promised(old), promised(new)
        self.letter = validator(new)
        self.judges = [validator(self.old), validator(self.new)]
        self.reference = [
            jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
            for schema in (self.old, self.new)
        ]

    def counterexample(self, draw):
        """A value that the old promise allows and the new one refuses."""
        for value in self.values(draw):
            if self.judges[0].is_valid(value) and not self.judges[1].is_valid(value):
                assert self.reference[0].is_valid(value)
                assert not self.reference[1].is_valid(value)
                return value
        return None

    def values(self, draw):
        edges = counterparts.Counterparts(mapping(self.old), mapping(self.new)).values(self.old, self.new)
        yield from itertools.islice(edges, 200)
        yield from (a_value(draw, self.old, self.old) for _ in range(60))

    def beyond_the_letter(self, draw):
        """A value that the promise allows and the schema as written does not."""
        for value in (a_value(draw, self.new, self.new) for _ in range(40)):
            if self.judges[1].is_valid(value) and not self.letter.is_valid(value):
                return value
        return None


def validator(schema):
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def mapping(schema):
    return schema if isinstance(schema, dict) else {}


def a_value(draw, at, root, depth=0):  # noqa: PLR0911 - a table
    """A value that a node in normal form is likely to allow, drawn by other means than the search for witnesses."""
    if not isinstance(at, dict) or depth > 6 or draw.random() < 0.03:
        return draw.choice(["a", "abc", "", 0, 1, 4, 0.5, None, True, [], {}, ["a"], {"city": "a"}])
    if "$ref" in at:
        return a_value(draw, root["$defs"][at["$ref"].rpartition("/")[2]], root, depth + 1)
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in at and draw.random() < 0.8:
            return (
                a_value(draw, {**at, keyword: [], **mapping(draw.choice(at[keyword]))}, root, depth + 1)
                if at[keyword]
                else None
            )
    if "enum" in at:
        return draw.choice(at["enum"])
    kind = draw.choice(at.get("type") or ["string", "integer", "null", "object"])
    if kind == "object":
        names = [*at.get("properties", {}), *at.get("required", ())]
        if at.get("additionalProperties") is not False:
            names += draw.sample(NAMES, 2)
        chosen = {name for name in names if name in at.get("required", ()) or draw.random() < 0.5}
        rest = at.get("additionalProperties", True)
        return {
            name: a_value(draw, at.get("properties", {}).get(name, rest), root, depth + 1) for name in chosen
        }
    if kind == "array":
        return [a_value(draw, at.get("items", True), root, depth + 1) for _ in range(draw.randint(0, 3))]
    texts = ["", "a", "ab", "abc", "oslo", "A b", "2024-02-29", "ada@example.com", "x" * 7]
    return {
        "string": draw.choice(texts),
        "integer": draw.randint(-4, 13),
        "number": draw.choice([draw.randint(-4, 13), draw.randint(-8, 20) / 2, 0.25]),
        "boolean": draw.random() < 0.5,
        "null": None,
    }[kind]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_pairs_keep_the_promise(part):
    keep_the_promise(range(part, PAIRS, PARTS))


def keep_the_promise(indices):
    """Assert it of the pairs with these numbers, and that enough of them are breaking, compatible and known."""
    seen = Counter()
    for index in indices:
        draw = random.Random(index)
        old = a_root(draw)
        new = mutated(draw, old)
        found = compared(old, new)
        seen[found.change_class] += 1
        refuter = Refuter(old, new)
        assert refuter.beyond_the_letter(draw) is None, (index, new)
        if found.change_class is ChangeClass.BREAKING:
            assert validator(old).is_valid(found.witness), (index, found)
            assert [judge.is_valid(found.witness) for judge in refuter.reference] == [True, False], (
                index,
                found,
            )
        elif found.change_class is not ChangeClass.UNKNOWN:
            assert found.witness is None
            assert refuter.counterexample(draw) is None, (index, found)
            if found.change_class is not ChangeClass.COMPATIBLE:
                assert Refuter(new, old).counterexample(draw) is None, (index, found)
    share = len(indices)
    assert seen[ChangeClass.BREAKING] > share / 5
    assert seen[ChangeClass.COMPATIBLE] > share / 10
    assert seen[ChangeClass.UNKNOWN] < share / 20
