"""Values that look like secrets and are worth nothing: seen again where they must not be, they prove a leak.

A host puts them into a tool's environment, and a service that is made to fail says one in its exception; where
a tool gives away a secret that its author configured, a host writes a canary in its place.
Every canary holds a mark that no honest text holds, so that finding it needs no list of what was sown.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Final

DEPENDENCY_MARK: Final = "cnry5e1f00d5ba5eba11"
"""What the exception of a service says that is made to fail."""

SCRATCH_PREFIX: Final = "aptix-scratch-"
"""How the name of every scratch directory of a host begins."""

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
    """Environment variables as a server has them, each value with a mark of its own; the same for a seed."""
    return {name: template.format(mark=_mark(seed, name)) for name, template in _TEMPLATES.items()}


def standing_for(name: str) -> str:
    """The canary in place of a configured secret: a mark that tells nothing of it, and its variable's name."""
    return f"{_mark('configured', name)}[{re.sub(r'[^A-Za-z0-9_]', '_', name)[:80]}]"


def find(text: str) -> list[str]:
    """The marks in a text and in the base64 in it, in lower case, each once, the plain ones first, in their order.

    The variable's name that a mark stands for comes with it, as it is written.
    """
    plain = (match.group(1).lower() + (match.group(2) or "") for match in _MARK.finditer(text))
    return list(dict.fromkeys([*plain, *_encoded_marks(text)]))


def in_base64(value: bytes, before: int) -> str:
    """What stands in a base64 text of some bytes whatever surrounds them, where `before` bytes (0 to 2) precede them."""
    return _base64(value, before)[_blurred(before) : (before + len(value)) * 8 // 6]


def _base64(value: bytes, before: int) -> str:
    return base64.b64encode(bytes(before) + value).decode("ascii")


def _blurred(before: int) -> int:
    """Characters of base64 at the beginning that hold bits of the bytes before."""
    return -(-before * 8 // 6)


def _encoded_marks(text: str) -> Iterator[str]:
    for before in range(3):
        head = _base64(b"cnry", before)[: _blurred(before)]
        length = _blurred(before + _MARK_LENGTH) - len(head)
        for match in re.finditer(in_base64(b"cnry", before), text):
            piece = head + text[match.start() : match.start() + length]
            try:
                decoded = base64.b64decode(piece + "A" * (-len(piece) % 4), altchars=b"-_", validate=True)
            except ValueError:
                continue
            found = _MARK.search(decoded.decode("latin-1"))
            if found:
                yield found.group(1).lower()


def _mark(seed: int | str, name: str) -> str:
    return "cnry" + hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest()[:16]
