"""What the tests of the plugin share: most inner sessions have canned tools, and run in this process."""

from tests.process.app.plugin.projects import project  # noqa: F401 - a fixture
from tests.real_project import examined_once, real_project  # noqa: F401 - fixtures
