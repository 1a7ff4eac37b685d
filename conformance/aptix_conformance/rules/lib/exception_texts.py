"""Whether a success is nothing but the text of an exception, without its stack: `'str' object has no attribute 'get'`.

Such a text is data where a tool gives back what is kept: a note, a log, the error of a job. So four things must come together.
The whole answer, or the only member of it, is a sentence of `exception_sentences.py`, also behind a class and words such as
"Failed to convert:"; behind a class that only a runtime has, as in "KeyError: 'to'", it is whatever one line says. No call of the tool has sent it. Another
valid call of it was answered in another way: with data of another form, or with prose that is no such sentence. And the tool
does not speak of texts that others wrote, or gives all its other answers as data of one form. A tool that answers nothing
else is not judged.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from aptix_conformance.core.model import Call, Exploration
from aptix_conformance.rules.lib.declarations import properties, usage_text
from aptix_conformance.rules.lib.documents import arguments_of, payload_of, plain, strings_in
from aptix_conformance.rules.lib.exception_sentences import CLASSES, SENTENCES
from aptix_conformance.rules.lib.failures import may_show_data, only_text, reports_failure
from aptix_conformance.rules.lib.scope import proper

_LONGEST: Final = 4_000
"""Characters of a text that can be the message of an exception."""
_LONGEST_PART: Final = 400
"""Characters of what stands for a value in it."""
_PART: Final = re.compile(r"\{(any|name|number|more)\}")
_FITS: Final = {
    "any": re.compile(r"[^\n]+"),
    "name": re.compile(r"\S+"),
    "number": re.compile(r"-?\d[\d.,]*"),
    "more": re.compile(r".*", re.DOTALL),
}
_CLASS: Final = re.compile(r"((?:[A-Za-z_]\w{0,60}\.){0,8})([A-Za-z_]\w{0,80})(?: \[\w{1,40}\])?: ")
"""How an exception is written: its modules, its class, in Node.js its code, and what it says."""
_NAMED_AS_ONE: Final = ("Error", "Exception")
_FAILED: Final = re.compile(r"(?:[Ee]rror|[Ff]ailed|[Cc]ould not|[Cc]annot|[Uu]nable)(?: [^\n:]{1,80})?: ")
"""The words of a tool that caught one."""
_SAYS: Final = frozenset({"error", "errormessage", "exception", "message", "reason", "detail"})
"""The names of a member that is all of an answer, and that says what went wrong."""
_REMARK: Final = re.compile(r"\b(?:Notes?|NOTES?|Please note)(?::| that\b)")
"""The word "note" where it stands for no note."""
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_OF_OTHERS: Final = frozenset(
    [
        "article",
        "articles",
        "clipboard",
        "comment",
        "comments",
        "console",
        "content",
        "contents",
        "conversation",
        "debug",
        "diagnostic",
        "diagnostics",
        "doc",
        "docs",
        "document",
        "documents",
        "email",
        "emails",
        "exception",
        "exceptions",
        "file",
        "files",
        "history",
        "html",
        "inbox",
        "lint",
        "linter",
        "log",
        "logged",
        "logging",
        "logs",
        "mail",
        "mails",
        "memo",
        "memos",
        "memory",
        "memories",
        "note",
        "notes",
        "parse",
        "parser",
        "parses",
        "regex",
        "script",
        "scripts",
        "shell",
        "snippet",
        "snippets",
        "stack",
        "stderr",
        "stdout",
        "stored",
        "syntax",
        "terminal",
        "test",
        "tests",
        "trace",
        "traceback",
        "traces",
        "transcript",
        "transcripts",
        "url",
        "urls",
        "validate",
        "validates",
        "validation",
        "validator",
        "web",
        "website",
    ]
)
"""Words, in a tool's name, arguments and description, of texts that others wrote, and of tools whose findings are such sentences."""
_OF_STATES: Final = frozenset(
    [
        "alert",
        "alerts",
        "bug",
        "bugs",
        "build",
        "builds",
        "check",
        "crash",
        "crashes",
        "define",
        "definition",
        "error",
        "errors",
        "event",
        "events",
        "explain",
        "failure",
        "failures",
        "fault",
        "faults",
        "health",
        "incident",
        "incidents",
        "issue",
        "issues",
        "job",
        "jobs",
        "message",
        "messages",
        "problem",
        "problems",
        "result",
        "results",
        "run",
        "runs",
        "state",
        "status",
        "task",
        "tasks",
        "ticket",
        "tickets",
        "valid",
        "warning",
        "warnings",
    ]
)
"""The same in its name alone: descriptions have these words for much else."""


@lru_cache(maxsize=1)
def _split_sentences() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By the first character, none for a value: each sentence with its literals and, between them, the kinds of its values."""
    by_character: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for sentence in (sentence for group in SENTENCES.values() for sentence in group):
        parts = tuple(_PART.split(sentence))
        by_character.setdefault(parts[0][:1], []).append((sentence, parts))
    return by_character


@lru_cache(maxsize=1024)
def sentence_in(text: str) -> str:
    """The sentence of an exception that is the whole of a text, its class and words of failure aside; empty where there is none."""
    bare = text.strip()
    if not bare or len(bare) > _LONGEST:
        return ""
    said = _FAILED.match(bare)
    rest = bare[said.end() :] if said else ""
    return next(filter(None, map(_sentence_behind_a_class, filter(None, (bare, rest)))), "")


def _sentence_behind_a_class(text: str) -> str:
    """The sentence that is all of a text, or that stands behind a class; of a runtime's own class, its name with any line."""
    sentence, written = _bare_sentence(text), _CLASS.match(text)
    rest = text[written.end() :] if written else ""
    if sentence or written is None or not rest:
        return sentence
    modules, name = written.groups()
    is_named_as_one = name.endswith(_NAMED_AS_ONE)
    if (modules or is_named_as_one or name in CLASSES) and (sentence := _bare_sentence(rest)):
        return sentence
    is_runtimes = name in CLASSES or (modules and is_named_as_one)
    return f"{name}: {{any}}" if is_runtimes and "\n" not in rest else ""


