"""What sessions with a real tool share."""

from tests.real_project import examined_once, real_project  # noqa: F401 - fixtures
