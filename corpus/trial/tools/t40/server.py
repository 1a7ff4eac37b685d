"""Full text search over a folder of plain text documents."""
import logging
import re
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated

from mcp.server.fastmcp import FastMCP
from pydantic import Field

DOCS = Path(__file__).parent / "docs"
WORD = re.compile(r"[a-z0-9]+")

log = logging.getLogger("doc-search")
mcp = FastMCP("doc-search")
_index: dict[str, Counter] = defaultdict(Counter)


def _build() -> int:
    started = time.perf_counter()
    _index.clear()
    files = sorted(DOCS.glob("*.txt"))
    for path in files:
        for word in WORD.findall(path.read_text(encoding="utf-8").lower()):
            _index[word][path.name] += 1
    elapsed = (time.perf_counter() - started) * 1000
    log.info("Indexed %d documents, %d terms in %.1f ms", len(files), len(_index), elapsed)
    return len(files)


@mcp.tool()
def reindex() -> dict:
    """Rebuild the search index after documents were added or changed."""
    return {"documents": _build(), "terms": len(_index)}


@mcp.tool()
def search_docs(
    query: Annotated[str, Field(description="Words to look for; all of them count", min_length=1)],
    limit: Annotated[int, Field(description="Largest number of documents to return", ge=1, le=50)] = 5,
) -> dict:
    """Search the documents and return the best matches with their score."""
    if not _index:
        _build()
    scores: Counter = Counter()
    for word in WORD.findall(query.lower()):
        scores.update(_index.get(word, {}))
    hits = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return {
        "query": query,
        "total": len(hits),
        "hits": [{"document": name, "score": score} for name, score in hits[:limit]],
    }


@mcp.tool()
def read_doc(
    name: Annotated[str, Field(description="Name of a document as search_docs returns it")],
) -> str:
    """Return the text of one document."""
    known = {path.name: path for path in DOCS.glob("*.txt")}
    if name not in known:
        raise ValueError(f"name: there is no document {name!r}")
    return known[name].read_text(encoding="utf-8")


if __name__ == "__main__":
    mcp.run()
