"""A logger that keeps what it is given."""


class RecordingLogger:
    """Keeps each call as (method, arguments)."""

    def __init__(self):
        self.calls = []

    def add_exception(self, tag, exception, *pairs):
        self.calls.append(("add_exception", tag, exception, *pairs))

    def add_error(self, tag, message, *pairs):
        self.calls.append(("add_error", tag, message, *pairs))

    def add_custom_event(self, level, tag, message, pairs):
        self.calls.append(("add_custom_event", level, tag, message, pairs))

    def trace(self, message, *pairs):
        self.calls.append(("trace", message, *pairs))

    def named(self, method):
        """Return the calls of one method."""
        return [call for call in self.calls if call[0] == method]
