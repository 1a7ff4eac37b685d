"""Numbers of the host protocol (`docs/host-protocol.md`), and how a tool's process ends when it cannot go on."""

from typing import Final

VERSION: Final = "1"
"""Version of the protocol."""
TARGET_FAULT: Final = -32001
"""Error code: the tool cannot be loaded."""
CANNOT_FORK: Final = -32002
"""Error code: the zygote has threads."""
EXIT_BROKEN: Final = 117
"""Exit status of a tool's process that cannot go on: the tool closed its descriptors or its event loop."""
