"""Rules that judge tools: one module for each area, and the decorator `rule`, which turns a function into a rule.

Rules that only one system has are in `systems/`; `systems.rulebook` collects all rules.
"""

from aptix_conformance.rules.lib.kernel import Finding, NoSuccess, NotApplicable, OwnPractice, Rule, rule

__all__ = ["Finding", "NoSuccess", "NotApplicable", "OwnPractice", "Rule", "rule"]
