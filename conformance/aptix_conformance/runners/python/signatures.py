"""Reads the parameters of a tool's functions and constructors."""

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

from .foreign import attempt, cut_text, is_a

_LOGGER_TYPE: Final = re.compile(r"\w*Logger\b(?![.\w])")


def parameters_of(function: Any) -> Iterator[inspect.Parameter]:
    """The parameters of a callable; empty where Python does not know them."""
    signature, _ = attempt(lambda: inspect.signature(function))
    return iter(signature.parameters.values() if isinstance(signature, inspect.Signature) else ())


def is_required(parameter: inspect.Parameter) -> bool:
    """Whether a call must pass the parameter."""
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def record_parameter(parameter: inspect.Parameter) -> dict[str, Any]:
    """The members of a `Parameter`."""
    kinds: dict[Any, str] = {
        parameter.KEYWORD_ONLY: "keyword",
        parameter.VAR_POSITIONAL: "var_positional",
        parameter.VAR_KEYWORD: "var_keyword",
    }
    return {
        "name": parameter.name,
        "kind": kinds.get(parameter.kind, "positional"),
        "required": is_required(parameter),
        "annotation": _annotation_of(parameter),
    }


def wants_logger(parameter: inspect.Parameter) -> bool:
    """Whether a constructor parameter is for the admin logger, by its name or its annotation."""
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return False
    if parameter.name in ("logger", "admin_logger") or parameter.name.endswith("_logger"):
        return True
    annotation = _annotation_of(parameter)
    return _LOGGER_TYPE.search(annotation) is not None and "logging." not in annotation


def _annotation_of(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return ""
    text = annotation if is_a(annotation, str) else attempt(lambda: inspect.formatannotation(annotation))[0]
    return cut_text(text, 1_000) if is_a(text, str) else ""
