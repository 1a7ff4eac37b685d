"""The one error of a runner that is an answer."""


class TargetFault(Exception):  # noqa: N818 - a sentence for the tool's author, not an error of ours
    """The tool cannot be loaded, and why, in a sentence for its author."""
