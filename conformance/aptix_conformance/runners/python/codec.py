"""JSON for the protocol, by the runner's own copy of `json`. The tool gets another copy, which it may patch."""

import json
from typing import Final

decode: Final = json.loads
encode: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
dumps: Final = json.dumps
