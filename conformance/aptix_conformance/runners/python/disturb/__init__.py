"""The disturbances of a call by kind: `KIND:WHAT` in the `disturbance` of `tools/execute`.

Each kind is a package with `make(what, cls, source)`; `source` is the source of the call's token.
"""

from collections.abc import Mapping
from typing import Final

from ..server import MakeDisturbance
from . import arguments, cancel, catalog, fault

BY_KIND: Final[Mapping[str, MakeDisturbance]] = {
    "arguments": arguments.make,
    "cancel": cancel.make,
    "catalog": catalog.make,
    "fault": fault.make,
}
