"""The error that a runner sends as an answer."""


class TargetFault(Exception):  # noqa: N818 - a fault of the tool, not an error of the suite
    """The tool cannot be loaded. The message is a sentence for its author that says why."""
