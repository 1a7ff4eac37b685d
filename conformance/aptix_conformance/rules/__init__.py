"""What tools are judged by: one module for each area, and `rule`, which makes a rule of a function.

The rules of one system alone stand in `systems/`; `systems.rulebook` puts all of them together.
"""

from aptix_conformance.rules.lib.kernel import Finding, Rule, rule, rules_in

__all__ = ["Finding", "Rule", "rule", "rules_in"]
