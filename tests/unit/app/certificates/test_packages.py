"""Packages with which a tool runs: recorded by their files, or named where no lock lists them."""

import json

import pytest

from aptix_conformance.app.certificates import packages as locks
from aptix_conformance.app.certificates.packages import (
    differing_from_lock,
    packages_in,
    packages_outside,
    unlocked,
)
from aptix_conformance.app.certificates.safe_files import read_bytes
from aptix_conformance.app.certificates.statement import DistributionPart
from aptix_conformance.systems.profile import Package

FILES = [
    "a.js",
    "node_modules/x/index.js",
    "node_modules/@s/y/index.js",
    "node_modules/.bin/x",
    "ui/node_modules/z/z.js",
]


def test_packages_of_node_need_a_lock_beside_them(tmp_path):
    reasons = unlocked(tmp_path, FILES)
    assert [reason.partition(" ")[0] for reason in reasons] == ["node_modules", "ui/node_modules"]


def test_packages_of_node_that_their_lock_does_not_list_are_named(tmp_path):
    (tmp_path / "package-lock.json").write_text('{"packages": {"": {}, "node_modules/x": {}}}')
    inner = ["node_modules/x/node_modules/y/y.js", "node_modules/x/node_modules/.bin/y", "node_modules/z.js"]
    reasons = unlocked(tmp_path, [*FILES, *inner, "package-lock.json", "ui/yarn.lock"])
    assert [reason.partition(" ")[0] for reason in reasons] == [
        *("node_modules/@s/y", "node_modules/x/node_modules/y", "node_modules/z.js")
    ]
    assert reasons[0].endswith("is not in package-lock.json: remove it, or make both by `npm install`")


@pytest.fixture
def packages(tmp_path):
    """Files of a folder whose lock lists two packages, one inside of the other; both are installed."""
    listed = {
        "node_modules/x": {"version": "1.0.0", "integrity": "sha512-x"},
        "node_modules/x/node_modules/y": {"version": "2.0.0", "integrity": "sha512-y"},
    }
    files = {"package-lock.json": json.dumps({"packages": {"": {}, **listed}})}
    for place, entry in listed.items():
        files[f"{place}/package.json"] = json.dumps({"version": entry["version"]})
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return files


def test_each_package_is_recorded_by_the_files_that_are_installed_and_by_its_lock(packages, tmp_path):
    """Its integrity is that of a tarball: what is installed shows another digest once a file has changed."""
    x, y = packages_in(tmp_path, packages)
    assert (x.place, x.version, x.integrity) == ("node_modules/x", "1.0.0", "sha512-x")
    assert (y.place, y.version, y.integrity) == ("node_modules/x/node_modules/y", "2.0.0", "sha512-y")
    (tmp_path / x.place / "package.json").write_text('{"version": " v1.0.0"}')  # npm drops the rest
    assert unlocked(tmp_path, packages) == ()
    (tmp_path / y.place / "package.json").write_text('{"version": "2.0.0", "main": "evil.js"}')
    after = list(packages_in(tmp_path, packages))
    assert (after[0].integrity, after[1].integrity, after[1] != y) == (x.integrity, y.integrity, True)


def test_a_lock_is_read_once_and_what_npm_does_not_write_is_not_recorded(packages, tmp_path, monkeypatch):
    """A lock of thousands of packages takes seconds, not hours."""
    (tmp_path / "package-lock.json").write_text(
        '{"packages": {"node_modules/x": {"version": "\\ud800", "integrity": ["sha512-x"]}}}'
    )
    read = []
    monkeypatch.setattr(locks, "read_bytes", lambda path, what: read.append(path) or read_bytes(path, what))
    x, _ = packages_in(tmp_path, packages)
    assert (x.version, x.integrity, len(read)) == ("", "", 1)


@pytest.mark.parametrize("text", ['{"version": "2.0.1"}', '{"version": 2}', "{", "[]"])
def test_a_package_of_another_version_than_its_lock_has_is_named(packages, tmp_path, text):
    (tmp_path / "node_modules/x/node_modules/y/package.json").write_text(text)
    (reason,) = unlocked(tmp_path, packages)
    assert reason.startswith("node_modules/x/node_modules/y is not the version in package-lock.json: make")


def test_packages_outside_of_the_code_are_recorded_by_all_of_their_files(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.dll").write_text("a")
    found = [Package("Acme", "1.0", "sha512-a", tmp_path)]
    (before,) = packages_outside(found)
    (tmp_path / "lib" / "b.dll").write_text("b")
    (after,) = packages_outside(found)
    assert (before.place, before.version, before.integrity) == ("Acme", "1.0", "sha512-a")
    assert before.digest != after.digest


def test_distributions_that_are_not_those_of_their_lock_are_named(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("# made\na-b[x]==1.0 --hash=sha256:0\nc==2.0 --hash=sha256:0\nd==1 --hash=sha256:0\n")
    installed = [
        DistributionPart(name, version, None)
        for name, version in (("a-b", "1.0.0"), ("c", "2.1"), ("e", "1"))
    ]
    assert [reason.partition(":")[0] for reason in differing_from_lock(lock, installed)] == [
        "c is 2.1, and requirements.lock has 2.0",
        "d is not installed, and requirements.lock has 1",
        "e is 1, and requirements.lock has none",
    ]
