"""The next tools of a run are examined while one is waited for; what is found and what is asked for stay the same."""

import math
from collections import deque
from multiprocessing import Pipe
from types import SimpleNamespace

import pytest

from aptix_conformance.app.run import scheduler
from aptix_conformance.app.run.scheduler import MOST_LOST, Scheduler, usual_jobs
from aptix_conformance.app.run.worker import StoppedError
from aptix_conformance.core.errors import DeadlineError, HostError, TargetError
from aptix_conformance.core.model.containment import Containment

PARTIAL = Containment("partial", ("there are no namespaces",))
OPEN = Containment("full", ("`network` opens db:5432",))


def request(name, *, server="", directory="", containment=PARTIAL, side_effects="contained"):
    return SimpleNamespace(
        name=name,
        target=SimpleNamespace(spelling="s", module=server or name),
        settings=SimpleNamespace(directory=directory, side_effects=side_effects),
        containment=containment,
        declaration=SimpleNamespace(traits=SimpleNamespace(has_servers=bool(server))),
    )


class Workers:
    """Workers in memory. `answers` has what requests give in turn, `looks` how many looks a worker needs: two, unless it says more."""

    def __init__(self, answers=None, looks=None):
        self.looks = looks or {}
        self.answers = {name: deque(given) for name, given in (answers or {}).items()}
        self.begun = []
        """(name, number of the worker, the steps left out)"""
        self.at_once = []
        """The names of all that were worked on, each time that one was begun."""
        self.working = {}
        self.closed = []
        self.made = 0
        self.figures = {}
        """By number: nanoseconds that a worker ran, and waited for a processor."""
        self.first = self.new()

    def new(self):
        self.made += 1
        return _Worker(self, self.made)


class _Worker:
    def __init__(self, workers, number):
        self.workers, self.number = workers, number
        self.channel, other = Pipe()
        other.send("ready")
        self.other = other

    def another(self):
        return self.workers.new()

    def begin(self, asked, excluded):
        self.workers.begun.append((asked.name, self.number, tuple(excluded)))
        self.workers.working[self.number] = [asked.name, 0]
        self.workers.at_once.append([name for name, _ in self.workers.working.values()])

    def answer(self, notify, _until, seconds):
        assert seconds == 0.0
        working = self.workers.working[self.number]
        working[1] += 1
        notify("probe", working[1], "")
        if working[1] < self.workers.looks.get(working[0], 2):
            return ()
        name = self.workers.working.pop(self.number)[0]
        given = self.workers.answers.get(name)
        answer = given.popleft() if given else f"report of {name}"
        if isinstance(answer, Exception):
            raise answer
        return (answer,)

    def figures(self):
        return self.workers.figures.get(self.number)

    def close(self):
        self.closed = True
        self.workers.closed.append(self.number)


def examined(workers, planned, asked=None, jobs=2, latest=math.inf):
    """What each asked request gave, and what was notified for it."""
    found = Scheduler(workers.first, latest, jobs)
    found.plan(planned)
    assert not workers.begun
    given = {}
    for each in asked or planned:
        said = []
        try:
            given[each.name] = found.examine(each, lambda *step, said=said: said.append(step))
        except HostError as error:
            given[each.name] = str(error)
    found.close()
    return given


def test_each_request_has_its_answer_and_no_more_than_allowed_are_worked_on_at_once():
    tools = [request(name) for name in "abcde"]
    for jobs in (1, 2, 3):
        workers = Workers()
        assert examined(workers, tools, jobs=jobs) == {name: f"report of {name}" for name in "abcde"}
        assert [name for name, *_ in workers.begun] == [*"abcde"]
        assert max(map(len, workers.at_once)) == jobs == len(workers.closed)


def test_what_is_asked_for_comes_before_what_is_planned():
    tools = [request(name) for name in "abcd"]
    workers = Workers()
    examined(workers, tools, [tools[2], request("unplanned"), tools[0]], jobs=1)
    assert [name for name, *_ in workers.begun] == ["c", "unplanned", "a"]


@pytest.mark.parametrize(
    "shared",
    [{}, {"containment": None}, {"containment": OPEN}, {"containment": Containment("full"), "side_effects": "none"}],
    ids=["partly contained", "not known", "with a network", "not contained"],
)  # fmt: skip
def test_tools_of_one_folder_and_of_a_server_that_shares_something_are_examined_one_after_another(shared):
    tools = [request(name, server="notes", **shared) for name in "ab"]
    tools += [request(name, directory="/own", containment=Containment("full")) for name in "cd"]
    workers = Workers()
    examined(workers, tools, jobs=4)
    assert not [names for names in workers.at_once if {"a", "b"} <= {*names} or {"c", "d"} <= {*names}]
    used = {name: number for name, number, _ in workers.begun}
    assert used["a"] == used["b"] != used["c"] == used["d"]


