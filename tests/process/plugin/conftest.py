"""What the tests of the plugin share: most inner sessions have canned tools, and run in this process."""

from tests.process.plugin.projects import project  # noqa: F401 - a fixture
