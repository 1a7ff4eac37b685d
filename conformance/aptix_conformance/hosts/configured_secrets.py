"""The secrets that an author configures for a tool (`env`): in what is seen of the tool, a canary stands for each.

So the rules find them as they find the canaries of every environment, and no report, lock or terminal holds one.
Not every variable is a secret: its name must say so, or its value be a URL with a login. And not every secret
can be told from honest text: a value must be one that stands in no result by chance. A secret is known again as it
is, in upper or lower case, escaped, percent-quoted, in hexadecimal and in base64; cut short, it is not.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar
from urllib.parse import quote, quote_plus, unquote

from aptix_conformance import canaries
from aptix_conformance.model import Call
from aptix_conformance.model.codec import Record, replace

T = TypeVar("T")

SHORTEST: Final = 8
"""Characters that a secret has at least."""

_SECRET: Final = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|DSN)S?\Z", re.IGNORECASE
)
_ABOUT_ONE: Final = re.compile(
    r"(?:\A|[\W_])(?:NAME|(?<!ACCESS_KEY_)ID|URL|URI|ENDPOINT|FILE|PATH|DIR|PREFIX|HEADER|TYPE|FORMAT|ALGORITHM|TTL|MODEL)\Z",
    re.IGNORECASE,
)
"""How the name of a variable ends that only says where or of what sort a secret is."""
_NO_SECRET_KEY: Final = re.compile(
    r"(?:PUBLIC|PUBLISHABLE|PRIMARY|FOREIGN|PARTITION|SORT|CACHE|HOT)_?KEY", re.IGNORECASE
)

_UNLIKELY: Final = re.compile(rf"(?=.*\d)(?=.*[A-Za-z])(?:\S{{{SHORTEST},}}|.{{32,}})", re.DOTALL)
_LOGIN: Final = re.compile(r"[A-Za-z][\w+.-]{0,40}://([^\s/?#@:]*)(?::([^\s/?#]+))?@\S+")
_PLACE: Final = re.compile(r"[A-Za-z][\w+.-]{0,40}://[^\s@?]*|[^\s:]*[/\\][^\s:]*\.[a-z]{1,6}")
"""A URL that lets nobody in, or a path of a file."""


def secrets_of(env: Mapping[str, str]) -> dict[str, str]:
    """The values of some variables that must not be seen again, each to the name of its variable."""
    found: dict[str, str] = {}
    for name, value in env.items():
        for secret in _secrets(name, value):
            found.setdefault(secret, name)
    return found


def _secrets(name: str, value: str) -> Iterator[str]:
    login = _LOGIN.fullmatch(value)
    if login and (login[2] or _UNLIKELY.fullmatch(login[1])):
        yield value
        yield from (text for text in (login[2] or "", unquote(login[2] or "")) if _UNLIKELY.fullmatch(text))
    elif _is_named_a_secret(name) and _UNLIKELY.fullmatch(value) and not _PLACE.fullmatch(value):
        yield value


def _is_named_a_secret(name: str) -> bool:
    if _ABOUT_ONE.search(name) or _NO_SECRET_KEY.search(name):
        return False
    return any(_SECRET.search(word) for word in re.split(r"[\W_]+", name))


class Curtain:
    """What hides the secrets of a tool's `env` in observations of it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        secrets = secrets_of(env)
        # The longest first: a password stands within its URL.
        self._forms = tuple(
            (secret, canaries.standing_for(secrets[secret]), tuple(_forms(secret)))
            for secret in sorted(secrets, key=len, reverse=True)
        )

    def over(self, seen: T) -> T:
        """An observation with canaries for secrets; of a call, what it sent and was to give back stays as it is.

        A secret that the call itself was sent with is its caller's, and stays too.
        """
        if not self._forms:
            return seen
        told = f"{seen.plan.arguments}\n{seen.plan.expected}" if isinstance(seen, Call) else ""
        hidden = [
            (form, canary)
            for _, canary, forms in self._forms
            if not any(form in told for form in forms)
            for form in forms
        ]
        found: T = _hidden(seen, hidden)
        return found


def _hidden(value: Any, hidden: list[tuple[str, str]]) -> Any:
    """Records, lists and tables with every text in them gone through; what needs no change is the same object."""
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


def _forms(secret: str) -> list[str]:
    """How a secret may be written, the longest first."""
    data = secret.encode("utf-8", "surrogatepass")
    plain = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        quote(secret, errors="replace"),
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
        data.hex(),
    }
    encoded = {canaries.in_base64(data, before) for before in range(3)}
    encoded |= {text.translate(_FOR_URLS) for text in encoded}
    forms = plain | {text.upper() for text in plain} | {text.lower() for text in plain} | encoded
    return sorted(forms, key=lambda form: (-len(form), form))


_FOR_URLS: Final = str.maketrans("+/", "-_")
