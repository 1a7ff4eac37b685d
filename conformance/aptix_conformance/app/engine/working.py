"""What a worker of a cluster does: it says what it is, and answers tasks."""

import json
from collections.abc import Sequence
from pathlib import Path

from aptix_conformance.app.engine.process import examine_task, read_answer
from aptix_conformance.app.engine.store import DamagedError, Store
from aptix_conformance.app.engine.task import Answer, Facts, Task, facts_of
from aptix_conformance.core.errors import ConfigurationError, RecordError
from aptix_conformance.core.model.codec import from_json, to_text
from aptix_conformance.core.model.earlier import unfinished


def describe(store: str, facts: str, directory: str, left_out: Sequence[str]) -> str:
    """Why this worker must not examine the tools of a run, as a clause; empty where it may.

    Args:
        store: the URL of the store.
        facts: the JSON text of the `Facts` of the machine that asks.
        directory: the project folder.
        left_out: as in `Task`.
    """
    try:
        Store.open(store)
        expected = from_json(Facts, json.loads(facts), "$")
        return expected.differences(facts_of(Path(directory), left_out))
    except RecordError:
        return "it has another version of aptix-conformance"
    except ConfigurationError as error:
        return str(error)


def examine_and_keep(task: str, store: str) -> str:
    """Examine a tool as `examine_task` does, and put the report into the store, if the examination is whole.

    Where it cannot be stored, the answer has the report and the reason: nothing that was found is lost.
    """
    text = examine_task(task)
    answer = read_answer(text)
    if answer is None or answer.report is None or unfinished(answer.report):
        return text
    try:
        Store.open(store).write(from_json(Task, json.loads(task), "$"), answer.report)
    except (OSError, ConfigurationError, DamagedError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return to_text(Answer(report=answer.report, unkept=why))
    return to_text(Answer(kept=True))
