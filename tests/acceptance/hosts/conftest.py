"""What the tests of C# hosts share."""

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.aptix.dotnet_runtimes import find_runtime


@pytest.fixture(scope="module", params=["coreclr", "mono"])
def runtime(request):
    """Each runtime that is installed."""
    try:
        return find_runtime("a C# tool", request.param)
    except TargetError as error:
        pytest.skip(str(error))
