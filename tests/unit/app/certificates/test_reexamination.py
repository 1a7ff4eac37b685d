"""Reproducing a certificate: what is refused, what is copied, and what counts as a difference."""

import pytest

from aptix_conformance.app.certificates import reexamination
from aptix_conformance.app.certificates.statement import Attestation
from aptix_conformance.core.errors import CertificateError
from aptix_conformance.core.model.codec import from_json
from aptix_conformance.targets.settings import Example


def _compared(old, new, missing=()):
    return reexamination.compare(from_json(Attestation, old), from_json(Attestation, new), missing)


def _changed(attested, path, value):
    """A copy of the predicate with one member changed."""
    first, *rest = path
    if not rest:
        return {**attested, first: value} if isinstance(attested, dict) else [value]
    if isinstance(attested, list):
        return [_changed(attested[first], rest, value), *attested[first + 1 :]]
    return {**attested, first: _changed(attested[first], rest, value)}


def test_everything_but_the_issuance_is_compared(attested):
    later = _changed(attested, ["issuance", "issued"], "2026-02-02T00:00:00Z")
    found = _compared(attested, later)
    assert found.differences == ()
    assert found.lines[0].startswith("reproduced: agent_weather, 2 rules")


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (["rules", 0, "verdict"], "fail", 'rules.ARG002.verdict: recorded "pass", here "fail"'),
        (["issuance", "observations", "ARG002"], 40, "observations.ARG002: recorded 41, here 40"),
        (["tool", "status"], "incomplete", 'tool.status: recorded "conforming", here "incomplete"'),
        (["suite", "digest"], "6" * 64, f'suite.digest: recorded "{"5" * 64}", here "{"6" * 64}"'),
        (["left_out"], [{"probe": "p", "reason": "r"}], 'left_out: recorded [], here [{"probe": "p", "reason": "r"}]'),
        (["conditions", "seed"], 1, "conditions.seed: recorded 0, here 1"),
        (["containment", "level"], "partial", 'containment.level: recorded "full", here "partial"'),
    ],
)  # fmt: skip
def test_each_difference_is_a_line(attested, path, value, line):
    attested["kind"] = "attestation"
    found = _compared(attested, _changed(attested, path, value))
    assert (found.lines, found.differences) == ((), (line,))


def test_counts_are_not_compared_where_calls_were_left_out_for_want_of_time(attested):
    reduced = [{"probe": "valid", "reason": "allowed 57 of 100 drawn calls"}]
    slower = _changed(attested, ["issuance", "reduced"], reduced)
    slower = _changed(slower, ["issuance", "observations"], {"ARG002": 30})
    for old, new in ((attested, slower), (slower, attested)):
        found = _compared(old, new)
        assert found.differences == ()
        assert "counts of observations were not compared" in found.lines[0]
        assert found.lines[0].endswith("allowed 57 of 100 drawn calls")
    assert _compared(slower, _changed(attested, ["rules", 0, "verdict"], "fail")).differences


def test_a_rule_or_a_distribution_that_is_gone_is_a_difference(attested):
    one = {"name": "one", "version": "1", "digest": "1" * 64}
    old = _changed(attested, ["environment", "distributions"], [one])
    assert _compared(old, attested).differences[0].endswith("}, here nothing")
    less = {**attested, "rules": attested["rules"][:1]}
    assert _compared(attested, less).differences[0].startswith("rules.USE016: recorded {")


def test_the_suites_own_distribution_is_compared_by_its_code(attested):
    one = {"name": "aptix-conformance", "version": "1", "digest": None}
    assert not _compared(_changed(attested, ["environment", "distributions"], [one]), attested).differences


def test_what_could_not_be_set_up_is_a_difference(attested):
    found = _compared(attested, attested, ("one 1 is not installed",))
    assert (found.lines, found.differences) == ((), ("one 1 is not installed",))


def test_on_another_interpreter_the_verdicts_are_comparable_and_it_is_not_called_reproduced(attested):
    new = _changed(attested, ["environment", "interpreter"], "CPython 3.12.1")
    new = _changed(new, ["issuance", "observations"], {"ARG002": 7})
    found = _compared(attested, new)
    assert "Comparable are the status, and level and verdict of each rule" in found.lines[0]
    assert found.differences == ('environment.interpreter: recorded "CPython 3.11.7", here "CPython 3.12.1"',)
    found = _compared(attested, _changed(new, ["rules", 0, "verdict"], "fail"))
    assert found.differences[1] == 'rules.ARG002.verdict: recorded "pass", here "fail"'


def test_many_differences_are_counted_and_a_terminal_gets_no_command(attested):
    rules = [{**attested["rules"][0], "rule": f"\x1b[2J{number}"} for number in range(100)]
    found = _compared({**attested, "rules": rules}, attested)
    assert found.differences[-1] == "and 62 more differences"
    assert "\x1b" not in "".join(found.differences)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["containment", "level"], "partial", "full containment only"),
        (["configuration"], {"env": ["TOKEN"]}, "has env, whose values are not recorded"),
        (["configuration"], {"waivers": ["ARG002"]}, "has waivers"),
        (["configuration"], {"reads": ["…/models"]}, "outside of its project"),
        (["conditions", "examples"], 10**9, "examples is not between"),
        (["conditions", "memory"], 1, "memory is not between"),
    ],
)
def test_what_cannot_be_examined_as_it_was_is_refused_before_anything_is_set_up(
    attested, path, value, words, tmp_path, monkeypatch
):
    monkeypatch.setattr(reexamination, "set_up", None)
    recorded = from_json(Attestation, _changed({**attested, "kind": "attestation"}, path, value))
    with pytest.raises(CertificateError, match=words):
        reexamination.reproduce(recorded, "0" * 64, tmp_path, print)


def test_the_recorded_settings_are_used_with_paths_of_the_copy(tmp_path):
    recorded = {
        "examples": [{"arguments": {"city": "Oslo"}, "result": None, "has_result": False}],
        "reads": ["models"],
        "files": "data",
        "timeout": 2,
        "python": "…/python",
    }
    found = reexamination.settings_of(recorded, tmp_path, "/env/bin/python")
    assert found.examples == (Example({"city": "Oslo"}),)
    assert (found.reads, found.files) == ((f"{tmp_path}/models",), f"{tmp_path}/data")
    assert (found.timeout, found.python) == (2.0, "/env/bin/python")
    assert found.given == {"examples", "reads", "files", "timeout", "python"}


@pytest.mark.parametrize("recorded", [{"timeout": "soon"}, {"examples": 1}, {"side_effects": "all"}])
def test_settings_of_another_kind_are_refused(recorded, tmp_path):
    with pytest.raises(CertificateError, match="not one of this suite"):
        reexamination.settings_of(recorded, tmp_path, "python")


@pytest.mark.parametrize("path", ["../models", "/etc", "models/../../x", "link", "link/ssh"])
@pytest.mark.parametrize("name", ["reads", "references", "recording"])
def test_no_path_leads_out_of_the_project(name, path, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "link").symlink_to(tmp_path)
    given = path if name == "recording" else [path]
    with pytest.raises(CertificateError, match="leads out of its project"):
        reexamination.settings_of({name: given}, tmp_path / "project", "python")


def test_modules_are_looked_for_in_the_project_alone(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = ["src", "/etc", "../other"]\n'
    )
    assert reexamination.import_paths(tmp_path) == (f"{tmp_path}/src",)
