"""JSON for the protocol, by the runner's own copy of `json`: the tool gets another one and may patch that."""

import json
from typing import Final

decode: Final = json.loads
encode: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
dumps: Final = json.dumps
