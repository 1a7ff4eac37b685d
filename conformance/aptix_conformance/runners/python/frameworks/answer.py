"""What a framework made of one call of a tool."""

from typing import Any, NamedTuple

from ..foreign import cut_text
from ..texts import texts_of


class Answer(NamedTuple):
    """The message that the framework gives the model.

    Attributes:
        type_name: the type of the message, or of what the tool returned where the framework makes no message of it.
        text: what the model reads; None where it is no text.
        refused: whether the framework marks it as an error.
        is_result: whether the tool returned what its framework takes.
        content_type: the name of the type of the message's content.
        unserialisable: why the framework cannot write what the tool returned as JSON; None if it can.
        by_framework: whether the framework wrote the text of a failure, and kept the tool's own from the model.
    """

    type_name: str
    text: str | None = None
    refused: bool = False
    is_result: bool = True
    content_type: str = "str"
    unserialisable: str | None = None
    by_framework: bool = False

    def members(self) -> dict[str, Any]:
        """The members of a `Result`."""
        result: dict[str, Any] = {"type_name": self.type_name, "is_invoke_result": self.is_result}
        if not self.is_result:
            return result
        result["successful"] = not self.refused
        if self.refused:
            message = None if self.text is None else cut_text(self.text)
            errors = [{"message": message, "code": None, "details": None}]
            return {**result, "errors": errors, "error_message": message, "texts": texts_of(self.text)}
        return {
            **result,
            "payload": self.text,
            "payload_type": self.content_type,
            "unserialisable": self.unserialisable,
        }
