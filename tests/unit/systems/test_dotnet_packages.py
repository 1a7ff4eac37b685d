"""The packages that a `.deps.json` names: they lie in the user's folder, and their code runs with the tool."""

import json

import pytest

from aptix_conformance.core.errors import TargetError
from aptix_conformance.systems.aptix.dotnet_packages import packages_named, packages_of


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """The user's folder of packages, with two."""
    for name in ("acme/1.0", "other/1.0"):
        (tmp_path / "packages" / name).mkdir(parents=True)
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "packages"))
    return tmp_path / "packages"


def _written(tmp_path, asset="lib/acme.dll", path="acme/1.0"):
    library = {"type": "package", "sha512": "sha512-a", "path": path}
    text = {
        "targets": {
            ".NETCoreApp,Version=v8.0": {"Acme/1.0": {"runtime": {asset: {}}, "dependencies": {"b": "1"}}}
        },
        "libraries": {"Acme/1.0": library, "Own/1.0": {"type": "project"}},
    }
    (tmp_path / "a.deps.json").write_text(json.dumps(text))
    return tmp_path / "a.deps.json"


def test_those_that_are_named_and_there_are_found_with_their_hashes(packages, tmp_path):
    _written(tmp_path)
    (found,) = packages_of(tmp_path, ["a.deps.json", "b.dll"])
    assert (found.name, found.version, found.integrity) == ("acme", "1.0", "sha512-a")
    assert found.folder == packages / "acme/1.0"


@pytest.mark.parametrize("place", ["../evil", "/evil", "lib/../../evil", "lib\\..\\x", ".."])
@pytest.mark.parametrize("key", ["asset", "path"])
def test_a_path_that_leads_out_of_its_package_is_named(packages, tmp_path, place, key):
    with pytest.raises(
        TargetError, match=r"a.deps.json has the path .*, which leads out of a package: build"
    ):
        list(packages_named(_written(tmp_path, **{key: place})))


@pytest.mark.parametrize("path", [".", "acme", "./acme", "acme/1.0/lib", "x" * 5000 + "/1"])
def test_what_is_no_folder_of_one_package_is_not_shown(packages, tmp_path, path):
    (packages / "acme/1.0/lib").mkdir()
    assert list(packages_named(_written(tmp_path, path=path))) == []


@pytest.mark.parametrize("text", ["{", "[]", '{"targets": 1}', '{"libraries": 1}', "[" * 100_000])
def test_a_damaged_file_is_named(tmp_path, text):
    (tmp_path / "a.deps.json").write_text(text)
    with pytest.raises(TargetError, match=r"a.deps.json cannot be read: .*: build its project again"):
        list(packages_named(tmp_path / "a.deps.json"))
