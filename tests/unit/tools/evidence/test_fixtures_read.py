"""A nonconforming tool's file says the rule, the fault and the twin; what it does not say is refused by name."""

import pytest
from tools.evidence import read_fixtures

from aptix_conformance.core.errors import ContractDataError

TOOL = '"""Says nothing.\n\nConforming twin: sound.py\n"""\n\nfrom sound import Sound\n'


@pytest.fixture
def sound(write):
    write("fixtures/conforming/sound.py", "from base import Base\n\n\nclass Sound(Base): ...\n")
    write("fixtures/conforming/base.py", "class Base: ...\n")


@pytest.mark.usefixtures("sound")
def test_a_file_says_rule_fault_and_twin(checkout, write):
    write("fixtures/nonconforming/ARG002_says_nothing.py", TOOL)
    write("fixtures/nonconforming/__pycache__/x.pyc", "")
    (fixture,) = read_fixtures(checkout.fixtures)
    assert (fixture.name, fixture.rule, fixture.says) == ("ARG002_says_nothing", "ARG002", "Says nothing.")
    assert (fixture.path, fixture.twin) == ("nonconforming/ARG002_says_nothing.py", "conforming/sound.py")
    assert fixture.twin_bases == ("class Base: ...\n",)


def test_other_systems_have_folders_and_languages_of_their_own(checkout, write):
    write("fixtures/art/conforming/twin.mjs", "export {}\n")
    write("fixtures/amplifier/conforming/tool_notes/__init__.py", "async def mount(): ...\n")
    write(
        "fixtures/art/nonconforming/ART001_no_schema.mjs", "// Has no schema.\n// Conforming twin: twin.mjs\n"
    )
    write(
        "fixtures/amplifier/nonconforming/AMP001_no_mount/__init__.py",
        '"""No mount.\n\nConforming twin: tool_notes\n"""\n',
    )
    amplifier, art = read_fixtures(checkout.fixtures)
    assert (amplifier.name, amplifier.rule, amplifier.says) == (
        "amplifier/AMP001_no_mount",
        "AMP001",
        "No mount.",
    )
    assert (amplifier.path, amplifier.twin) == (
        "amplifier/nonconforming/AMP001_no_mount/__init__.py",
        "amplifier/conforming/tool_notes/__init__.py",
    )
    assert (art.name, art.says) == ("art/ART001_no_schema", "Has no schema.")


@pytest.mark.usefixtures("sound")
@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("broken.py", TOOL, "is not named <CODE>_<fault>"),
        ("ARG02_x.py", TOOL, "is not named <CODE>_<fault>"),
        ("ARG002_x.py", '"""Says nothing."""\n', "names no twin"),
        ("ARG002_x.py", TOOL.replace("sound.py", "gone.py"), "its twin gone.py is not in"),
    ],
)
def test_what_a_file_does_not_say_is_refused(checkout, write, name, text, told):
    write(f"fixtures/nonconforming/{name}", text)
    with pytest.raises(ContractDataError, match=told):
        read_fixtures(checkout.fixtures)
