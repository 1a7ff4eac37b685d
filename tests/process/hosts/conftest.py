"""What the tests of hosts share: tools as source text, run for real."""

from tests.bench import bench, make_bench, module_bench  # noqa: F401 - fixtures
