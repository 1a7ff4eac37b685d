"""What a contained tool may reach and use, for each user and each kernel: many starts, so no part of the process tier."""

from tests.bench import bench, make_bench, module_bench  # noqa: F401 - fixtures
