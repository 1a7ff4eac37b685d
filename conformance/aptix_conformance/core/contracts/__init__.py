"""The contracts as data: clauses, editions and levels, read from `clauses.yaml` and from nowhere else."""

from aptix_conformance.core.contracts.inventory import (
    Clause,
    Edition,
    Inventory,
    extended,
    load,
)
from aptix_conformance.core.model.verdict import Level

__all__ = ["Clause", "Edition", "Inventory", "Level", "extended", "load"]
