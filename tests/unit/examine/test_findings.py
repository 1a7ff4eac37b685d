"""A breach as a report shows it."""

from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, CancellationPoint, Outcome, Raised
from aptix_conformance.examine.findings import LONGEST, finding_of
from aptix_conformance.examine.ledger import Breach, Ledger
from aptix_conformance.rules.lib.kernel import Finding


def found(declaration, message):
    plan = stimulus("cancel", "x", "{}", None, disturbance=CancellationPoint("token", 3))
    call = Call(plan, Outcome.RAISED, 0.5, raised=Raised("E", message, ""))
    return finding_of(Breach(Finding("it raised"), call), Ledger([], [declaration], [call]), None)


def test_long_texts_are_cut(declaration):
    finding = found(declaration, "x" * (LONGEST + 1))
    assert finding.call.raised.message.endswith(f"… ({LONGEST + 1} characters)")


def test_a_finding_says_what_the_containment_hid_from_its_call(declaration, tmp_path):
    (tmp_path / "model.bin").touch()
    for name, hidden in (("model.bin", True), ("none.bin", False)):
        finding = found(declaration, f"[Errno 2] No such file or directory: '{tmp_path}/{name}'")
        assert (f'set reads = ["{tmp_path}/{name}"]' in finding.call.suite) is hidden
