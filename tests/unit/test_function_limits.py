"""No function of the packages is too long, too deep or takes too much: 45 lines, five levels, seven parameters."""

import ast
from pathlib import Path

import pytest

CODE = Path(__file__).parents[2] / "conformance"
MOST_LINES = 45
"""Lines of a function without its docstring."""
MOST_LEVELS = 5
"""Blocks inside of each other; the function's own is the first."""
MOST_PARAMETERS = 7
"""`self` and `cls` do not count. More belong into a record."""
PUBLIC = {
    "aptix_harness/reasoner.py AgentReasoner.__init__": "has 9 parameters",  # documented keywords, which callers use
}
"""What keeps more than it should, because a change would break those who call it."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)


def statements(node):
    """The statements directly in a statement, each with whether it is in its `else`. Expressions hold no statement."""
    for member in ("body", "handlers", "orelse", "finalbody", "cases"):
        for child in getattr(node, member, ()):
            yield child, member == "orelse"


def functions(tree, around=""):
    """Each function with its qualified name."""
    for node, _ in statements(tree):
        name = f"{around}{node.name}" if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else ""
        if isinstance(node, FUNCTIONS):
            yield name, node
        yield from functions(node, f"{name}." if name else around)


def lines_of(function):
    total = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return total
    documentation = function.body[0]
    return total - (documentation.end_lineno - documentation.lineno + 1)


def levels_of(node, level=1):
    """How many blocks are inside of each other; an `elif` is beside its `if`, and a function inside has its own count."""
    deepest = level
    for child, is_else in statements(node):
        if isinstance(child, FUNCTIONS):
            continue
        is_elif = is_else and isinstance(node, ast.If) and isinstance(child, ast.If) and len(node.orelse) == 1
        deepest = max(deepest, levels_of(child, level + (isinstance(child, BLOCKS) and not is_elif)))
    return deepest


def parameters_of(function):
    given = function.args
    named = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in named if name not in ("self", "cls")])


def excesses(text):
    """What is too much, as (qualified name, what it has)."""
    measures = (
        (lines_of, MOST_LINES, "lines"),
        (levels_of, MOST_LEVELS, "levels"),
        (parameters_of, MOST_PARAMETERS, "parameters"),
    )
    return [
        (name, f"has {amount} {unit}")
        for name, function in functions(ast.parse(text))
        for measure, most, unit in measures
        if (amount := measure(function)) > most
    ]


def test_every_function_keeps_the_limits():
    found = {
        f"{path.relative_to(CODE).as_posix()} {name}": what
        for path in sorted(CODE.rglob("*.py"))
        for name, what in excesses(path.read_text(encoding="utf-8"))
    }
    assert found == PUBLIC


LONG = "def f():\n" + "    x = 1\n" * 45
DEEP = "def f():\n if a:\n  for b in c:\n   with d:\n    try:\n     while e: pass\n    finally: pass\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LONG, [("f", "has 46 lines")]),
        (LONG.replace("    x = 1\n", '    """A\n    docstring.\n    """\n', 1), []),
        (DEEP, [("f", "has 6 levels")]),
        (DEEP.replace("while e: pass", "pass"), []),
        ("def f():\n" + " if a: pass\n" + " elif b: pass\n" * 9, []),
        ("class C:\n def m(self, a, b, c, d, *, e, f, g, h): pass", [("C.m", "has 8 parameters")]),
        ("class C:\n def m(self, a, b, c, d, *, e, f, g): pass", []),
        ("def f():\n async def g(a, b, c, d, e, f, g, h): pass", [("f.g", "has 8 parameters")]),
    ],
)
def test_what_is_too_much_is_found(text, found):
    assert excesses(text) == found
