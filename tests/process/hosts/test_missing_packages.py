"""A package that is not there is a fault of the tool's set-up, where an import statement looks for it in vain."""

import json

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome

NEEDS = """
    case = json.loads(arguments_json)
    if case == "import":
        import no_such_package
    if case == "part":
        import no_such_package.part
    if case == "catch and log":
        try:
            from no_such_package import part
        except Exception as error:
            self.logger.add_exception("[Needs_Execute__Exception]", error)
            return InvokeResult.from_error("It did not work.")
    if case == "catch and tell":
        try:
            import no_such_package
        except Exception as error:
            return InvokeResult.from_error(str(error))
    if case == "fall back":
        try:
            import no_such_package
        except ImportError:
            self.logger.trace("without")
        return InvokeResult.from_error("The number is too large.")
    if case == "fall back and work":
        try:
            import no_such_package
        except Exception as error:
            self.logger.add_exception("[Needs_Execute__Exception]", error)
    if case == "log and fail":
        try:
            import no_such_package
        except Exception as error:
            self.logger.add_exception("[Needs_Execute__Exception]", error)
        return {}["another fault"]
    if case == "raise":
        raise ModuleNotFoundError("No module named 'never_looked_for'", name="never_looked_for")
    if case == "own":
        import beside
    if case == "part of what is there":
        import email.no_such_part
    if case.startswith("load "):
        import importlib
        importlib.import_module(case.partition(" ")[2])
    return InvokeResult.create("{}")
"""
MISSING = r"^install the package that provides 'no_such_package' for .*python.*, or correct that name: "


@pytest.fixture(scope="module")
def host(module_bench):
    bench = module_bench()
    bench.write("pkg.beside", "")
    bench.write("pkg.tools", bench.tool("Needs", NEEDS))
    return bench.open("pkg.tools:Needs")


def planned(case):
    from tests.bench import Bench

    return Bench.plan(json.dumps(case))


@pytest.mark.parametrize("case", ["import", "part", "catch and log", "catch and tell"])
def test_a_missing_package_is_no_answer_of_the_tool(host, case):
    """Also where the tool catches the error, and where calls run at the same time."""
    for _ in range(2):
        with pytest.raises(TargetError, match=MISSING):
            host.execute(planned(case))
    with pytest.raises(TargetError, match=MISSING):
        host.execute_together([planned("nothing"), planned(case)])


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        ("fall back", Outcome.RETURNED),
        ("fall back and work", Outcome.RETURNED),
        ("log and fail", Outcome.RAISED),
        ("raise", Outcome.RAISED),
        ("own", Outcome.RAISED),
        ("part of what is there", Outcome.RAISED),
        ("load what_an_argument_names", Outcome.RAISED),
    ],
)
def test_what_is_no_fault_of_the_set_up_is_for_the_tool_to_answer(host, case, outcome):
    assert host.execute(planned(case)).outcome is outcome


@pytest.mark.parametrize("member", ["get_schema", "__init__"])
def test_a_declaration_that_needs_a_missing_package_is_no_finding(module_bench, member):
    bench = module_bench()
    source = bench.tool("Needs", "return None")
    head = next(line for line in source.splitlines() if f"def {member}" in line)
    bench.write("tools", source.replace(head, f"{head}\n        import no_such_package"))
    with pytest.raises(TargetError, match=MISSING):
        bench.open("tools:Needs").describe()
