"""A result is taken from the cache only where nothing that it depends on differs; what differs later is told."""

import datetime as dt
import errno
import json
import os
import tempfile
from types import SimpleNamespace

import pytest
from tests.unit.rules import builders as b

from aptix_conformance import Run, RunOptions
from aptix_conformance.app.run import cache as caches
from aptix_conformance.app.run import cache_key, cache_store, visible_files
from aptix_conformance.app.run.requests import ExamineTool, ToolExamined
from aptix_conformance.core import extension
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.model.containment import Containment
from aptix_conformance.core.model.earlier import differences
from aptix_conformance.core.model.report import (
    FindingReport,
    HarnessErrorReport,
    ShortfallReport,
    ToolReport,
    VerdictReport,
)
from aptix_conformance.core.model.verdict import Level, VerdictKind
from aptix_conformance.hosts.host import Surroundings
from aptix_conformance.targets import Target, ToolSettings
from aptix_conformance.targets.settings import Waiver

FULL = Containment("full")
WAIVER = Waiver("ARG001", "me", "old", dt.date(2999, 1, 1))
CHECKED, UNCHECKED = b"\xa7\r\r\n\3\0\0\0", b"\xa7\r\r\n\1\0\0\0"


def verdict(kind=VerdictKind.PASS, findings=()):
    report = VerdictReport("ARG001", "a-rule", Level.MUST, (), kind, 1, "", None)
    return report.with_findings(findings)


def finding(*, reproduced=True, cause="ValueError"):
    return FindingReport("It failed.", None, (), reproduced=reproduced, replay="", cause=cause)


def tool_report(**changes):
    report = ToolReport(
        tool="owl",
        target="birds:Owl",
        system="aptix",
        edition="aptix-tul-011",
        status="conforming",
        schema_fingerprint=None,
        calls=3,
        seconds=0.5,
        shortfalls=(),
        verdicts=(verdict(),),
        containment_reached=FULL,
    )
    return replace(report, **changes)


class Project:
    """A project with a tool, the suite that examines it and the machine that it runs on, as small folders."""

    def __init__(self, place):
        self.place = place
        self.settings = ToolSettings()
        self.containment = FULL
        self.options = {}
        self.days = 0
        for name in (
            "project/owl.py",
            "project/helper.py",
            "project/data.csv",
            "site/lib.py",
            "suite/rules.py",
            "machine/libc.so",
            "project/config/env",
        ):
            self.write(name, "1")
        self.write("project/pyproject.toml", "")
        self.visible = [str(place / "project"), str(place / "site")]
        self.hidden = [str(place / "project/.git"), str(place / "project/.env")]
        (place / "project/.env").symlink_to("config/env")
        self.search = [*self.visible]
        self.given = ""
        (place / "localtime").symlink_to("machine/libc.so")

    def write(self, name, text):
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    @property
    def request(self):
        target = Target("birds:Owl", "aptix", "birds", "Owl")
        return ExamineTool("owl", target, self.settings, b.declaration(), self.containment, ("valid",))

    def run(self):
        """The cache of a further run."""
        run = Run.open(self.place / "project", RunOptions(cache=self.place / "store", **self.options))
        cache = run.cache
        cache.surroundings = lambda *_: Surroundings(
            tuple(self.visible), tuple(self.hidden), tuple(self.search), self.given
        )
        cache.store.now += dt.timedelta(days=self.days)
        return cache

    def examine(self, report=None, cache=None):
        """What a run says of the tool that it has examined."""
        cache = cache or self.run()
        kept = cache.keep(self.request, ToolExamined(report or tool_report(), {"$": "object"}, "{}"))
        cache.flush()
        return kept.report.cache


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(visible_files, "MACHINE", (str(tmp_path / "machine"), str(tmp_path / "localtime")))
    monkeypatch.setattr(extension, "_installed", list)  # slow to find
    monkeypatch.setattr(caches, "files_of_suite", lambda: (str(tmp_path / "suite"),))
    project = Project(tmp_path)
    monkeypatch.setattr(caches.Cache, "_is_sample", lambda *_: False)
    project.examine()
    return project


def change_status(path):
    """Another time, with the same content."""
    os.utime(path, ns=(1, 1))


