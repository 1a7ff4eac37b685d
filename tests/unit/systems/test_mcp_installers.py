"""What an installer sees; what a failed one printed, in one line, and the URLs that it could not reach."""

import pytest

from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.places import Place
from aptix_conformance.systems.mcp.installing.installers import installer_of
from aptix_conformance.systems.mcp.installing.package_request import Wanted

UNREACHED = """\
error: Request failed after 1 retry in 1.4s
  Caused by: Failed to fetch: `https://elsewhere.example/a/helper.whl`
  Caused by: dns error
"""


@pytest.fixture
def installer():
    return installer_of(Wanted("python", "notes"), ())


def test_an_installer_sees_nothing_that_the_suites_environment_names(installer, monkeypatch):
    monkeypatch.setattr(readable_paths, "_beyond", lambda _: (Place("/home/me/keys", "a.pth"),))
    assert "/home/me/keys" not in {place.path for place in installer.needed}


def test_a_url_that_was_not_reached_is_found(installer):
    assert installer.unreached(UNREACHED) == ["https://elsewhere.example/a/helper.whl"]
    assert installer.unreached(UNREACHED.replace("`", "")) == ["https://elsewhere.example/a/helper.whl"]
    assert not installer.unreached("error: see https://docs.example/ for help\n")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("error: it is\n broken\n", "it is broken"),
        ("  \u00d7 No solution found\n  \u2570\u2500\u25b6 Because x\n", "No solution found Because x"),
        ("error: Hash mismatch for `a==1`\n", "a file of the index has another hash than the lock file"),
        ("error: No space left on device (os error 28)\n", "it needs more than 1 GiB"),
        ("", ""),
    ],
)
def test_an_error_is_one_line(installer, output, said):
    assert installer.reason(output).startswith(said)


def test_an_optional_package_that_the_index_lacks_is_named():
    """The message of npm is only that two files of its own are not in sync."""
    output = (
        "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when they are in sync\n"
        "npm error Missing: @a/for-darwin@ from lock file\nnpm error Missing: b@1.0.0 from lock file\n"
    )
    said = installer_of(Wanted("npm", "notes"), ()).reason(output)
    assert said == "the index has no @a/for-darwin, b, which the package names"
