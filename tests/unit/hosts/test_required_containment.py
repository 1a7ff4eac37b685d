"""What a run may require of what holds a tool's process."""

import pytest

from aptix_conformance.core.errors import ContainmentError
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.hosts.required_containment import INLINE, SWITCHED_OFF, UNKNOWN, check_containment

PARTIAL = Containment("partial", ("no namespaces (refused)",))


@pytest.mark.parametrize(
    ("found", "least"),
    [
        (Containment("full"), "full"),
        (PARTIAL, "partial"),
        (PARTIAL, "none"),
        (SWITCHED_OFF, "none"),
    ],
)
def test_a_run_may_require_what_was_reached(found, least):
    check_containment(found, least, "the host")


@pytest.mark.parametrize(
    ("found", "least", "remedy"),
    [
        (PARTIAL, "full", "run where the kernel gives users namespaces"),
        (SWITCHED_OFF, "partial", "remove that setting"),
        (INLINE, "partial", "remove that option"),
        (UNKNOWN, "partial", "its host does not say how it is contained"),
    ],
)
def test_less_than_a_run_requires_is_one_line_with_the_reasons_and_the_remedy(found, least, remedy):
    with pytest.raises(ContainmentError) as caught:
        check_containment(found, least, "the host")
    said = str(caught.value)
    assert found.reasons[0] in said
    assert f"requires {least} (--aptix-containment" in said
    assert remedy in said
    assert "\n" not in said
