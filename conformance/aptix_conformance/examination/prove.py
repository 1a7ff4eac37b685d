"""The fifth phase, from a breach to a counterexample: as small as can be found in time, and shown again in a fresh process.

Each broken rule is proved for up to `MOST_CAUSES` causes, those that are easiest to read first.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace

from aptix_conformance.examination.case import Explored, Proved
from aptix_conformance.examination.cause_keys import cause_key
from aptix_conformance.examination.ledger import Breach
from aptix_conformance.examination.masks import settle
from aptix_conformance.examination.reproduce import Reproduction
from aptix_conformance.examination.shrink import shrunk
from aptix_conformance.examination.verdicts import Proof
from aptix_conformance.rules.lib.kernel import Rule

MOST_CAUSES = 5
"""Causes of one rule that are proved and reported; the others are counted."""


def prove(explored: Explored) -> Proved:
    """Counterexamples for each rule that the ledger holds a breach of.

    Raises:
        HostError: no process could be started or kept.
    """
    case = explored.case
    case.ledger.conclude()
    settled = settle(case.ledger)
    reproduction = Reproduction(case.ledger, case.host)
    proofs = {
        rule.code: _proof(rule, settled.breaches[rule.code], explored, reproduction)
        for rule in case.ledger.rules
        if rule.code in settled.breaches
    }
    return Proved(case, proofs, settled)


def _proof(
    rule: Rule, breaches: Mapping[Hashable, Breach], explored: Explored, reproduction: Reproduction
) -> Proof:
    chosen = sorted(breaches.values(), key=lambda breach: breach.cost)[:MOST_CAUSES]
    proved = []
    for breach in chosen:
        smallest = shrunk(rule, breach, explored.case.host, explored.sources, len(chosen))
        found = reproduction.reproduced(rule, smallest, breach)
        proved.append(replace(found, cause=cause_key(breach.finding, breach.call)))
    # What counts without having been shown again comes after what was, and what does not count at the end.
    proved.sort(key=lambda found: (not found.reproduced, not found.counts))
    return Proof(tuple(proved), len(breaches))
