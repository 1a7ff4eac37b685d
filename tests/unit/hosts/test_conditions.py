"""The conditions of another process: what a report can name can be made again."""

import pytest

from aptix_conformance.hosts.conditions import CONDITIONS, in_words, realise
from aptix_conformance.probes.restart import RESTARTS

VALUES = {name: value for restart in RESTARTS for name, value in restart.items()} | {"process": "another"}


def test_every_condition_of_the_probe_is_in_the_table():
    assert set(VALUES) == set(CONDITIONS)


@pytest.mark.parametrize("name", CONDITIONS)
def test_what_a_report_names_can_be_made_again(name):
    reported = realise({name: VALUES[name]}).actual
    assert in_words(reported) not in ("in another process", "in a fresh process with ")
    assert realise(reported).actual == reported


def test_what_differs_with_nothing_changed_needs_only_another_process():
    assert in_words({"process": "another"}) == "in each process"
    assert not realise({"process": "another"}).env
    assert in_words({}) == "in another process"


@pytest.mark.parametrize("use", [in_words, realise])
def test_an_unknown_condition_has_neither_words_nor_a_way(use):
    with pytest.raises(KeyError):
        use({"moon": "full"})
