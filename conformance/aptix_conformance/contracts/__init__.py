"""The contracts as data: clauses, editions and levels, read from `clauses.yaml` and from nowhere else."""

from aptix_conformance.contracts.inventory import (
    Clause,
    Edition,
    Inventory,
    Level,
    OwnContract,
    extended,
    load,
)

__all__ = ["Clause", "Edition", "Inventory", "Level", "OwnContract", "extended", "load"]
