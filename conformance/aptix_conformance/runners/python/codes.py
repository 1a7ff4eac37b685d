"""Numbers of the host protocol (`docs/host-protocol.md`), and the exit status of a broken tool's process."""

from typing import Final

VERSION: Final = "1"
"""Version of the protocol."""
TARGET_FAULT: Final = -32001
"""Error code: the tool cannot be loaded."""
CANNOT_FORK: Final = -32002
"""Error code: the zygote has threads."""
EXIT_BROKEN: Final = 117
"""Exit status of a process whose tool closed the descriptors or the event loop."""
