"""Settings and packages with which a runtime loads code that no digest covers."""

import pytest

from aptix_conformance.certificates.loaders import configured_code, unlocked
from aptix_conformance.targets import ToolSettings


@pytest.mark.parametrize(
    "name",
    [
        *(
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "NODE_OPTIONS",
            "NODE_PATH",
            "DOTNET_STARTUP_HOOKS",
            "DOTNET_ADDITIONAL_DEPS",
        ),
        *(
            "DOTNET_SHARED_STORE",
            "CORECLR_PROFILER",
            "COR_PROFILER",
            "MONO_PATH",
            "LD_PRELOAD",
            "PATH",
            "HOME",
        ),
    ],
)
def test_a_variable_that_loads_code_is_named(name, tmp_path):
    (reason,) = configured_code(ToolSettings(env={name: "x", "TOKEN": "y", "NODE_ENV": "z"}), tmp_path)
    assert reason.startswith(f"the variable {name} ")


def test_code_outside_of_the_project_is_named(tmp_path):
    settings = ToolSettings(references=("lib/a.dll", "/opt/b.dll"), directory="src")
    assert configured_code(settings, tmp_path) == [
        "its references lead out of the project (b.dll): copy that into it"
    ]


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
    (tmp_path / "package-lock.json").write_text('{"packages": {"": {}, "node_modules/x": {"version": "1"}}}')
    (reason,) = unlocked(tmp_path, [*FILES, "package-lock.json", "ui/yarn.lock"])
    assert reason.startswith("node_modules/@s/y is not in package-lock.json: remove it")
