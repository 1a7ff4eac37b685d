"""Grammars that a text argument may have: how each is recognised, and the texts that careless code fails on, the sharpest first.

An argument has a grammar if its name, its description, its format or a value that its author shows says so. A name such as
`code` may mean a country's: it says so only where the tool's own name does (`in_tools`).

Where more than the description says so, a text of a grammar takes the place of another one of `extremes.TEXTS` that shows
nothing of such an argument, so a tool gets as many calls as before. A description may only mention the grammar: then all are sent.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ENDLESS: Final = "endless-"
"""What the word for a text begins with whose evaluation never ends: where one made an argument hang, the others are not sent for it."""
CATASTROPHIC: Final = "catastrophic-pattern"


@dataclass(frozen=True, slots=True)
class Grammar:
    """One grammar.

    `names` matches an argument's name in snake case, and `in_tools` the names of the tool and of the argument, as `tool/argument`;
    `described` is looked for in a description; `value` matches a value that the author shows, as a whole. `source` says where the
    faults of `texts` are known from. The texts named in `in_place_of` are not sent.
    """

    kind: str
    source: str
    names: str
    described: str
    texts: Mapping[str, str]
    in_place_of: tuple[str, ...] = ()
    formats: frozenset[str] = frozenset()
    value: str = r"(?!)"
    in_tools: str = r"(?!)"


_IS: Final = r"(?:^|[.;(])\W*(?:(?!(?:of|for|in|from|by|to)\b)[\w'-]+ ){0,3}"
"""The beginning of a sentence that says what an argument is: "the id of the script to run" is no script."""
_REPEATED: Final = ("repeated-letters", "repeated-digits", "repeated-words", "repeated-spaces")
_WIDE: Final = ("two-units-each", "one-unit-first")
_MARKS: Final = ("superscript", "dotted-capital", "right-to-left")
_PLACES: Final = ("directory", "long-name", "option")

CODE: Final = Grammar(
    kind="code",
    source="CWE-95 (code that is evaluated), CWE-835 (a loop without an end); SystemExit is no Exception in Python",
    names=r"(?:python|js|javascript|source|program)_?(?:code|script|source)|script|snippet",
    described=rf"{_IS}(?:python|javascript|typescript|js|node(?:\.js)?|ruby|lua)(?: source)? (?:code|script|program|snippet)\b"
    rf"|{_IS}(?:code|script|program|snippet) (?:to|that (?:is|will be)|which is) (?:be )?(?:run|execut|evaluat)",
    texts={
        "endless-loop": "while True:\n    pass",
        "endless-function": "def f():\n    while True:\n        pass\nf()",
        "endless-comprehension": "[0 for _ in iter(int, 1) if False]",
        "endless-loop-js": "for (;;);",
        "endless-function-js": "(() => { for (;;); })()",
        "exits": "raise SystemExit(3)",
        "exits-js": "process.exit(3)",
    },
    in_place_of=(*_REPEATED, *_WIDE, "superscript"),
    in_tools=r"(?:.*_)?(?:run|exec|execute|eval|evaluate|python|node|js|repl|interpreter|sandbox|script)(?:_.*)?/(?:code|source|program)"
    r"|(?:.*_)?(?:repl|interpreter)(?:_.*)?/(?:tool_)?(?:query|input|command)",
)
EXPRESSION: Final = Grammar(
    kind="expression",
    source="CWE-95, CWE-1333; 9**9**9 has 369,693,100 digits; ast.literal_eval and simpleeval document the limits that they need",
    names=r"(?:math_?|arithmetic_?)?(?:expressions?|expr|formula|calculation|equation)",
    described=rf"{_IS}(?:arithmetic|math(?:s|ematical)?)(?:al)? (?:expression|formula|calculation|equation)\b"
    rf"|{_IS}(?:expression|formula|equation) (?:to|that is) (?:be )?(?:evaluat|calculat|comput)",
    texts={
        "endless-power": "9**9**9**9",
        "endless-power-caret": "9^9^9^9",
        "endless-sum": "sum(0 for _ in iter(int, 1))",
        "environment-of-process": "str(__import__('os').environ)",
        "division-by-zero": "1/0",
        "exits": "exit(3)",
    },
    in_place_of=(*_WIDE, *_PLACES, "repeated-words"),
    value=r"(?=.*\d\s*(?:[+*^]|\s[-/%]\s)\s*[(\d])[\d\s.()+*/^%-]{3,80}",
)
SQL: Final = Grammar(
    kind="sql",
    source="CWE-89; sqlite.org/lang_with.html (recursive queries), sqlite3 in Python's library: a statement without rows has no "
    "description, two statements raise, a blob is bytes",
    names=r"sql(?:_?(?:query|statement|text))?|(?:query|statement)_sql",
    described=rf"{_IS}(?:SQL(?:ite)?(?: SELECT)?|SELECT) (?:query|queries|statements?|text|code|to (?:run|execute))\b"
    rf"|{_IS}(?:query|statement)s? in SQL\b",
    texts={
        "endless-query": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n",
        "blob": "SELECT x'00ff' AS a",
        "infinite-number": "SELECT 9e999 AS a",
        "comment-only": "-- a",
        "two-statements": "SELECT 1 AS a; SELECT 2 AS b",
        "attached-database": "ATTACH DATABASE '../aptix-attached.db' AS a",
        "open-quote": "SELECT 'a",
    },
    in_place_of=(*_REPEATED, *_WIDE, "long-name"),
    value=r"(?is)\s*(?:select|insert|update|delete|with|create|pragma)\s.{3,}",
    in_tools=r"(?:.*_)?(?:sql|sqlite|postgres|postgresql|mysql|database|db|duckdb|bigquery)(?:_.*)?/(?:query|statement)",
)
PATTERN: Final = Grammar(
    kind="pattern",
    source="CWE-1333; `re` in Python's library: a repetition may be too large (OverflowError), groups too deep (RecursionError)",
    names=r"(?:.*_)?(?:reg_?exp?|pattern|rx)s?",
    described=rf"{_IS}(?:regular expression|regexp?\b)",
    texts={
        CATASTROPHIC: r"(.+)+\x01",
        "large-repetition": "a{99999999999}",
        "nested-groups": "(" * 600 + "a" + ")" * 600,
    },
    in_place_of=("superscript", "repeated-spaces"),
    formats=frozenset({"regex"}),
)
PATH: Final = Grammar(
    kind="path",
    source="CWE-22, CWE-73",
    names=r"(?:.*_)?(?:path|file_?path|file_?name|file|dir|directory|folder)",
    described=r"\b(?:path (?:to|of) (?:a|the)|(?:file|folder|directory)(?:'s)? (?:path|name)|name of (?:a|the) file)\b",
    texts={
        "file-uri": "file:///proc/self/environ",
        "below-a-file": "/proc/self/environ/a",
    },
    in_place_of=("superscript", "overflowing"),
    value=r"(?:\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.(?:txt|md|json|csv|py|js|toml|yaml|yml|log|html|xml|pdf|db)",
)
URL: Final = Grammar(
    kind="url",
    source="CWE-918; urllib.parse in Python's library raises ValueError for brackets, ports and characters that NFKC changes, and "
    "`idna` UnicodeError for a long label; WHATWG URL throws TypeError",
    names=r"(?:.*_)?(?:url|uri|href|webhook|endpoint)s?",
    described=rf"{_IS}(?:URLs?|URIs?|web address)\b",
    texts={
        "file-uri": "file:///proc/self/environ",
        "open-bracket": "http://[::1",
        "far-port": "http://127.0.0.1:99999/",
        "long-label": f"http://{'a' * 64}.example/",
        "changed-by-nfkc": "http://a\u2100b.example/",
        "no-host": "http://",
    },
    in_place_of=(
        "directory",
        "superscript",
        "repeated-words",
        "repeated-digits",
        "overflowing",
        "not-a-number",
    ),
    formats=frozenset({"uri", "url", "iri"}),
    value=r"(?:https?|ftp|file)://\S+",
)
GLOB: Final = Grammar(
    kind="glob",
    source="pathlib in Python's library raises ValueError for ** within a name, and NotImplementedError for an absolute pattern",
    names=r"(?:.*_)?(?:glob|file_?pattern|include_?pattern|exclude_?pattern|mask)s?",
    described=rf"{_IS}globs?\b|\b(?:with|allows?|supports?|may (?:have|hold|contain|use)) wildcards?\b",
    texts={"joined-stars": "a**b", "absolute-glob": "/*", "glob-upwards": "../*", "open-class": "[!"},
    in_place_of=("superscript", "overflowing", "not-a-number", "repeated-words"),
    value=r"(?:[\w.*-]+/)*\*{1,2}(?:/?\*?\.\w+|/[\w.*-]+)",
)
DATE: Final = Grammar(
    kind="date",
    source="RFC 3339; datetime in Python's library ends with the year 9999 (OverflowError), and has no second 60",
    names=r"(?:.*_)?(?:date|day|datetime|timestamp|since|until|deadline|due|birthday)|(?:starts?|ends?)_(?:at|on|time)",
    described=rf"\bYYYY-MM-DD\b|\bISO[ -]?8601\b|\bRFC[ -]?3339\b|{_IS}date (?:in|as|of)\b",
    texts={
        "last-day": "9999-12-31",
        "first-day": "0001-01-01",
        "last-moment": "9999-12-31T23:59:59-12:00",
        "first-moment": "0001-01-01T00:00:00+14:00",
        "leap-second": "2016-12-31T23:59:60Z",
    },
    in_place_of=("directory", "long-name", "option", "repeated-words", "repeated-letters"),
    formats=frozenset({"date", "date-time"}),
    value=r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?",
)
ZONE: Final = Grammar(
    kind="zone",
    source="zoneinfo in Python's library raises ValueError for a path that leads out, and OSError for a folder; Intl throws RangeError",
    names=r"(?:.*_)?(?:tz|time_?zone|zone_?name)",
    described=rf"{_IS}time ?zones?\b|\bIANA (?:names?|identifiers?|zones?|time ?zones?|tz)\b",
    texts={
        "zone-upwards": "../UTC",
        "absolute-zone": "/etc/localtime",
        "folder-of-zones": "Europe",
        "far-offset": "UTC+99",
    },
    in_place_of=("overflowing", "superscript", "repeated-words", "repeated-letters"),
    value=r"(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)/[\w/+-]+",
)
TEMPLATE: Final = Grammar(
    kind="template",
    source="CWE-1336; Jinja's and EJS's pages on untrusted templates",
    names=r"(?:.*_)?(?:template|format_string)",
    described=r"\b(?:jinja2?|mustache|handlebars|ejs|liquid) (?:text|template|string|syntax|markup)s?\b"
    rf"|{_IS}template (?:text|string|with)\b",
    texts={
        "endless-template": "{% for a in range(999999999999) %}{% endfor %}",
        "environment-in-template": "{{ cycler.__init__.__globals__.os.environ }}",
        "environment-in-template-js": "<%= JSON.stringify(process.env) %>",
        "open-block": "{% if",
        "undefined-member": "{{ a.b.c }}",
    },
    in_place_of=("directory", "option", "superscript", "overflowing", "not-a-number"),
    value=r"(?s).*(?:\{\{.*\}\}|\{%.*%\}|<%=?.*%>).*",
)
JSON: Final = Grammar(
    kind="json",
    source="RFC 8259 section 9: a parser may limit depth and range; Python's takes NaN and halves of characters",
    names=r"(?:.*_)?json(?:_.*)?",
    described=r"\bJSON[ -](?:document|text|string|object|array|value|data|payload|encoded)s?\b|\bapplication/(?:[\w.-]+\+)?json\b"
    r"|\b(?:document|text|string|object|array|value|data|payload)s? (?:in|as|of) JSON\b",
    texts={
        "json-not-a-number": '{"a": NaN}',
        "json-infinite": '{"a": 1e400}',
        "json-lone-surrogate": '{"a": "\\ud800"}',
    },
    in_place_of=("directory", "long-name", "repeated-words"),
    value=r"(?s)\s*[\[{].*[\]}]\s*",
)
COMMAND: Final = Grammar(
    kind="command",
    source="CWE-78, CWE-88; shlex in Python's library raises ValueError for a quote that is not closed; a child inherits standard input",
    names=r"(?:.*_)?(?:cmd|command|command_?line|shell)s?",
    described=rf"{_IS}(?:(?:shell|bash|terminal) (?:command|script)s?|command(?: line)? to (?:run|execute))\b|\bas for sh\b",
    texts={
        "endless-command": "sleep 1000000",
        "endless-input": "cat",
        "unclosed-quote": "echo 'a",
        "no-such-command": "aptix-no-such-command",
    },
    in_place_of=(*_MARKS, "repeated-words"),
)
GRAMMARS: Final = (CODE, EXPRESSION, SQL, PATTERN, PATH, URL, GLOB, DATE, ZONE, TEMPLATE, JSON, COMMAND)
"""In the order in which they are tried."""

TIMEOUT: Final = re.compile(
    r"(?:.*_)?(?:time_?out|time_?limit|max_?time|max_?seconds)(?:_(?:s|sec|secs|seconds|ms))?"
)
"""The name of an argument that limits the time of a call: a text without an end is sent with the least of it."""


def is_endless(detail: str | None) -> bool:
    """Whether the evaluation of a text never ends, by its word."""
    return detail is not None and (detail.startswith(ENDLESS) or detail == CATASTROPHIC)
