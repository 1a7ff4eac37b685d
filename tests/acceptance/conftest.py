"""What whole runs share with the tests of hosts: tools as source text, run for real."""

from tests.bench import bench, make_bench, module_bench  # noqa: F401 - fixtures
