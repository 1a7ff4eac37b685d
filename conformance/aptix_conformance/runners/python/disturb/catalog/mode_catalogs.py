"""The modes of the catalogs in `mode_catalogs`."""

import json
import os
from typing import Any, Final

from ...frames import FOLDER

MANY: Final = 10_000
"""Number of modes of the catalog `many`."""

_DEFAULTS: Final = {
    "systemPromptSummary": "",
    "isDefault": False,
    "humanRoleHints": None,
    "exampleUtterances": None,
}
_PLACE: Final = os.path.join(FOLDER, "mode_catalogs")
_read: Final = json.load
_open: Final = open


def names() -> set[str]:
    """The names of all catalogs."""
    return {"many", *(name.removesuffix(".json") for name in os.listdir(_PLACE))}


def modes_of(name: str) -> list[dict[str, Any]]:
    """The modes of a catalog, each with all eight fields."""
    if name == "many":
        (pattern,) = modes_of("one_mode")
        return [{**pattern, "id": f"{number:032x}", "key": f"mode_{number}"} for number in range(MANY)]
    with _open(f"{_PLACE}/{name}.json", encoding="utf-8") as stream:
        return [{**_DEFAULTS, **mode} for mode in _read(stream)["modes"]]
