"""A folder of tools in JavaScript, and a pool over it."""

import shutil

import pytest
from tests.process.hosts.node.benches import AI_SDK, AISDKBench, Bench


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    made = Bench(tmp_path_factory.mktemp("node"))
    yield made
    made.systems.close()


@pytest.fixture(scope="module")
def ai_sdk(request, tmp_path_factory):
    """A project with the AI SDK, whose tools are those of the test's MODULE."""
    if shutil.which("node") is None or not AI_SDK.is_dir():
        pytest.skip("there is no Node.js on PATH, or reference_tools/ai-sdk-toolbox: npm install")
    with AISDKBench(tmp_path_factory.mktemp("ai-sdk"), request.module.MODULE) as made:
        yield made


@pytest.fixture(scope="module")
def opened(ai_sdk):
    return ai_sdk.opened