def relink(path, target):
    path.unlink()
    path.symlink_to(target)


def set_settings(project, **changes):
    project.settings = replace(project.settings, **changes)


INVALIDATES = {
    "the tool's source": lambda p, _: p.write("project/owl.py", "2"),
    "a helper module": lambda p, _: p.write("project/helper.py", "2"),
    "a file of data": lambda p, _: p.write("project/data.csv", "2"),
    "a new file": lambda p, _: p.write("project/json.py", ""),
    "a file that is gone": lambda p, _: (p.place / "project/helper.py").unlink(),
    "a new folder, which is empty": lambda p, _: (p.place / "project/new").mkdir(),
    "the mode of a folder": lambda p, _: (p.place / "site").chmod(0o700),
    "what a hidden link leads to": lambda p, _: p.write("project/config/env", "2"),
    "where a link of the machine leads": lambda p, _: relink(p.place / "localtime", "machine/other.so"),
    "the mode of a file": lambda p, _: (p.place / "project/helper.py").chmod(0o755),
    "where a link leads": lambda p, _: (p.place / "project/link").symlink_to("owl.py"),
    "a distribution": lambda p, _: p.write("site/lib.py", "2"),
    "bytecode that Python runs unchecked": lambda p, _: p.write("site/__pycache__/lib.pyc", UNCHECKED),
    "bytecode without a source": lambda p, _: p.write("site/other.pyc", CHECKED),
    "the code of a rule": lambda p, _: p.write("suite/rules.py", "2"),
    "a program of the machine": lambda p, _: change_status(p.place / "machine/libc.so"),
    "a place that it can read": lambda p, _: p.visible.append(str(p.place / "machine/../suite")),
    "the order in which modules are looked for": lambda p, _: p.search.reverse(),
    "another folder of modules below": lambda p, _: p.search.append(str(p.place / "project/lib")),
    "what it is given": lambda p, _: setattr(p, "given", "2"),
    "the configuration": lambda p, _: p.write("project/pyproject.toml", "[tool.aptix-conformance]\n"),
    "a setting": lambda p, _: set_settings(p, timeout=1.0),
    "its variables": lambda p, _: set_settings(p, env={"A": "1"}),
    "a waiver": lambda p, _: set_settings(p, waivers=(WAIVER,)),
    "the seed": lambda p, _: p.options.update(seed=1),
    "the thoroughness": lambda p, _: p.options.update(thoroughness="thorough"),
    "the examples": lambda p, _: p.options.update(examples=7),
    "the edition": lambda p, _: p.options.update(edition="aptix-agn-005-1.1"),
    "the time of a call": lambda p, _: p.options.update(timeout=4.0),
    "the budget": lambda p, _: p.options.update(budget=60.0),
    "the memory": lambda p, _: p.options.update(memory=512),
    "that waivers count": lambda p, _: p.options.update(waivers=False),
    "the version of the suite": lambda _, m: m.setattr(cache_key, "__version__", "0"),
    "the interpreter": lambda _, m: m.setattr(cache_key.sys, "version", "3.99"),
    "how many processors there are": lambda _, m: m.setattr(cache_key.os, "sched_getaffinity", lambda _: {1}),
    "the user": lambda _, m: m.setattr(os, "geteuid", lambda: 12345),
    "the groups": lambda _, m: m.setattr(os, "getgroups", lambda: [12345]),
    "a limit of resources": lambda _, m: m.setattr(cache_key.resource, "getrlimit", lambda _: (1, 1)),
    "the umask": lambda _, m: m.setattr(cache_key, "_umask", lambda: "Umask:\t0077"),
    "PATH": lambda _, m: m.setenv("PATH", "/nowhere"),
    "its age": lambda p, _: setattr(p, "days", 31),
}


@pytest.mark.parametrize("change", INVALIDATES.values(), ids=INVALIDATES)
def test_no_result_is_taken_after_a_change_of(project, monkeypatch, change):
    assert project.run().can_take(project.request)
    change(project, monkeypatch)
    assert not project.run().can_take(project.request)


