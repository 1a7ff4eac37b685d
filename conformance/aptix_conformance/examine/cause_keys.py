"""The key of a finding's cause: the same for another seed, another machine, and after the tool's lines have moved.

It is for programs that compare reports: a baseline, a service that follows alerts. For an exception it is the exception's type
and the function of the tool that it came from; else what the rule says of the cause, without paths and numbers of lines.
"""

import re
from collections.abc import Hashable, Iterator
from enum import Enum
from typing import Final

from aptix_conformance.core.model import Call
from aptix_conformance.core.model.canaries import without_scratch_names
from aptix_conformance.core.text import printable
from aptix_conformance.rules.lib.kernel import Finding
from aptix_conformance.rules.lib.scope import raised_at, raised_in

_LONGEST: Final = 300
_FOLDER: Final = re.compile(r"(?:[A-Za-z]:)?[/\\](?:[^\s:()'\"]*[/\\])")
_LINE: Final = re.compile(r"(\.\w{1,6}):[0-9]+(?::[0-9]+)?(?![\w.])")
"""The line and column after the name of a file."""


def cause_key(finding: Finding, call: Call | None) -> str:
    """The key, empty for a rule that finds one thing only; `call` shows the finding."""
    parts = tuple(_parts(finding.cause))
    if call is not None and call.raised is not None and parts[-2:] == raised_at(call):
        kind, function = raised_in(call)
        parts = (*parts[:-2], f"{kind} in {function}" if function else kind)
    text = without_scratch_names(" ".join(part for part in parts if part))
    return printable(_LINE.sub(r"\1", _FOLDER.sub("", text)), _LONGEST)


def _parts(cause: Hashable) -> Iterator[str]:
    if isinstance(cause, (tuple, frozenset)):
        for part in cause if isinstance(cause, tuple) else sorted(cause, key=str):
            yield from _parts(part)
    else:
        yield str(cause.value if isinstance(cause, Enum) else cause)
