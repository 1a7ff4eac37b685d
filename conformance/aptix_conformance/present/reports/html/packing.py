"""Data inside the page: JSON, as gzip in base64, so that no text of a tool can end an element of the document."""

import base64
import gzip
import json
from typing import Any


def packed(data: Any) -> str:
    """The data as a line of base64; the same data gives the same line."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
