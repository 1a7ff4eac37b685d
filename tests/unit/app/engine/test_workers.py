"""What a worker said holds until it answers again, and an answer that is lost on its way blames nobody."""

from concurrent.futures import CancelledError, Future

import pytest

from aptix_conformance.app.engine import workers as module
from aptix_conformance.app.engine.workers import Workers


@pytest.fixture
def workers(monkeypatch):
    """Two workers that have answered; each question has a future in `asked`."""
    lines = []
    made = Workers(None, "tcp://s:1", "store", None, lines.append)
    made.present, made._unfit = {"a": 1, "b": 1}, {"a": "", "b": "old"}
    monkeypatch.setattr(
        Workers,
        "_ask",
        lambda self, address: self.asked.update({address: (Future(), module.time.monotonic())}),
    )
    return made


def test_what_a_worker_said_holds_until_it_answers_again(workers):
    workers.ask_again()
    assert (workers.fit, workers.threads, bool(workers.asked)) == (("a",), 1, True)
    workers.asked["a"][0].set_result({"a": "other files"})
    workers.asked["b"][0].set_result({"b": ""})
    workers._hear()
    assert (workers.fit, bool(workers.asked)) == (("b",), False)


@pytest.mark.parametrize("lost", [OSError("closed"), CancelledError(), TimeoutError()])
def test_a_lost_answer_changes_nothing(workers, lost):
    workers.ask_again()
    for future, _ in workers.asked.values():
        future.set_exception(lost)
    workers._hear()
    assert (workers.fit, bool(workers.asked)) == (("a",), False)


def test_one_that_does_not_answer_is_not_used(workers, monkeypatch):
    workers.ask_again()
    monkeypatch.setattr(module, "_PATIENCE", -1.0)
    workers._hear()
    assert (workers.fit, workers._unfit["a"]) == ((), "it does not answer")
