"""Only full containment can be certified, and a statement says why there was less."""

import pytest

from aptix_conformance.app.certificates.issue import _containment
from aptix_conformance.app.certificates.statement import Attestation, ContainmentPart, contradictions
from aptix_conformance.core.model.codec import from_json, replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.present.reports import failed_target_report

TOOL = failed_target_report("zoo", "aptix", "aptix-tul-011", "")
WEAK = Containment("partial", ("no namespaces",))


@pytest.mark.parametrize(
    ("tool", "part"),
    [
        (replace(TOOL, containment_reached=Containment("full")), ContainmentPart("full")),
        (replace(TOOL, containment_reached=WEAK), ContainmentPart("partial", ("no namespaces",))),
        (TOOL, ContainmentPart("none", ("what held the tool's process is not known",))),
    ],
)
def test_a_statement_has_the_level_that_was_reached(tool, part):
    assert _containment(tool) == part


@pytest.mark.parametrize(
    ("part", "shortcomings"),
    [
        (ContainmentPart("full"), []),
        (ContainmentPart("partial", ("no namespaces",)), ["the containment was partial (no namespaces)"]),
    ],
)
def test_less_than_full_is_a_shortcoming_with_its_reasons(attested, part, shortcomings):
    found = from_json(Attestation, attested)
    assert contradictions(replace(found, containment=part)) == shortcomings
