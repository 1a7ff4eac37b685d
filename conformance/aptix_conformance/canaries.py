"""Values that look like secrets and are worth nothing: seen again where they must not be, they prove a leak.

A host puts them into a tool's environment, and a service that is made to fail says one in its exception.
Every canary holds a mark that no honest text holds, so that finding it needs no list of what was sown.
"""

import hashlib
import re
from typing import Final

DEPENDENCY_MARK: Final = "cnry5e1f00d5ba5eba11"
"""What the exception of a service says that is made to fail."""

SCRATCH_PREFIX: Final = "aptix-scratch-"
"""How the name of every scratch directory of a host begins."""

_MARK: Final = re.compile(r"cnry[0-9a-f]{16}", re.IGNORECASE)

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


def find(text: str) -> list[str]:
    """The marks in a text, in lower case, each once, in the order in which they stand there."""
    return list(dict.fromkeys(match.group().lower() for match in _MARK.finditer(text)))


def _mark(seed: int, name: str) -> str:
    return "cnry" + hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest()[:16]
