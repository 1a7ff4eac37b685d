"""The exceptions of the harness."""


class InvalidOperationError(Exception):
    """A request that the contract does not allow (C#: `InvalidOperationException`).

    The registry raises it for a malformed or doubly named tool (TUL-011.2.8, TUL-011.2.9); the message names the
    class, the rule and the fix.
    """


class OperationCanceledError(Exception):
    """Work was stopped because its token was cancelled (C#: `OperationCanceledException`).

    It is an ordinary exception, unlike `asyncio.CancelledError`: a tool turns it into a result (AGN-005.8.3).
    """