KEEPS = {
    "nothing": lambda _: None,
    "the time of a file": lambda p: change_status(p.place / "project/owl.py"),
    "bytecode that Python compares": lambda p: p.write("site/__pycache__/lib.pyc", CHECKED),
    "a file that it cannot see": lambda p: p.write("project/.git/HEAD", "1"),
    "how many are examined at once": lambda p: p.options.update(jobs=1),
    "how many are examined again": lambda p: p.options.update(one_in=7),
    "a deadline": lambda p: p.options.update(deadline=60.0),
    "a month": lambda p: setattr(p, "days", 29),
}


@pytest.mark.parametrize("change", KEEPS.values(), ids=KEEPS)
def test_a_result_is_taken_whole_and_marked_after_a_change_of(project, change):
    change(project)
    taken = project.run().take(project.request)
    assert taken.report.is_cached
    assert replace(taken, report=replace(taken.report, cache=None)) == ToolExamined(
        tool_report(), {"$": "object"}, "{}"
    )


def test_a_waiver_counts_by_the_day(project):
    days = [dt.date(2026, 1, 1), dt.date(2026, 1, 2)]
    seen = Surroundings((), ())
    keys = {cache_key.key_of(project.request, "", [], day, seen) for day in days}
    set_settings(project, waivers=(WAIVER,))
    assert len(keys) == 1
    assert len({cache_key.key_of(project.request, "", [], day, seen) for day in days}) == 2


