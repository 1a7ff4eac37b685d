"""The guard of the unit tier sees what starts a process, sleeps or uses a network, wherever that is done."""

import sys
from pathlib import Path

import pytest

GUARD = Path(__file__).parents[1] / "unit" / "conftest.py"
CAUSES = {
    "a process": "def test_it(): start()",
    "a fixture": "@pytest.fixture\ndef made(): start()\ndef test_it(made): pass",
    "a fixture of the module": "@pytest.fixture(scope='module')\ndef made(): start()\ndef test_it(made): pass",
    "a fixture of the session": "@pytest.fixture(scope='session')\ndef made(): start()\ndef test_it(made): pass",
    "the end of a fixture": "@pytest.fixture\ndef made():\n    yield\n    start()\n"
    "def test_it(made): pass\ndef test_another(): pass",
    "the module": "start()\ndef test_it(): pass",
    "a thread": "def test_it():\n    thread = threading.Thread(target=caught)\n    thread.start()\n    thread.join()",
    "code that catches everything": "def test_it(): caught()",
    "a socket": "def test_it():\n    with socket.socket() as made: made.bind(('127.0.0.1', 0))",
    "a thread that is left": "def test_it(): threading.Thread(target=threading.Event().wait, daemon=True).start()",
    "pytest in pytest": "def test_it(pytester): pass",
}
HEADER = """
import contextlib, socket, subprocess, threading, time
import pytest

def start():
    subprocess.Popen(["true"]).wait()

def caught():
    with contextlib.suppress(BaseException):
        start()

"""


def outcomes(pytester, source):
    pytester.makeconftest(GUARD.read_text(encoding="utf-8"))
    pytester.makepyfile(f"{HEADER}{source}")
    return pytester.runpytest_inprocess(
        "-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "pytester"
    ).parseoutcomes()


@pytest.mark.parametrize("source", CAUSES.values(), ids=CAUSES)
def test_it_fails(pytester, source):
    found = outcomes(pytester, source)
    assert found.get("failed", 0) + found.get("errors", 0) == 1


@pytest.mark.skipif(
    sys.version_info < (3, 13), reason="no Python before 3.13 tells its audit hooks of a sleep"
)
def test_a_sleep_fails(pytester):
    assert outcomes(pytester, "def test_it(): time.sleep(0)") == {"failed": 1}


def test_what_stays_in_memory_passes(pytester):
    source = "import asyncio\ndef test_it():\n    asyncio.run(asyncio.sleep(0.001))"
    assert outcomes(pytester, source) == {"passed": 1}
