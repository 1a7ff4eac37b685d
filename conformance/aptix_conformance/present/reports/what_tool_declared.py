"""The tool's declaration as a model sees it: the member `declared` of its report, used to compare reports."""

import contextlib
from typing import Final

from aptix_conformance.core.errors import RecordError
from aptix_conformance.core.model.report import DeclaredReport
from aptix_conformance.core.schemas import canonical, parse_schema, result_shape
from aptix_conformance.examine import Examination

LONGEST: Final = 100_000
"""Characters. A report omits a longer schema or usage text."""


def declared(examination: Examination) -> DeclaredReport:
    """The parsed schema, the usage text, and the shape of the results; None for each that is missing or too long."""
    declaration = examination.exploration.declarations[0]
    text = declaration.schema.text
    schema = None
    if text is not None and len(text) <= LONGEST:
        # A schema without a canonical form (NaN, nesting beyond the stack) cannot be written as JSON.
        with contextlib.suppress(RecordError):
            parsed = parse_schema(text)
            canonical(parsed)
            schema = parsed
    usage = declaration.usage_text.value
    return DeclaredReport(
        schema=schema,
        usage_text=usage if usage is not None and len(usage) <= LONGEST else None,
        result_shape=result_shape(examination.exploration.calls),
    )
