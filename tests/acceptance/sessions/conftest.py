"""What whole sessions share."""

from tests.process.app.plugin.projects import project  # noqa: F401 - a fixture
from tests.real_project import examined_once, real_project  # noqa: F401 - fixtures
