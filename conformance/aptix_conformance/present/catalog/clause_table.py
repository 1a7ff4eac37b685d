"""The clauses and what proves them: for the terminal, as Markdown and as JSON."""

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from aptix_conformance.core.contracts import Edition
from aptix_conformance.present.catalog.accounting import STATUSES, Account
from aptix_conformance.present.catalog.markdown import cell

_WORDS: Final = {
    "covered": "a rule fails tools for it",
    "advisory": "rules advise, none fails a tool for it",
    "harness": "proved by tests of the harness and the reference tools",
    "process": "how people work; tests show that it is done, or that the suite supplies the means",
    "open": "not machine-checkable, for the reason given",
    "pending": "a rule could prove it, and none does yet, for the reason given",
    "unaccounted": "nothing proves it yet",
}


_HEAD: Final = """\
# The clauses, and what proves them

In the terminal: `aptix-conformance clauses`. A clause is

"""


def clause_lines(accounts: Sequence[Account], edition: Edition | None) -> Iterator[str]:
    """Several lines for each clause, then a line of counts; levels are those of the edition, if one is given."""
    for account in accounts:
        clause = account.clause
        yield f"{clause.id:<13} {_level(account, edition):<6} {account.status}"
        yield from _wrapped("", clause.text)
        yield from _wrapped("rules", ", ".join(account.rules))
        yield from _wrapped("fixtures", ", ".join(account.fixtures))
        for test in account.tests:
            yield from _wrapped("test", test)
        yield from _wrapped("why", clause.why or clause.pending or "")
    yield _counted(accounts)


def clause_json(accounts: Iterable[Account], edition: Edition | None) -> list[dict[str, Any]]:
    """One JSON object for each clause.

    Members: `id`, `document`, `kind`, `text`, `level`, `levels` (by edition), `status`, `rules`, `fixtures`, `tests`, and
    `why`, which is null where the clause gives no reason.
    """
    return [
        {
            "id": account.clause.id,
            "document": account.clause.document,
            "kind": account.clause.kind,
            "text": account.clause.text,
            "level": _level(account, edition),
            "levels": {name: level.value for name, level in account.levels.items()},
            "status": account.status,
            "rules": list(account.rules),
            "fixtures": list(account.fixtures),
            "tests": list(account.tests),
            "why": account.clause.why,
        }
        for account in accounts
    ]


def clause_markdown(accounts: Sequence[Account], edition: Edition | None = None, root: str = "..") -> str:
    """The page: a table for each document. `root` is the path to the checkout from the page's folder."""
    parts = [
        _HEAD,
        "".join(f"- {status}: {_WORDS[status]}\n" for status in STATUSES),
        f"\n{_counted(accounts)}\n",
    ]
    for document in dict.fromkeys(account.clause.document for account in accounts):
        rows = [account for account in accounts if account.clause.document == document]
        parts += [
            f"\n## {document}\n\n| clause | level | status | says | proved by |\n| --- | --- | --- | --- | --- |\n",
            "".join(f"{_row(account, edition, root)}\n" for account in rows),
        ]
    return "".join(parts)


def _row(account: Account, edition: Edition | None, root: str) -> str:
    proofs = [f"[{rule}](rules/{rule}.md)" for rule in account.rules]
    proofs += [_link(test, root) for test in account.tests]
    if account.clause.why:
        proofs.append(cell(account.clause.why))
    cells = (account.clause.id, _level(account, edition), account.status, cell(account.clause.text))
    return f"| {' | '.join(cells)} | {', '.join(proofs)} |"


def _link(test: str, root: str) -> str:
    path, _, name = test.partition("::")
    return f"[{name}]({root}/{path})"


def _level(account: Account, edition: Edition | None) -> str:
    return (account.levels[edition.name] if edition else account.clause.level).value


def _counted(accounts: Sequence[Account]) -> str:
    counts = Counter(account.status for account in accounts)
    listed = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    return f"{len(accounts)} {'clause' if len(accounts) == 1 else 'clauses'}: {listed or 'none'}"


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        width=110,
        initial_indent=f"  {label:<9} " if label else "  ",
        subsequent_indent=" " * 12 if label else "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
