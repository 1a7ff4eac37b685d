"""Find secrets in prose, with `detect-secrets` and with the suite's own canaries.

Two kinds of detectors are used: those for known token formats, and the one for assignments to names such as
`password`. Detectors that measure entropy are not used: they report every digest. The detectors work on strings, so
they read no file and no setting of the library. A placeholder (`<your key>`, `AKIA…EXAMPLE`) is not a secret.
"""

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from aptix_conformance.core.model import canaries

_DETECTORS: Final = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"),
    ("private_key", "PrivateKeyDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)

_IN_PARTS: Final = frozenset({"GitHub Token", "GitLab Token"})
"""The detectors that give a part of a token only, as its prefix: a placeholder would not be known by it."""

# Token formats that the library does not know yet.
_TOKENS: Final = (
    ("Google API Key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    ("Anthropic API Key", re.compile(r"\bsk-ant-[a-z0-9]{3,8}-[0-9A-Za-z_-]{32,}")),
    ("OpenAI Token", re.compile(r"\bsk-(?:proj-|svcacct-)?(?=[\w-]*\d)[0-9A-Za-z_-]{40,}")),
    ("GitHub Token", re.compile(r"\bgithub_pat_[0-9A-Za-z_]{40,}")),
)

_PASSWORD: Final = re.compile(
    r"\b(?:password|passwd|pwd|api[_ -]?key|secret|access[_ -]?token|auth[_ -]?token)\s*[=:]\s*"
    r"([^\s\"'`,;()<>{}]{8,100})",
    re.IGNORECASE,
)
_IN_ADDRESS: Final = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/?#:@'\"]{0,80}:([^\s/?#@'\"]{1,200})@[\w.\[-]"
)
_IN_SETTINGS: Final = re.compile(
    r"(?:\b(?:password|pwd)\s{0,3}=\s{0,3}|[?&](?:api_?key|access_?token|token|password)=)"
    r"((?![/~.\\]|[A-Za-z]:\\)(?=[^\s;,&'\"]{0,99}\d)[^\s;,&'\"]{8,100})",
    re.IGNORECASE,
)
_MAY_HOLD_CREDENTIAL: Final = re.compile(r"://|[=.]|[A-Za-z0-9_+/-]{16}|PRIVATE KEY")
_LONGEST_LINE: Final = 1_500
_OVERLAP: Final = 500
"""Characters; no token that the detectors know is longer, except for those that they know by their beginning."""
_GUESSABLE: Final = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S{8,}")
_SHOWN_USE: Final = re.compile(r"\{|\bexamples?\b|\be\.g\.|\bsuch as\b|\bformat\b", re.IGNORECASE)

_STAND_IN: Final = re.compile(
    r"example|sample|dummy|placeholder|changeme|change[-_ ]me|redacted|your|x{4,}|\*{3,}|\.{3}|…|[<>{}\[\]$]"
    r"|^\W*$|^(?:user|username|pass|password|passwd|pwd|secret|token|key|api[-_ ]?key|string|none|null)$",
    re.IGNORECASE,
)


def secrets_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, secret) for each secret in a text."""
    for mark in canaries.find(text):
        yield "Environment Variable", mark
    for line in text.splitlines():
        for part in _parts(line):
            for kind, value in _candidates(part):
                if not _STAND_IN.search(value):
                    yield kind, value


def credentials_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, credential) for what gives access wherever it occurs: a password in an address, a token of a known format.

    A word about a password, and its place in a documented form (`user:password@host`), is none.
    """
    if not _MAY_HOLD_CREDENTIAL.search(text):
        return
    pairs = [("a password in an address", match.group(1)) for match in _IN_ADDRESS.finditer(text)]
    pairs += [("a password in a connection string", match.group(1)) for match in _IN_SETTINGS.finditer(text)]
    for line in text.splitlines():
        for part in _parts(line):
            pairs += [(f"a credential ({kind})", value) for kind, value in _tokens(part)]
    for kind, value in pairs:
        if not _STAND_IN.search(value):
            yield kind, value


def _parts(line: str) -> Iterator[str]:
    """The line, or overlapping parts of a very long one: some of the detectors take quadratic time."""
    if len(line) <= _LONGEST_LINE:
        yield line
        return
    for start in range(0, len(line), _LONGEST_LINE - _OVERLAP):
        yield line[start : start + _LONGEST_LINE]


def _candidates(line: str) -> Iterator[tuple[str, str]]:
    yield from _tokens(line)
    for value in _basic_auth_detector().analyze_string(line):
        yield "Basic Auth Credentials", value
    yield from _assigned(line)


def _tokens(line: str) -> Iterator[tuple[str, str]]:
    for detector in _detectors():
        for value in _detected(detector, line):
            yield detector.secret_type, value
    for kind, pattern in _TOKENS:
        for match in pattern.finditer(line):
            yield kind, match.group()


def _detected(detector: Any, line: str) -> Iterator[str]:
    """The tokens that a detector finds, each as a whole."""
    if detector.secret_type in _IN_PARTS:
        return (match.group() for pattern in detector.denylist for match in pattern.finditer(line))
    tokens: Iterator[str] = detector.analyze_string(line)
    return tokens


def _assigned(line: str) -> Iterator[tuple[str, str]]:
    """Values assigned to names such as `password`; an example call (`{"password": "s3cret-42"}`) does not count."""
    if _SHOWN_USE.search(line):
        return
    quoted = _keyword_detector().analyze_string(line) if len(line) < _LONGEST_LINE else ()  # quadratic
    for value in (*quoted, *(match.group(1) for match in _PASSWORD.finditer(line))):
        if _GUESSABLE.fullmatch(value):
            yield "Password", value


# Importing the library takes 0.2 s, so it is imported only when a tool is judged.


@cache
def _detectors() -> tuple[Any, ...]:
    return tuple(_new_detector(module, name) for module, name in _DETECTORS)


@cache
def _basic_auth_detector() -> Any:
    return _new_detector("basic_auth", "BasicAuthDetector")


@cache
def _keyword_detector() -> Any:
    return _new_detector("keyword", "KeywordDetector")


def _new_detector(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