def test_all_from_which_the_suite_imports_is_a_file_of_the_suite(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert str(tmp_path) in cache_key.files_of_suite()


def test_files_that_the_configuration_gives_count(project):
    recording = project.write("given/recording.json", "1")
    set_settings(project, recording=str(recording), files=str(project.write("files/a", "1").parent))
    for name in ("given/recording.json", "files/a"):
        project.examine()
        assert project.run().can_take(project.request)
        project.write(name, "2")
        assert not project.run().can_take(project.request)


def test_what_lies_in_a_hidden_folder_counts_where_the_configuration_gives_it(project):
    set_settings(project, recording=str(project.write("project/.git/recording.json", "1")))
    project.examine()
    assert project.run().can_take(project.request)
    project.write("project/.git/recording.json", "2")
    assert not project.run().can_take(project.request)


def test_the_umask_is_read_as_it_is():
    before = os.umask(0o027)
    try:
        assert cache_key._umask().split() == ["Umask:", "0027"]
    finally:
        os.umask(before)


def test_a_new_empty_folder_counts_where_an_earlier_run_has_read_the_rest(project, monkeypatch):
    monkeypatch.setattr(visible_files, "_SETTLED", -(10**18))
    assert project.run().can_take(project.request)
    assert [*project.place.glob("store/files/*")]
    (project.place / "project/new").mkdir()
    assert not project.run().can_take(project.request)


def test_the_time_for_reading_starts_with_the_first_look(project, monkeypatch):
    files = visible_files.VisibleFiles(project.run().store)
    now = visible_files.time.monotonic()
    monkeypatch.setattr(visible_files.time, "monotonic", lambda: now + 1e6)
    assert files.digests([str(project.place / "site")], [])


@pytest.mark.parametrize(
    ("options", "settings", "containment", "words"),
    [
        ({}, {}, Containment("partial", ("`network` opens db:5432",)), "a network is open to it"),
        ({}, {}, Containment("partial", ("there are no namespaces",)), "there are no namespaces"),
        ({}, {}, Containment("none"), "containment none"),
        ({}, {}, None, "containment unknown"),
        ({"inline": True}, {}, FULL, "the test process"),
        ({}, {"directory": "/work"}, FULL, "a folder of yours"),
        ({}, {"variables": ("TOKEN",)}, FULL, "variables of your environment"),
        ({"variables": ("TOKEN",)}, {}, FULL, "variables of your environment"),
    ],
)
def test_a_tool_that_sees_more_than_the_key_covers_is_not_kept(
    project, options, settings, containment, words
):
    project.options, project.containment = options, containment
    set_settings(project, **settings)
    said = project.examine()
    assert said.state == "not_kept"
    assert words in said.reasons[0]
    assert not project.run().can_take(project.request)


@pytest.mark.parametrize(
    "changes",
    [
        {"error": "it is gone"},
        {"harness_errors": (HarnessErrorReport("x", "y"),)},
        {"shortfalls": (ShortfallReport("valid", "no time", cut=True),)},
        {"containment_reached": Containment("partial")},
        {"verdicts": (verdict(VerdictKind.FAIL, (finding(reproduced=False),)),)},
    ],
)
def test_results_that_are_not_complete_and_reproduced_are_not_kept(project, changes):
    set_settings(project, timeout=1.0)
    assert project.examine(tool_report(**changes)).state == "not_kept"
    assert not project.run().can_take(project.request)


def test_a_sample_with_the_same_results_is_confirmed(project):
    assert project.examine(tool_report(seconds=9.0)).state == "confirmed"
    assert project.run().can_take(project.request)


def test_a_sample_with_other_results_is_told_and_forgotten(project):
    said = project.examine(
        tool_report(status="nonconforming", verdicts=(verdict(VerdictKind.FAIL, (finding(),)),))
    )
    assert said.state == "differs"
    assert said.reasons == (
        "the status was conforming, and is nonconforming",
        "ARG001 was pass, and is fail (ValueError)",
    )
    assert not project.run().can_take(project.request)


def test_another_cause_is_a_difference_and_neither_a_time_nor_a_number_of_calls_is():
    one, other = (tool_report(verdicts=(verdict(VerdictKind.FAIL, (finding(cause=each),)),)) for each in "ab")
    assert differences(one, other) == ["ARG001 was fail (a), and is fail (b)"]
    assert differences(one, replace(one, calls=4, seconds=4.0)) == []


def test_one_in_some_is_examined_again_by_the_key_and_the_day(project, monkeypatch):
    monkeypatch.undo()
    cache, tomorrow = project.run(), project.run()
    tomorrow.store.now += dt.timedelta(days=1)
    today, later = ({n for n in range(5000) if each._rank(f"{n}") % 100 == 0} for each in (cache, tomorrow))
    assert 25 < len(today) < 100
    assert today != later


def test_a_sample_is_chosen_of_what_there_is_and_nothing_is_taken_then(project):
    cache = project.run()
    assert cache.sample([project.request]) == [project.request]
    assert cache.sample([replace(project.request, name="cat")]) == []
    cache.takes = False
    assert not cache.can_take(project.request)
    assert cache.take(project.request) is None


def test_nothing_is_kept_where_files_changed_meanwhile(project):
    set_settings(project, timeout=1.0)
    cache = project.run()
    assert not cache.can_take(project.request)
    project.write("project/owl.py", "2")
    project.examine(cache=cache)
    assert cache.problems[0].startswith("1 result is not kept in the cache, since files have changed during")
    project.write("project/owl.py", "1")
    assert not project.run().can_take(project.request)


@pytest.mark.parametrize("name", ["project/owl.py", "site/lib.py", "given/a"])
def test_nothing_is_kept_where_files_changed_before_the_tool_was_listed(project, name):
    given = project.write("given/a", "1").parent
    project.write(
        "project/pyproject.toml", f"[tool.aptix-conformance.tool.owl]\nfiles = {json.dumps(str(given))}\n"
    )
    set_settings(project, files=str(given))
    cache = project.run()
    cache.begin()
    project.write(name, "2")
    assert project.examine(cache=cache).state == "new"
    assert project.examine(cache=cache).state == "new"
    assert cache.problems[0].startswith("2 results are not kept in the cache")
    assert len(cache.problems) == 1


def test_a_run_reads_the_files_before_it_finds_tools(project, monkeypatch):
    asked = []
    monkeypatch.setattr(caches.Cache, "begin", lambda _: asked.append("begin"))
    finder = SimpleNamespace(
        list_tools=lambda _: asked.append("listed"), find=lambda *_: asked.append("found")
    )
    monkeypatch.setattr(Run, "_finder", finder)
    options = RunOptions(cache=project.place / "store", tools=("birds:Owl",))
    with Run.open(project.place / "project", options) as run:
        run.list_tools()
        run.find("birds:Owl")
    assert asked == ["begin", "listed", "begin", "found"]


# ---- the folder


def entry_of(project):
    (path,) = project.place.glob("store/??/*.json")
    return path


def changed(text, **members):
    return json.dumps({**json.loads(text), **members}).encode()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: b"",
        lambda _: b"\x80\x04N.",
        lambda _: b"[" * 100_000,
        lambda _: b'{"a":' * 90_000,
        lambda _: b"[" + b"0," * 300_000 + b"0]",
        lambda text: text + b" " * 2**24,
        lambda text: changed(text, more=1),
        lambda text: changed(text, key="0" * 64),
        lambda text: changed(text, examined="2026-01-01T00:00:00"),
        lambda text: changed(text, examined="yesterday"),
    ],
)
def test_a_damaged_entry_is_told_in_one_line_and_replaced(project, damage):
    path = entry_of(project)
    path.write_bytes(damage(path.read_bytes()))
    cache = project.run()
    assert cache.take(project.request) is None
    assert cache.take(project.request) is None
    (problem,) = cache.problems
    assert str(path) in problem
    assert "\n" not in problem
    assert project.examine().state == "new"
    assert project.run().can_take(project.request)


