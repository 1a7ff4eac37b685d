"""Why a rule or a finding has no plain test."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aptix_conformance.errors import ReportError

_PROSE: Final = "it weighs prose, and a test would fix the words; replay tells whether it is kept"
_COMPARED: Final = "it compares many calls or readings, which the suite chooses"
_WATCHED: Final = "it judges what only the suite sees while a call runs"
_LIBRARY: Final = "the suite made a library fail that the tool calls by itself"
_CATALOG: Final = "it judges the tool against mode catalogs of the suite's own"
_PARSED: Final = "it reads the payload as more than one parser would"
_PLANTED: Final = "what lies outside of the folder is planted by the suite, for the calls of its probe"
_SCHEMA: Final = "it takes a validator of JSON Schema, or the rules of model providers"

_BY_CODE: Final = {
    **dict.fromkeys(
        ("ARG012", "CAT010", "CAT011", "EXC006", "LOG002", "RES005", "SCH013", "SCH014", "SCH015", "USE023"),
        _PROSE,
    ),
    **dict.fromkeys(
        ("RES010", "RES014", "SCH012", "SCH016", "SCH017", "SCH018", "SCH019", "USE015"), _COMPARED
    ),
    **dict.fromkeys(("CAN006", "CAN008", "CAN009", "EXC007", "EXC013", "EXC014", "REG012"), _WATCHED),
    **dict.fromkeys(("SCH008", "SCH010", "SCH032", "SCH034"), _SCHEMA),
    "EXC012": _LIBRARY,
    "EXC015": _PLANTED,
    "RES013": _PARSED,
}
_BY_AREA: Final = {"CAT": _CATALOG, "USE": _PROSE}
OTHER: Final = "--as-test knows no assertion for it"


def why_not(code: str) -> str:
    """Why a rule has no plain test, as a clause."""
    return _BY_CODE.get(code) or _BY_AREA.get(code[:3], OTHER)


def without_test(code: str, own: Mapping[str, str] = MappingProxyType({})) -> ReportError:
    """The error for a rule without a plain test; `own` has the reasons of the tool's system, by code."""
    return ReportError(f"{code} has no plain test: {own.get(code) or why_not(code)}")


def unshown(what: str) -> ReportError:
    """The error for a finding without a plain test, though its rule may have one; `what` says why."""
    return ReportError(f"this finding has no plain test: {what}")
