"""What a program printed before it ended without an answer: its last line, and the setting that may help.

A program that cannot start says why in the last line of its stack trace. That line comes first in a message and is whole; what
was printed before it is cut. A hint is for people: it decides no verdict.
"""

import json
import re
from typing import Final

from aptix_conformance.core.text import printable

LONGEST_LINE: Final = 600
"""Characters of the last line that are shown."""
_MOST_BEFORE: Final = 300
"""Characters of what was printed before it that are shown."""
_TABLE: Final = "[tool.aptix-conformance.tool.NAME]"
_ERROR: Final = re.compile(
    r"[\s|+-]*(?:Exception in thread \"[^\"]*\" |Unhandled exception[.:] ?|Uncaught )?"
    r"(?P<line>[\w.$]*(?:Error|Exception|Exit|Interrupt|Fault)\b(?: \[\w+\])?: .+)",
    re.IGNORECASE,
)
"""As Python, Node.js, .NET and Java write an exception, also in a group."""
_READ_ONLY: Final = re.compile(r"Read-only file system|EROFS|readonly database", re.IGNORECASE)
_GONE: Final = re.compile(r"(?:No such file or directory|ENOENT)[^'\"\n]*['\"](?P<path>[^'\"\n]{1,300})['\"]")
_OTHER_VERSION: Final = re.compile(
    r"No module named '(?P<package>\w{1,100})\.[\w.]{1,100}'|cannot import name '\w{1,100}' from '(?P<importing>\w{1,100})[.']"
)
"""Python has the package, and not what is imported from it."""
_MCP_2: Final = re.compile(
    r"'Server' object has no attribute '(?:(?:list|call)_tools?|(?:list|read)_resources?|list_resource_templates|(?:list|get)_prompts?)'"
)
"""The decorators of a server that version 2 of the Python SDK of MCP no longer has."""
_PIN: Final = re.compile(
    r"['\"`](?P<pin>[\w.-]{1,60}(?:\[[\w,-]{1,60}\])?(?:[<>]=?|==|~=)\d[\w.]{0,20})['\"`]"
)
_NO_MODULE: Final = re.compile(
    r"No module named '(?P<python>\w{1,100})'|Cannot find (?:module|package) '(?P<node>[^'\n]{1,200})'"
)


def last_line(text: str) -> str:
    """The last line that names an exception, else the last that is not blank; empty where there is none."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = (match for match in map(_ERROR.fullmatch, reversed(lines)) if match)
    if found := next(errors, None):
        return " ".join(found["line"].split())
    return " ".join(lines[-1].split()) if lines else ""


def advice(line: str) -> str:
    """The sentence with the setting that may help a program with such a last line; empty where none is known."""
    if _READ_ONLY.search(line):
        return (
            "It can write to its working directory, HOME and TMPDIR only: let it use a relative path, such as "
            f'env = {{ NAME = "data" }} in {_TABLE}, with files = "FOLDER" where the place has to hold something.'
        )
    if found := _OTHER_VERSION.search(line) or _MCP_2.search(line):
        package = next(filter(None, found.groups()), "mcp")
        pin = _PIN.search(line)
        needed = pin["pin"] if pin else f"{package}<{'VERSION' if found.re is _OTHER_VERSION else '2'}"
        return (
            f"It was written for another version of {package} than is installed beside it: install '{needed}' into the environment "
            f"in which it is started, or name the version in the target, as by uvx --with '{needed}'."
        )
    if found := _NO_MODULE.search(line):
        name = found["python"] or found["node"]
        return f"Install what offers {printable(name, 100)} into the environment in which it is started."
    if (found := _GONE.search(line)) and not found["path"].startswith("/"):
        return f'files = "FOLDER" in {_TABLE} gives it a copy of your folder that holds {json.dumps(printable(found["path"], 100))}.'
    return ""


def described_output(text: str) -> str:
    """The end of what a program printed, as the end of a sentence; empty where it printed nothing.

    A line that came twice is shown once: a server is started twice before it is known that it does not start.
    """
    text = "\n".join(dict.fromkeys(text.splitlines()))
    line = last_line(text)
    if not line:
        return ""
    before = " ".join(" ".join(text.split()).partition(line)[0].split())
    parts = [f"; it printed: {printable(line, LONGEST_LINE)}", advice(line)]
    if before:
        parts.append(f"Before that: …{printable(before[-_MOST_BEFORE:], _MOST_BEFORE)}")
    end = "" if line.endswith((".", "!", "?")) or not any(parts[1:]) else "."
    return " ".join(filter(None, [parts[0] + end, *parts[1:]]))
