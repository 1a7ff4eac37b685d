"""Replaces the secrets that an author configures for a tool (`env`) by canaries in every observation of the tool.

The rules then find a leaked secret as they find any canary, and no report, lock or terminal shows the secret.
A variable counts as secret if its name says so or if its value is a URL with a login. The value must also be one that
hardly appears in a result by chance. A secret is recognised in plain form, in upper or lower case, escaped,
percent-quoted, in hexadecimal and in base64. A truncated secret is not recognised.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from aptix_conformance.core.model import Call, canaries
from aptix_conformance.core.model.codec import Record, replace
from aptix_conformance.core.model.secret_forms import SHORTEST, is_unlikely, secret_forms

T = TypeVar("T")

_SECRET: Final = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|DSN)S?\Z|\A(?:AUTH|BEARER|COOKIE|JWT|PASS|PAT|TOK)\Z",
    re.IGNORECASE,
)
_DESCRIBES_SECRET: Final = re.compile(
    r"(?:\A|[\W_])(?:NAME|(?<!ACCESS_KEY_)ID|URL|URI|ENDPOINT|FILE|PATH|DIR|PREFIX|HEADER|TYPE|FORMAT|ALGORITHM|TTL|MODEL)\Z",
    re.IGNORECASE,
)
"""Ends the name of a variable that says only where a secret is, or of what kind."""
_NO_SECRET_KEY: Final = re.compile(
    r"(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|HOT)_?KEY", re.IGNORECASE
)

_LOGIN: Final = re.compile(r"[A-Za-z][\w+.-]{0,40}://([^\s/?#@:]*)(?::([^\s/?#]+))?@\S+")
_PLACE: Final = re.compile(r"[A-Za-z][\w+.-]{0,40}://[^\s@?]*|[^\s:]*[/\\][^\s:]*\.[a-z]{1,6}")
"""A URL without a login, or the path of a file."""


def secrets_of(env: Mapping[str, str]) -> dict[str, str]:
    """The secret values among some variables, each mapped to the name of its variable."""
    names: dict[str, str] = {}
    for name, value in env.items():
        for secret in _secrets(name, value):
            names.setdefault(secret, name)
    return names


def _secrets(name: str, value: str) -> Iterator[str]:
    login = _LOGIN.fullmatch(value)
    if login and (login[2] or is_unlikely(login[1])):
        yield value
        yield from (text for text in (login[2] or "", unquote(login[2] or "")) if is_unlikely(text))
    elif _is_named_a_secret(name) and is_unlikely(value) and not _PLACE.fullmatch(value):
        yield value


def _is_named_a_secret(name: str) -> bool:
    if _DESCRIBES_SECRET.search(name) or _NO_SECRET_KEY.search(name):
        return False
    return any(_SECRET.search(word) for word in re.split(r"[\W_]+", name))


class SecretRedactor:
    """Replaces the secrets of a tool's `env` in observations of the tool."""

    def __init__(self, env: Mapping[str, str], secrets: Mapping[str, str] | None = None) -> None:
        """`secrets` are further variables, by their names, whose values are secret however they are called."""
        named = {value: name for name, value in (secrets or {}).items() if len(value) >= SHORTEST}
        secrets = {**secrets_of(env), **named}
        # Longest first: a URL may contain the password.
        self._forms = tuple(
            (secret, canaries.standing_for(secrets[secret]), tuple(secret_forms(secret)))
            for secret in sorted(secrets, key=len, reverse=True)
        )

    def redact(self, observed: T) -> T:
        """The observation with canaries in place of secrets. The plan of a call stays unchanged.

        A secret that the call itself sent also stays: the caller already has it.
        """
        if not self._forms:
            return observed
        sent = f"{observed.plan.arguments}\n{observed.plan.expected}" if isinstance(observed, Call) else ""
        hidden = [
            (form, canary)
            for _, canary, forms in self._forms
            if not any(form in sent for form in forms)
            for form in forms
        ]
        redacted: T = _hidden(observed, hidden)
        return redacted


def _hidden(value: Any, hidden: list[tuple[str, str]]) -> Any:
    """Replace texts in records, sequences and mappings at any depth. An unchanged record is returned as it is."""
    if isinstance(value, str):
        for form, canary in hidden:
            if form in value:
                value = value.replace(form, canary)
        return value
    if isinstance(value, (tuple, list)):
        return type(value)(_hidden(member, hidden) for member in value)
    if isinstance(value, Mapping):
        return {_hidden(key, hidden): _hidden(member, hidden) for key, member in value.items()}
    if isinstance(value, Record):
        changed = {}
        for name in value.__struct_fields__:
            if not (name == "plan" and isinstance(value, Call)):
                before = getattr(value, name)
                after = _hidden(before, hidden)
                if after != before:
                    changed[name] = after
        return replace(value, **changed) if changed else value
    return value
