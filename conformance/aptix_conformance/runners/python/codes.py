"""Numbers of the host protocol (`docs/host-protocol.md`), and the exit status of a broken tool's process."""

from typing import Final

VERSION: Final = "1"
"""Version of the protocol."""
TARGET_FAULT: Final = -32001
"""Error code: the tool cannot be loaded."""
CANNOT_FORK: Final = -32002
"""Error code: the zygote has threads."""
UNLISTED: Final = -32003
"""Error code: a server does not list the tool, or not at each reading of its list."""
EXIT_BROKEN: Final = 117
"""Exit status of a process whose tool closed the descriptors or the event loop."""
NO_SUCH_METHOD: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
"""Error codes of JSON-RPC 2.0; the last one is for a fault of the runner itself."""
