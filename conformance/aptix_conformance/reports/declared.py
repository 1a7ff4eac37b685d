"""What a tool showed to a model: the member `declared` of its report, by which reports can be compared."""

import contextlib
from typing import Final

from aptix_conformance.errors import RecordError
from aptix_conformance.examination import Examination
from aptix_conformance.model.report import DeclaredReport
from aptix_conformance.schemas import canonical, parse_schema, result_shape

LONGEST: Final = 100_000
"""Characters of a schema or of a usage text beyond which a report does not keep it."""


def declared(examination: Examination) -> DeclaredReport:
    """The schema as parsed, the usage text, and the shape of the results; null where there is none to keep."""
    declaration = examination.exploration.declarations[0]
    text = declaration.schema.text
    schema = None
    if text is not None and len(text) <= LONGEST:
        # What has no canonical form has no place in a JSON file: NaN, and what nests past the stack.
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
