"""Labels: what people read of a change."""

import ast
from pathlib import Path

import pytest

import aptix_conformance
from aptix_conformance.core.model import (
    CancellationPoint,
    Change,
    InjectedFault,
    Kind,
    OtherDisturbance,
    ReplacedCatalog,
)
from aptix_conformance.core.model.labels import write_label

EXAMPLE = Change(Kind.EXAMPLE, number=1)
LABELS = {
    "example:1": EXAMPLE,
    "declared:2": Change(Kind.DECLARED, number=2),
    "minimal": Change(Kind.MINIMAL),
    "generated": Change(Kind.GENERATED),
    "again:minimal": Change(Kind.AGAIN, of=(Change(Kind.MINIMAL),)),
    "again:example:1": Change(Kind.AGAIN, of=(EXAMPLE,)),
    "again:7": Change(Kind.AGAIN, number=7),
    "boundary:days:minimum": Change(Kind.BOUNDARY, "days", "minimum"),
    "boundary::empty": Change(Kind.BOUNDARY, "", "empty"),
    "context:none": Change(Kind.CONTEXT, detail="none"),
    "context:hostile-nul": Change(Kind.CONTEXT, detail="hostile-nul"),
    "context:empty:fullest": Change(Kind.CONTEXT, detail="empty", turn="fullest"),
    'context:none:at="a:b"': Change(Kind.CONTEXT, detail="none", turn='at="a:b"'),
    "whole:unit=2": Change(Kind.WHOLE, turn="unit=2"),
    "blank:null": Change(Kind.BLANK, detail="null"),
    "root:null": Change(Kind.ROOT, detail="null"),
    "lenient:deep-array": Change(Kind.LENIENT, detail="deep-array"),
    "mutation": Change(Kind.MUTATION),
    "missing:address.city": Change(Kind.MISSING, "address.city"),
    "type:a:b:string": Change(Kind.TYPE, "a:b", "string"),
    "enum:unit": Change(Kind.ENUM, "unit"),
    "enum:unit:case": Change(Kind.ENUM, "unit", "case"),
    "pattern:code:behind": Change(Kind.PATTERN, "code", "behind"),
    "pattern:code:other": Change(Kind.PATTERN, "code:other"),
    "omitted-optional:tags[0]": Change(Kind.OMITTED_OPTIONAL, "tags[0]"),
    "combined:null:a+type:b:array": Change(
        Kind.COMBINED, of=(Change(Kind.NULL, "a"), Change(Kind.TYPE, "b", "array"))
    ),
    "same:A:2": Change(Kind.SAME, detail="A", number=2),
    "together:50:many-3": Change(Kind.TOGETHER, detail="many", number=3, count=50),
    "turn:items[].sku:4": Change(Kind.TURN, "items[].sku", number=4),
    "control:floor": Change(Kind.CONTROL, "floor"),
    "what others do": Change(Kind.CUSTOM, detail="what others do"),
}
TIMES = [
    ("uncancelled:2", 2, CancellationPoint("watch")),
    ("cancelled:before", 1, CancellationPoint("before")),
    ("cancelled:token-3", 1, CancellationPoint("token", 3, within=2)),
    ("cancelled:task-12:again-1", 2, CancellationPoint("task", 12)),
    ("cancelled:token-3-held", 1, CancellationPoint("token", 3, hold=0.2)),
    ("cancelled:delay", 1, CancellationPoint("delay", 0.25)),
    ("service:1:never_answers", 1, InjectedFault("service", 1, "never_answers")),
    ("service:1:lasting-timeout", 1, InjectedFault("service", 1, "timeout", lasts=True)),
    ("library:2:unknown", 1, InjectedFault("library", 2, "unknown", ("my_db",))),
    ("catalog:typical:again", 2, ReplacedCatalog("typical")),
    ("slow_disk:3", 1, OtherDisturbance("slow_disk:3")),
]


@pytest.mark.parametrize(("label", "change"), LABELS.items())
def test_a_change_has_one_label(label, change):
    assert write_label(change) == label


@pytest.mark.parametrize(("label", "time", "disturbance"), TIMES)
def test_a_call_that_is_only_disturbed_is_labelled_by_its_disturbance(label, time, disturbance):
    assert write_label(Change(Kind.DISTURBED, number=time), disturbance) == label


READING = {
    "partition",
    "rpartition",
    "split",
    "rsplit",
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "count",
}


def test_no_other_module_takes_a_label_apart():
    """Code asks the typed change; only `labels.py` knows the form of its text."""
    package = Path(aptix_conformance.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    found = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path, source in sources.items()
        if "label" in source
        for node in ast.walk(ast.parse(source))
        if _reads_a_label(node)
    ]
    assert found == []


def _reads_a_label(node):
    """Whether a label of a stimulus is taken apart, searched or compared."""
    if isinstance(node, ast.Compare):
        return any(_is_label(side) for side in (node.left, *node.comparators))
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in READING and _is_label(called.value)


def _is_label(node):
    return (
        isinstance(node, ast.Attribute) and node.attr == "label" and ast.unparse(node.value).endswith("plan")
    )
