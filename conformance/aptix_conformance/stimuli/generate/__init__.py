"""What is sent to a tool: strategies over Hypothesis's public interface, and values made without drawing."""

from aptix_conformance.stimuli.generate.argument_schema import usable_schema
from aptix_conformance.stimuli.generate.arguments import Arguments
from aptix_conformance.stimuli.generate.declared import (
    DeclaredNames,
    declared_names,
    root_properties,
    root_required,
    root_schemas,
)
from aptix_conformance.stimuli.generate.json_text import is_json_object, write
from aptix_conformance.stimuli.generate.judge import Judge

__all__ = [
    "Arguments",
    "DeclaredNames",
    "Judge",
    "declared_names",
    "is_json_object",
    "root_properties",
    "root_required",
    "root_schemas",
    "usable_schema",
    "write",
]
