"""Finds sentences in Markdown that are hard to read, by the rules below.

  python -m tools.prose README.md CONTRIBUTING.md docs

It does not read headings, code, quoted text, the heads of tables, or the first cell of a row, which is a name. Each finding names the
place, the sentence's beginning and what to write instead. Exit status: 0; 1 when something was found; 2 on bad usage.

No kept linter carries these rules as data and works without a network. The wheel of vale downloads its program at the first use,
proselint's checks are its own modules, and textlint needs a package in JavaScript for each rule.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONGEST: Final = 35
"""Words that a sentence may have between its colons and semicolons; code does not count."""

_ARCHAISMS: Final = (
    "amid|anew|aught|behold|bestow|betwixt|ere|forthwith|heed(?:s|ed)?|hence|henceforth|hereby|herein|hither|lest|mend(?:s|ed)?|"
    "naught|nay|nigh|save for|shall|thence|thereby|therein|thereof|thereupon|thither|thrice|thus|twain|unto|upon|whence|whereby|"
    "wherein|whereof|whereupon|whilst|whither|whom|withal|wont|yea|yonder"
)
_CLAUSE: Final = r"[^.,;:()?!]*"
_DETERMINER: Final = r"(?:an?|the|its?|no|each|every|all|any|they|there|this|these|nothing|something|someone|one|two|tools|servers)"

SHAPES: Final = {
    r"^What\b(?!.*\?$)": "begin with the noun: 'A value that …', 'Tools without …'",
    rf"^That {_DETERMINER}\b": "begin with the actor, and say what it does",
    r"^Who(?:ever)?\b(?!.*\?$)": "name the person: 'An author who …'",
    r"(?<![Tt]here )\b(?:is|are) none\b": "say 'is not a …', or 'has no …'",
    r"; what\b": "name the thing: 'a value that …'",
    r"^Of (?!course)": "begin with the actor: 'The suite shows … of …'",
    r"^(?:So|Nor|Neither) (?:is|are|do|does|has|have|can)\b": "begin with the subject, and repeat the verb",
    r"\b(?:is|are) what\b": "name the thing",
    r"\b(?:is|are) to be\b": "say who must or should do it",
    r"(?<![Tt]here )\b(?:is|are) no (?!longer\b|more\b|less\b|other\b)": "say 'is not a …'",
    rf"\b(?:that|which|who)\b{_CLAUSE}\b(?:ones?|those|what|which|that) (?:that|which|who)\b": "make two sentences",
    rf"\b(?:ones?|those) that\b{_CLAUSE}\b(?:that|which|who|whose)\b": "make two sentences",
    rf"(?i:\b(?:{_ARCHAISMS})\b)": "use the everyday word",
}
"""What to write instead of each shape, by the regular expression that finds it in a sentence."""

_SHAPES: Final = [(re.compile(shape), advice) for shape, advice in SHAPES.items()]
_PAUSE: Final = re.compile(r"[;:]\s")
_WORD: Final = re.compile(r"(?<!`)\b\w\S*")
_QUOTED: Final = re.compile(r'"[^"\n]*"')
_END: Final = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)[)\"”]*\s+(?=[^a-z])")


class Finding(NamedTuple):
    """A sentence that a rule found; `line` counts from 1."""

    line: int
    sentence: str
    advice: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is found in the files; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.prose", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file, or a folder of *.md")
    paths: list[Path] = parser.parse_args(arguments).paths
    if absent := [path for path in paths if not path.exists()]:
        parser.error(f"{absent[0]} does not exist")
    pages = [page for path in paths for page in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    found = [(page, finding) for page in pages for finding in examine(page.read_text(encoding="utf-8"))]
    for page, finding in found:
        print(f"{page}:{finding.line}: “{finding.sentence[:70]}”: {finding.advice}")
    print(f"{len(pages)} pages read, {len(found)} sentences to rewrite")
    return 1 if found else 0


def examine(markdown: str) -> list[Finding]:
    """The sentences of a page that are hard to read, with what to write instead, in their order."""
    return [
        Finding(line, sentence, advice)
        for line, sentence in _sentences(MarkdownIt("commonmark").enable("table").parse(markdown))
        for advice in _advice(sentence)
    ]


def _advice(sentence: str) -> Iterator[str]:
    for shape, advice in _SHAPES:
        if match := shape.search(sentence):
            yield f"{match[0]!r}: {advice}"
    count = max(len(_WORD.findall(part)) for part in _PAUSE.split(sentence))
    if count > LONGEST:
        yield f"{count} words: make two sentences, of at most {LONGEST} words"


def _sentences(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Each sentence with its line. The token of a text follows the token that opens its paragraph, heading or cell."""
    line = 0
    for row, opening, token in zip([*tokens[:1], *tokens], tokens, tokens[1:], strict=False):
        line = token.map[0] + 1 if token.map else line
        is_name = row.type == "tr_open" or opening.type in ("heading_open", "th_open")
        if token.type == "inline" and not is_name:
            text = _QUOTED.sub('"…"', "".join(map(_text, token.children or ())))
            start = 0
            for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
                yield line + text.count("\n", 0, start), " ".join(text[start:end].split())
                start = end


def _text(token: Token) -> str:
    return {"code_inline": "`x`", "softbreak": "\n", "hardbreak": "\n"}.get(token.type, token.content)


if __name__ == "__main__":
    sys.exit(main())