@pytest.mark.parametrize(
    "forged",
    [{"target": "birds:Cat"}, {"tool": "cat"}, {"cache": {"state": "taken"}}, {"error": "gone"}],
)
def test_an_entry_about_something_else_is_not_taken(project, forged):
    path = entry_of(project)
    text = path.read_bytes()
    path.write_bytes(changed(text, report={**json.loads(text)["report"], **forged}))
    assert not project.run().can_take(project.request)


def test_an_entry_from_the_future_is_not_taken(project):
    project.days = -2
    assert not project.run().can_take(project.request)


def test_a_full_disk_is_told_once_and_ends_nothing(project, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", full)
    set_settings(project, timeout=1.0)
    cache = project.run()
    for _ in range(2):
        assert project.examine(cache=cache).state == "new"
    assert len(cache.store.problems) == 1
    assert "No space left on device" in cache.store.problems[0]


def test_a_folder_that_cannot_be_made_ends_nothing(project):
    project.write("file", "")
    run = Run.open(project.place / "project", RunOptions(cache=project.place / "file/store"))
    assert ["Not a directory" in each for each in run.cache_problems()] == [True]


def test_a_file_or_a_folder_of_everybody_is_refused(project):
    (project.place / "open").mkdir(mode=0o777)
    (project.place / "open").chmod(0o777)
    for name, words in {"project/owl.py": "is not a folder", "open": "can be written by everybody"}.items():
        with pytest.raises(ConfigurationError, match=words):
            Run.open(project.place / "project", RunOptions(cache=project.place / name))


def test_a_folder_of_another_user_is_refused(project, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(
        type(project.place), "stat", lambda *_, **__: os.stat_result((0o40700, 0, 0, 1, 1001, *[0] * 5))
    )
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        caches.CacheStore.open(project.place / "store", dt.datetime.now(dt.UTC))


def test_results_that_are_too_large_are_told(project, monkeypatch):
    monkeypatch.setattr(cache_store, "_LARGEST", 10)
    set_settings(project, timeout=1.0)
    cache = project.run()
    project.examine(cache=cache)
    assert cache.problems == ["the results of owl are not kept in the cache: they are larger than 10 bytes"]


def test_two_runs_at_once_leave_whole_entries(project):
    first, second = project.run(), project.run()
    for cache in (first, second, first):
        project.examine(cache=cache)
    assert project.run().can_take(project.request)
    assert [path.name for path in project.place.glob("store/*/.*")] == []


def test_what_is_too_old_is_deleted_with_what_a_killed_run_left(project):
    path = entry_of(project)
    draft, other = path.with_name(".draft-x"), path.with_name("notes.txt")
    digest, theirs = (
        project.write(f"store/files/{'a' * 64}", ""),
        project.write(f"store/photos/{'b' * 64}.jpg", ""),
    )
    near = project.write(f"store/ff/{'a' * 64}.json", "")
    for each in (path, draft, digest, other, theirs, near):
        each.touch()
        os.utime(each, (1, 1))
    set_settings(project, timeout=1.0)
    project.examine()
    assert [each.exists() for each in (path, draft, digest)] == [False, False, False]
    assert [each.exists() for each in (other, theirs, near)] == [True, True, True]