def test_a_further_worker_takes_tools_of_a_server_where_nothing_else_is_left():
    """It has to read the server's declarations for itself."""
    tools = [
        request(name, server=name[0], containment=Containment("full")) for name in ("a1", "a2", "b1", "b2")
    ]
    workers = Workers(looks={"a1": 9})
    examined(workers, tools)
    assert [(name, number) for name, number, _ in workers.begun] == [
        ("a1", 1),
        ("b1", 2),
        ("b2", 2),
        ("a2", 2),
    ]


def test_a_step_that_ends_the_worker_is_left_out_the_next_time():
    lost = StoppedError("ARG001", "it took too long")
    workers = Workers({"b": [lost, "report without it"]})
    tools = [request(name) for name in "abc"]
    assert examined(workers, tools)["b"] == "report without it"
    assert [left_out for name, _, left_out in workers.begun if name == "b"] == [(), ("ARG001",)]


@pytest.mark.parametrize(
    "answers",
    [
        [StoppedError("", "its time was over")],
        [StoppedError("ARG001", "it took too long")] * 2,
        [StoppedError(f"ARG{number:03}", "it took too long") for number in range(MOST_LOST + 1)],
    ],
    ids=["in no step", "in a step that was left out", "too many"],
)
def test_a_tool_that_cannot_be_examined_says_so_and_the_others_are_examined(answers):
    workers = Workers({"b": answers})
    given = examined(workers, [request(name) for name in "abc"])
    assert given["b"].startswith("the examination was stopped: ")
    assert given["c"] == "report of c"


def test_an_error_is_raised_for_the_tool_that_it_belongs_to():
    workers = Workers({"b": [TargetError("it is gone")]})
    found = Scheduler(workers.first, math.inf, 3)
    tools = [request(name) for name in "abc"]
    found.plan(tools)
    assert found.examine(tools[0], lambda *_: None) == "report of a"
    with pytest.raises(TargetError, match="it is gone"):
        found.examine(tools[1], lambda *_: None)
    assert found.examine(tools[2], lambda *_: None) == "report of c"


def test_after_the_deadline_nothing_is_begun():
    workers = Workers()
    found = Scheduler(workers.first, 0.0, 2)
    with pytest.raises(DeadlineError, match="deadline of the run"):
        found.examine(request("a"), lambda *_: None)
    assert not workers.begun


def test_who_waits_hears_how_far_his_tool_is_and_not_the_others():
    workers = Workers()
    found = Scheduler(workers.first, math.inf, 2)
    tools = [request(name) for name in "ab"]
    found.plan(tools)
    said = []
    found.examine(tools[0], lambda *step: said.append(step))
    assert said == [("probe", 1, ""), ("probe", 2, "")]


@pytest.mark.parametrize(
    ("seconds", "is_short"),
    [([(2, 4)], True), ([(4, 2)], False), ([(0.5, 1)], False), ([(1, 9), (9, 2)], True), ([(9, 2), None], False), ([], False)],
    ids=["waited longer", "ran longer", "too little to say", "one of two", "not counted", "nothing begun"],
)  # fmt: skip
def test_workers_that_wait_longer_than_they_run_are_short_of_processors(seconds, is_short):
    workers = Workers()
    found = Scheduler(workers.first, math.inf, 2)
    for number, each in enumerate(seconds, 1):
        workers.figures[number] = each and tuple(int(value * 1e9) for value in each)
    tools = [request(f"{number}") for number in range(len(seconds))]
    found.plan(tools)
    for each in tools:
        found.examine(each, lambda *_: None)
    assert found.is_short_of_processors is is_short


def test_what_waits_to_be_asked_for_is_bounded(monkeypatch):
    monkeypatch.setattr(scheduler, "_MOST_AHEAD", 2)
    workers = Workers(looks={"slow": 100})
    tools = [request(name) for name in ("slow", *"abcdef")]
    examined(workers, tools, tools[:1])
    assert [name for name, *_ in workers.begun] == ["slow", "a", "b"]


@pytest.mark.parametrize(
    ("files", "jobs"),
    [
        ({"meminfo": "MemTotal: 9 kB\nMemAvailable: 8388608 kB\n"}, 4),
        ({"meminfo": "MemAvailable: 2097152 kB\n"}, 2),
        ({"meminfo": "MemAvailable: 100 kB\n"}, 1),
        ({"meminfo": "MemAvailable: 8388608 kB\n", "cpu.max": "250000 100000\n"}, 2),
        ({"meminfo": "MemAvailable: 8388608 kB\n", "cpu.max": "max 100000\n", "memory.max": "max\n"}, 4),
        ({"meminfo": "MemAvailable: 8388608 kB\n", "cpu.max": "50000 100000\n"}, 1),
        (
            {"meminfo": "MemAvailable: 8388608 kB\n", "memory.max": "4294967296\n", "memory.current": "1073741824\n"},
            3,
        ),
        ({}, 1),
    ],
)  # fmt: skip
def test_as_many_are_examined_at_once_as_processors_and_memory_allow(tmp_path, monkeypatch, files, jobs):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(scheduler, "_CGROUP", tmp_path)
    monkeypatch.setattr(scheduler, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {*range(4)})
    assert usual_jobs() == jobs
