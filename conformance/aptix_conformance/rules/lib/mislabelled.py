"""Whether a call that failed for sure came back as a success.

Words for errors are also what data is about. So the failure must be proven: the schema forbids the arguments and the payload
says that the call failed, or the payload is a rendered exception and nothing else. `exception_texts.py` finds those without
class and stack.
"""

import re
from typing import Final

from aptix_conformance.core.model import Call
from aptix_conformance.rules.lib.documents import arguments_of, payload_of, read_arguments, strings_in
from aptix_conformance.rules.lib.exception_texts import bare_exception
from aptix_conformance.rules.lib.failures import may_show_data, only_text, reports_failure
from aptix_conformance.rules.lib.scope import improper_object

_LONGEST: Final = 20_000
"""Characters of a payload that can be a rendered exception."""
_EXCEPTION: Final = re.compile(
    r"(?:(?:failed|error)(?: [^\n:]{1,80})?:\s)?(?-i:Traceback \(most recent call last\):\n.{1,20000}"
    r"|[\w.]{0,80}(?:Error|Exception)\b[^\n]{0,2000}\n(?:[ \t]+at [^\n]{1,1000}(?:\n|\Z)){1,100})",
    re.DOTALL | re.IGNORECASE,
)
"""As Python, and as JavaScript and .NET write it, also behind words such as "Failed:"."""


def mislabelled_refusal(call: Call) -> bool:
    """Whether a call whose arguments the schema may forbid succeeded, with a payload that says that it failed."""
    if not call.succeeded or not (improper_object(call) or call.plan.arguments is None):
        return False
    if reports_failure(_content(call), arguments_of(call)) or rendered_exception(call):
        return True
    return bool(bare_exception(call))


def rendered_exception(call: Call) -> bool:
    """Whether the whole payload of a call that succeeded is the text of an exception, which the call did not send itself."""
    text = (only_text(_content(call)) or "").strip()
    if len(text) > _LONGEST or not _EXCEPTION.fullmatch(text):
        return False
    return not any(text in sent for sent in strings_in(read_arguments(call.plan.arguments or "").value))


def unmarked_failure(call: Call) -> bool:
    """Whether a call that succeeded reports a failure, in a system whose results may lack the mark of one.

    A text that the call itself sent is no failure, and neither is one in a program or a log that it names.
    """
    facts = call.result.facts if call.succeeded and call.result else None
    if facts is None or not facts.may_be_unmarked_failure():
        return False
    arguments = arguments_of(call)
    if may_show_data(arguments):
        return False
    return rendered_exception(call) or reports_failure(_content(call), arguments)


def _content(call: Call) -> object:
    """The value of a payload; its text where a contract wants JSON and it is none."""
    payload = payload_of(call)
    return payload.value if payload.fault is None else call.result and call.result.payload
