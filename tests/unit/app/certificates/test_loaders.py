"""Settings with which a runtime loads code that no digest covers."""

import json

import pytest

from aptix_conformance.app.certificates.loaders import configured_code, redirected
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
            "MONO_CONFIG",
            "MONO_GAC_PREFIX",
            "OPENSSL_CONF",
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
    settings = ToolSettings(
        references=("lib/a.dll", "/opt/b.dll"), directory="src", recording="/opt/answers.yaml"
    )
    assert configured_code(settings, tmp_path) == [
        "its `references` is outside of the project (b.dll): copy that into it",
        "its `recording` is outside of the project (answers.yaml): copy that into it",
    ]


def _options(**options):
    return json.dumps({"runtimeOptions": options})


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.runtimeconfig.json", _options(additionalProbingPaths=["lib", "/evil"]), "/evil"),
        ("a.runtimeconfig.dev.json", _options(additionalProbingPaths=["x/../../evil"]), "x/../../evil"),
        ("a.runtimeconfig.json", _options(configProperties={"STARTUP_HOOKS": "a.dll"}), "STARTUP_HOOKS"),
        ("a.runtimeconfig.json", "{", "not known"),
        ("a.runtimeconfig.json", _options(additionalProbingPaths=[1]), "not known"),
        ("a.dll.config", '<c><dllmap dll="c" target="/evil.so"/></c>', "/evil.so"),
        ("a.exe.config", '<c><x:probing xmlns:x="u" privatePath="bin;&#46;./evil"/></c>', "../evil"),
        ("a.exe.config", '<c><codeBase href="http://evil/a.dll"/></c>', "http://evil/a.dll"),
        ("a.dll.config", "no XML", "not known"),
        ("a.config", '<c><dllmap dll="c" target="/evil.so"/> & ', "/evil.so"),
    ],
)
def test_settings_that_have_code_loaded_from_elsewhere_are_named(tmp_path, name, text, place):
    (tmp_path / name).write_text(text)
    (reason,) = redirected(tmp_path, [name])
    assert reason.startswith(f"{name} has code loaded from elsewhere ({place}")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.runtimeconfig.json", _options(configProperties={"System.GC.Server": True})),
        ("a.dll.config", '<c><dllmap dll="i:c" target="libc.so.6"/><probing privatePath="bin;lib/x"/></c>'),
        ("nuget.config", "key = value"),
        ("a.json", "{"),
    ],
)
def test_settings_of_another_kind_are_not_named(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert redirected(tmp_path, [name]) == []
