"""Canaries: worthless values that look like secrets. A canary in an output of the tool proves a leak.

A host puts canaries into a tool's environment and into the exception of a service that it makes to fail. Where a
tool leaks a secret that its author configured, the host writes a canary in the secret's place.
Every canary contains a mark that occurs in no other text, so that the search for canaries needs no list of them.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

DEPENDENCY_MARK: Final = "cnry5e1f00d5ba5eba11"
"""The mark in the exception of a service that is made to fail."""

SCRATCH_PREFIX: Final = "aptix-scratch-"
"""The prefix of the name of every scratch directory of a host."""
_SCRATCH: Final = re.compile(rf"{SCRATCH_PREFIX}\w+(?:-\w+)?(?:/[a-z]+-\d+)*")

_MARK: Final = re.compile(r"(cnry[0-9a-f]{16})(\[\w{1,80}\])?", re.IGNORECASE)
_MARK_LENGTH: Final = 20

_TEMPLATES: Final = {
    "AWS_ACCESS_KEY_ID": "AKIA{mark}",
    "AWS_SECRET_ACCESS_KEY": "{mark}+wJalrXUtnFEMIK7",
    "AZURE_CLIENT_SECRET": "8Q~{mark}",
    "DATABASE_URL": "postgresql://service:{mark}@database.invalid:5432/aptix",
    "GITHUB_TOKEN": "ghp_{mark}",
    "JWT_SIGNING_KEY": "{mark}",
    "OPENAI_API_KEY": "sk-proj-{mark}",
    "SMTP_PASSWORD": "{mark}",
}


def environment(seed: int) -> dict[str, str]:
    """Environment variables as on a server; each value has its own mark. Equal seeds give equal values."""
    return {name: template.format(mark=_mark(seed, name)) for name, template in _TEMPLATES.items()}


def standing_for(name: str) -> str:
    """The canary that replaces a configured secret: a mark that reveals nothing of the secret, and its variable's name."""
    return f"{_mark('configured', name)}[{re.sub(r'[^A-Za-z0-9_]', '_', name)[:80]}]"


def find(text: str) -> list[str]:
    """The marks in a text and in its base64 parts: lower case, without repeats, in order, plain marks first.

    A mark that replaces a configured secret is followed by the variable's name in brackets.
    """
    plain = (match.group(1).lower() + (match.group(2) or "") for match in _MARK.finditer(text))
    return list(dict.fromkeys([*plain, *_encoded_marks(text)]))


def in_base64(value: bytes, before: int) -> str:
    """The part of a base64 text that depends on `value` alone, where `before` bytes (0 to 2) precede `value`."""
    return _base64(value, before)[_blurred(before) : (before + len(value)) * 8 // 6]


def _base64(value: bytes, before: int) -> str:
    return base64.b64encode(bytes(before) + value).decode("ascii")


def _blurred(before: int) -> int:
    """The number of leading base64 characters that contain bits of the preceding bytes."""
    return -(-before * 8 // 6)


def _encoded_marks(text: str) -> Iterator[str]:
    for head, length, pattern in _encodings():
        for match in pattern.finditer(text):
            piece = head + text[match.start() : match.start() + length]
            try:
                decoded = base64.b64decode(piece + "A" * (-len(piece) % 4), altchars=b"-_", validate=True)
            except ValueError:
                continue
            mark = _MARK.search(decoded.decode("latin-1"))
            if mark:
                yield mark.group(1).lower()


@cache
def _encodings() -> tuple[tuple[str, int, re.Pattern[str]], ...]:
    """How a mark may stand in a base64 text: what to put before it, its characters, and its beginning."""
    heads = [_base64(b"cnry", before)[: _blurred(before)] for before in range(3)]
    return tuple(
        (head, _blurred(before + _MARK_LENGTH) - len(head), re.compile(in_base64(b"cnry", before)))
        for before, head in enumerate(heads)
    )


def _mark(seed: int | str, name: str) -> str:
    return "cnry" + hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest()[:16]


def without_scratch_names(text: str) -> str:
    """The text with one name for all scratch directories, which are new in each run."""
    return _SCRATCH.sub(f"{SCRATCH_PREFIX}1", text)