def _bare_sentence(text: str) -> str:
    candidates = (*_split_sentences().get(text[0], ()), *_split_sentences()[""])
    return next((sentence for sentence, parts in candidates if _fits(text, parts)), "")


def _fits(text: str, parts: tuple[str, ...]) -> bool:
    """Whether a text is a sentence. Each literal is looked for once, so that no text takes long."""
    literals, kinds = parts[::2], parts[1::2]
    if not text.startswith(literals[0]) or not text.endswith(literals[-1]):
        return False
    if not kinds:
        return text == literals[0]
    ends = [len(literals[0])]
    values: list[str] = []
    for literal, is_last in zip(literals[1:], (*[False] * (len(kinds) - 1), True), strict=True):
        least = ends[-1] if kinds[len(values)] == "more" else ends[-1] + 1
        place = len(text) - len(literal) if is_last else text.find(literal, least)
        if place < least:
            return False
        values.append(text[ends[-1] : place])
        ends.append(place + len(literal))
    return all(
        _FITS[kind].fullmatch(value) and (kind == "more" or len(value) <= _LONGEST_PART)
        for kind, value in zip(kinds, values, strict=True)
    )


def bare_exception(call: Call) -> str:
    """The sentence of an exception that is the whole answer of a call that succeeded; empty where there is none.

    What the call itself sent is none, and neither is a line about a class that it sent, or what a program or a log says
    that it names.
    """
    text = _answer(call) if call.succeeded else None
    sentence = sentence_in(text) if text is not None and len(text) <= _LONGEST else ""
    if not sentence or text is None:
        return ""
    arguments = arguments_of(call)
    sent = tuple(strings_in(arguments))
    is_own = may_show_data(arguments) or any(text.strip() in each for each in sent)
    return "" if is_own or _sent_class(text, sent) else sentence


def _sent_class(text: str, sent: tuple[str, ...]) -> bool:
    """Whether a text begins with a class that the call sent, as "KeyError: Raised when …" does in a glossary."""
    written = _CLASS.match(text.strip())
    return written is not None and any(written[2].casefold() in each.casefold() for each in sent)


def failed_by_contrast(exploration: Exploration) -> Iterator[tuple[Call, str]]:
    """The successes that are the text of an exception and nothing else, where the tool answers otherwise, each with its sentence."""
    found = [(call, sentence) for call in exploration.calls if (sentence := bare_exception(call))]
    if not found:
        return
    sent = {
        text for call in exploration.calls for text in strings_in(arguments_of(call)) if sentence_in(text)
    }
    others = [call for call in exploration.calls if proper(call) and _is_ordinary(call)]
    forms = set(map(_form, others))
    if _speaks_of_texts(exploration) and not _is_structured(others, forms):
        return
    for call, sentence in found:
        if (_answer(call) or "").strip() not in sent and forms - _alike(_form(call)):
            yield call, sentence


def _answer(call: Call) -> str | None:
    """The text that is all of an answer: prose, a text of JSON, or the only member of an object that says what went wrong."""
    document = payload_of(call)
    text = only_text(document.value)
    if text is None and isinstance(document.value, dict):
        members = [(plain(str(name)), value) for name, value in document.value.items() if value is not None]
        if len(members) == 1 and members[0][0] in _SAYS:
            text = members[0][1] if isinstance(members[0][1], str) else None
    raw = call.result.payload if call.result else None
    return raw if text is None and isinstance(document.value, list) else text


def _is_ordinary(call: Call) -> bool:
    """A success with an answer that neither is the text of an exception nor says that the call failed."""
    document = payload_of(call)
    if not call.succeeded or document.fault is not None or not document.is_parsed or bare_exception(call):
        return False
    return document.value not in (None, "") and not reports_failure(document.value, arguments_of(call))


def _form(call: Call) -> str:
    """The form of an answer: a text, a list, or an object with its names."""
    value = payload_of(call).value
    if isinstance(value, dict):
        return "object " + " ".join(sorted(map(str, value)))
    return "list" if isinstance(value, list) else "text"


def _is_structured(others: list[Call], forms: set[str]) -> bool:
    """Whether calls with different arguments were all answered with data of one form, so that prose is no answer."""
    return len(forms) == 1 and forms != {"text"} and len({call.plan.arguments for call in others}) > 1


def _alike(form: str) -> set[str]:
    """The forms that are no contrast to another: the same one, unless it is prose."""
    return set() if form == "text" else {form}


def _speaks_of_texts(exploration: Exploration) -> bool:
    """Whether the tool may give back texts that others wrote, by its name, its arguments and its description."""
    declaration = exploration.declarations[0]
    name = declaration.tool_name.value or declaration.class_name
    texts = (name, *properties(declaration), _REMARK.sub("", usage_text(declaration)))
    return bool(_words(*texts) & _OF_OTHERS or _words(name) & _OF_STATES)


def _words(*texts: str) -> set[str]:
    return {word.lower() for text in texts for word in _WORD.findall(text)}
