"""Claims of a tool about itself that decide which calls are worth making."""

import re
from typing import Final

_IDEMPOTENT: Final = r"idempotent|read[- ]only|deterministic(?! (?:finite|automat|model|polic))"
_WORD: Final = r"(?:(?!not\b|never\b|rarely\b|may\b|might\b|cannot\b|need\b|\w+n't)[\w'-]+\s+)"
"""A word, and none that denies or weakens what follows."""
_VERB: Final = r"(?:giv|return|yield|produc|answer|ha|mak|mean)(?:es?|s|ve)?"
_SAME: Final = r"(?:the\s+same|equal|identical)"
_PLAIN: Final = re.compile(
    rf"\b(?:{_IDEMPOTENT})\b|(?:^|[-,;:.]\s+|\band\s+)repeatable\b", re.IGNORECASE | re.MULTILINE
)
_CLAIM: Final = re.compile(
    rf"(?:^|[-,;:.(]\s*|\bso\s+){_SAME}\s+{_WORD}{{1,5}}?{_VERB}\s+{_SAME}\b"
    rf"|\bwith\s+{_SAME}\s+(?:argument|input|parameter|value)s?,?\s+{_WORD}{{0,5}}?{_VERB}\s+{_SAME}\b"
    rf"|(?<!not\s)(?<!n't\s)\balways\s+{_VERB}\s+(?:(?:with|back)\s+)?{_SAME}\b"
    r"|\bthe\s+same\s+(?:answer|output|repl(?:y|ie)|response|result|value)s?\s+(?:each|every)\s+time\b",
    re.IGNORECASE | re.MULTILINE,
)
_WEAK: Final = re.compile(
    r"\b(?:not|never|unlike|rather\s+than|only\s+if|unless|seed\w*|almost)\b|n't\b", re.IGNORECASE
)
"""A word of a sentence that denies or limits what it says of equal answers."""
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n\s*\n")
_DENIAL: Final = re.compile(
    rf"\b(?:not|never|no|isn't|non|nor)[ -](?:\w+ ){{0,2}}(?:{_IDEMPOTENT}|repeatable)\b", re.IGNORECASE
)


def claims_idempotence(text: str) -> bool:
    """Whether a text says, and does not deny, that a tool is idempotent, only reads or gives equal calls equal answers."""
    if _DENIAL.search(text):
        return False
    return bool(_PLAIN.search(text)) or any(
        _CLAIM.search(sentence) and not _WEAK.search(sentence) for sentence in _SENTENCE.split(text)
    )
