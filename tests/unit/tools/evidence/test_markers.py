"""Marks are read off the files of the tests, and only what is written out counts."""

import pytest
from tools.evidence import Mark, read_marks

from aptix_conformance.core.errors import ContractDataError


def test_marks_of_functions_classes_and_methods_are_found(checkout, write):
    write(
        "tests/deep/test_one.py",
        """
import pytest

@pytest.mark.clause("A.2", "A.1")
@pytest.mark.parametrize("x", [1])
def test_plain(x): ...

@pytest.mark.clause("B.1")
class TestMany:
    async def test_one(self): ...

    @pytest.mark.clause("B.2")
    def test_two(self): ...

def test_unmarked(): ...
""",
    )
    where = "tests/deep/test_one.py"
    assert read_marks(checkout.tests) == (
        Mark("A.1", f"{where}::test_plain"),
        Mark("A.2", f"{where}::test_plain"),
        Mark("B.1", f"{where}::TestMany::test_one"),
        Mark("B.1", f"{where}::TestMany::test_two"),
        Mark("B.2", f"{where}::TestMany::test_two"),
    )


def test_files_that_are_no_tests_are_left_alone(checkout, write):
    write("tests/conftest.py", "import pytest\n@pytest.mark.clause('A.1')\ndef test_x(): ...\n")
    assert read_marks(checkout.tests) == ()


@pytest.mark.parametrize(
    "marker", ["clause", "clause()", "clause(NAME)", "clause('A.1', *MORE)", "clause(1)"]
)
def test_a_mark_that_cannot_be_read_is_refused_with_its_place(checkout, write, marker):
    write("tests/test_x.py", f"import pytest\n@pytest.mark.{marker}\ndef test_x(): ...\n")
    with pytest.raises(ContractDataError, match=r"tests/test_x\.py::test_x"):
        read_marks(checkout.tests)


@pytest.mark.parametrize("code", ["def helper(): ...", "class Helper:\n    def test_x(self): ..."])
def test_a_mark_on_what_is_no_test_proves_nothing_and_is_refused(checkout, write, code):
    write("tests/test_x.py", f"import pytest\n@pytest.mark.clause('A.1')\n{code}\n")
    with pytest.raises(ContractDataError, match="pytest does not collect it"):
        read_marks(checkout.tests)


def test_nothing_of_the_tests_is_run(checkout, write):
    write("tests/test_x.py", "raise SystemExit\n")
    assert read_marks(checkout.tests) == ()
