"""Where a tool comes from is read from files, and only from those of the project and its packages."""

import hashlib
import json
import os

import pytest

from aptix_conformance.core.model.report import DistributionReport, SourceReport
from aptix_conformance.systems.registry import OURS
from aptix_conformance.targets import provenance as module
from aptix_conformance.targets.provenance import configured_at, likely_file, project_name, provenance

BIRDS = DistributionReport("birds", "2.0")


@pytest.fixture
def root(tmp_path):
    """A project with one tool, and nothing remembered of other tests."""
    for cached in (module._directories, module._distribution, module._installed):
        cached.cache_clear()
    project = tmp_path / "project"
    project.mkdir()
    (project / "birds.py").write_text("class Owl: ...\n", encoding="utf-8")
    return project


def install(site, record, **files):
    """A distribution with these files, each below its folder of metadata."""
    info = site / "birds-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: birds\nVersion: 2.0\n", encoding="utf-8")
    (info / "RECORD").write_text("".join(f"{line},sha256=x,1\n" for line in record), encoding="utf-8")
    for name, text in files.items():
        (info / name.replace("_json", ".json")).write_text(text, encoding="utf-8")


def test_the_file_its_line_and_its_digest_are_found(root):
    source = provenance("birds.py:7", root, ()).source
    digest = hashlib.sha256((root / "birds.py").read_bytes()).hexdigest()
    assert (source.file, source.line, source.digest) == ("birds.py", 7, f"sha256:{digest}")


@pytest.mark.parametrize(
    ("said", "file", "line"),
    [
        ("birds.py", "birds.py", None),
        ("birds.py:", "birds.py:", None),
        ("a:1:2", "a:1", 2),
        (":3", ":3", None),
    ],
)
def test_a_place_may_lack_its_line(root, said, file, line):
    source = provenance(said, root, ()).source
    assert (source.file, source.line) == (file, line)


@pytest.mark.parametrize("said", ["", "x" * 5000])
def test_what_names_no_file_has_no_source(root, said):
    assert provenance(said, root, ()) == module.Provenance()


@pytest.mark.parametrize(
    "said", ["/etc/passwd", "../secret", "link", "pipe", "folder", "a\0b", "gone.py", "\ud800"]
)
def test_what_is_no_regular_file_of_the_project_is_not_read(root, said):
    (root.parent / "secret").write_text("x", encoding="utf-8")
    (root / "link").symlink_to(root.parent / "secret")
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    assert provenance(said, root, ()).source.digest is None


def test_a_file_that_is_too_large_is_not_read(root, monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 3)
    assert provenance("birds.py", root, ()).source.digest is None


def test_the_distribution_is_the_one_whose_record_lists_the_file(root, tmp_path):
    site = tmp_path / "site"
    install(site, ["birds/owl.py", "birds-2.0.dist-info/RECORD"])
    (site / "birds").mkdir()
    for name in ("owl.py", "stray.py"):
        (site / "birds" / name).write_text("", encoding="utf-8")
    assert provenance(f"{site}/birds/owl.py:1", root, [str(site)]).distribution == BIRDS
    assert provenance(f"{site}/birds/stray.py:1", root, [str(site)]).distribution is None


def test_a_virtual_environment_of_another_interpreter_is_looked_at(root, tmp_path):
    site = tmp_path / "venv" / "lib" / "python3.12" / "site-packages"
    install(site, ["owl.py"])
    (site / "owl.py").write_text("", encoding="utf-8")
    python = str(tmp_path / "venv" / "bin" / "python")
    assert provenance(f"{site}/owl.py:1", root, (), python).distribution == BIRDS
    assert provenance(f"{site}/owl.py:1", root, ()).distribution is None


def test_an_editable_distribution_owns_what_its_pth_file_names(root, tmp_path):
    site = tmp_path / "site"
    direct = json.dumps({"url": root.as_uri(), "dir_info": {"editable": True}})
    install(site, ["birds.pth"], direct_url_json=direct)
    (root / "src").mkdir()
    (root / "src" / "owl.py").write_text("", encoding="utf-8")
    (site / "birds.pth").write_text(f"{root / 'src'}\n", encoding="utf-8")
    assert provenance("src/owl.py:1", root, [str(site)]).distribution == BIRDS
    assert provenance("birds.py:1", root, [str(site)]).distribution is None


def test_an_editable_distribution_without_one_owns_its_project(root, tmp_path):
    direct = json.dumps({"url": root.as_uri(), "dir_info": {"editable": True}})
    install(tmp_path / "site", ["finder.py"], direct_url_json=direct)
    assert provenance("birds.py:1", root, [str(tmp_path / "site")]).distribution == BIRDS


@pytest.mark.parametrize("direct", ["{", "[]", '{"dir_info": {"editable": true}}', '{"dir_info": []}'])
def test_malformed_metadata_own_nothing(root, tmp_path, direct):
    install(tmp_path / "site", ["birds.py"], direct_url_json=direct)
    assert provenance("birds.py:1", root, [str(tmp_path / "site")]).distribution is None


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ("birds:Owl", "birds.py"),
        ("birds", "birds.py"),
        ("nest.eggs:Egg", "nest/eggs/__init__.py"),
        ("art:./owl.mjs#Owl", "owl.mjs"),
        ("no_such:Owl", ""),
        ("not a spec", ""),
        ("art:./\x00#Owl", ""),
        (f"art:./{'x' * 5000}#Owl", ""),
    ],
)
def test_the_file_of_a_target_that_could_not_be_loaded_is_found_where_it_is_named(root, spec, file):
    (root / "nest" / "eggs").mkdir(parents=True)
    for name in ("nest/eggs/__init__.py", "owl.mjs"):
        (root / name).touch()
    assert likely_file(spec, OURS.specs, root, ()) == file


def test_the_line_that_names_a_tool_is_found(root):
    """In quotes of either kind, and not in a comment or inside of another name."""
    path = root / "pyproject.toml"
    path.write_text(
        '# "birds"\n[tool.aptix-conformance]\ntools = [\n  "birds.owls",\n  \'birds\',\n]\n', encoding="utf-8"
    )
    assert configured_at(path, ["birds"]) == SourceReport("pyproject.toml", 5)
    assert configured_at(path, ["owls"]) is None
    assert configured_at(path, []) is None
    assert configured_at(root / "none.toml", ["birds"]) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[project]\nname = "amplifier-module-tool-notes"', "amplifier-module-tool-notes"),
        ('[tool.poetry]\nname = "notes"', "notes"),
        ("project = 1\ntool = 2", "folder"),
        ('[project]\nname = ["a"]', "folder"),
        ("[project", "folder"),
        (None, "folder"),
    ],
)
def test_a_folder_is_called_by_its_project(tmp_path, text, name):
    """A file that anybody may have written breaks nothing."""
    folder = tmp_path / "folder"
    folder.mkdir()
    if text is not None:
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    assert project_name("amplifier:.", OURS.specs, folder) == name
    assert project_name("amplifier:./folder/.", OURS.specs, tmp_path) == name


def test_what_is_no_spec_names_no_project(tmp_path):
    assert project_name("amplifier:", OURS.specs, tmp_path) == "amplifier:"
