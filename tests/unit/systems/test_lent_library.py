"""A call that only the Json.NET of the test environment decides is no fault of the tool."""

import pytest
from tests.stimuli import stimulus

from aptix_conformance.core.model import Call, Outcome, Raised
from aptix_conformance.core.model.codec import replace
from aptix_conformance.examine.ledger import Ledger
from aptix_conformance.systems.aptix.lent_library import is_decided_by_library

LIBRARY = (
    "System.FormatException: Input string was not in a correct format.\n"
    "  at System.Number.ParseInt32 (System.String s) [0x00000] in <1>:0\n"
    "  at Newtonsoft.Json.JsonTextReader.ParseUnicode () [0x00000] in <2>:0\n"
    "  at Acme.CityTool.ExecuteAsync (System.String argumentsJson) [0x00000] in <3>:0"
)
TOOL = (
    "System.FormatException: Input string was not in a correct format.\n"
    "   at System.Number.ParseInt32(String s)\n"
    "   at Acme.CityTool.ExecuteAsync(String argumentsJson)\n"
    "   at Newtonsoft.Json.Serialization.Callback()"
)
BAD_ESCAPE = r'{"city": "\uZZZZ"}'


def raised(arguments, traceback=LIBRARY, type_name="FormatException"):
    thrown = Raised(type_name, "…", traceback)
    return Call(
        stimulus("malformed", "lenient", arguments, None), outcome=Outcome.RAISED, elapsed=0.0, raised=thrown
    )


@pytest.mark.parametrize("arguments", [BAD_ESCAPE, '{"city": "a", "city": "b"}', '{"n": NaN}'])
def test_an_exception_of_the_library_for_a_document_that_is_no_plain_json_is_its_own(arguments):
    assert is_decided_by_library(raised(arguments))


@pytest.mark.parametrize(
    "call",
    [
        raised(BAD_ESCAPE, TOOL),
        raised(BAD_ESCAPE, type_name="JsonReaderException"),
        raised(BAD_ESCAPE, "System.FormatException: made up"),
        raised('{"city": "12"}'),
        replace(raised(BAD_ESCAPE), outcome=Outcome.RETURNED, raised=None),
    ],
)
def test_everything_else_is_the_tools(call):
    """Its own exceptions, those that it should expect of the library, and those for plain documents."""
    assert not is_decided_by_library(call)


def test_a_call_that_is_left_out_is_counted_and_judged_by_no_rule():
    ledger = Ledger([])
    ledger.observe(replace(raised(BAD_ESCAPE), left_out="the library decided"))
    ledger.observe(raised(BAD_ESCAPE))
    ledger.count_left_out()
    (shortfall,) = ledger.shortfalls
    assert (shortfall.probe, shortfall.reason) == ("malformed", "1 call is not judged: the library decided")
    assert shortfall.reduced_coverage
    assert [call.left_out for call in ledger.exploration().calls] == [None]
