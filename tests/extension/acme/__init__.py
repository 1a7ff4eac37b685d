"""Extensions of aptix-conformance: a system, a rule, a probe and a renderer."""
