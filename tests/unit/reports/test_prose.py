"""The summary of a run on the terminal."""

from aptix_conformance.model import Shortfall
from aptix_conformance.model.codec import to_json
from aptix_conformance.reports import failed_target_entry
from aptix_conformance.reports.prose import summary_lines


def test_the_summary_tells_what_was_left_out_but_not_what_there_never_was():
    """A tool that never waits cannot be cancelled while it does: nobody need act, and the report has it."""
    entry = failed_target_entry("zoo", "aptix", "aptix-tul-011", "no such module")
    left_out = Shortfall("cancel", "there was no time", thinner=True)
    never_was = Shortfall("cancel", "its calls never wait", thinner=True, by_nature=True)
    entry = {**entry, "shortfalls": [to_json(left_out), to_json(never_was)]}
    notes = [line for line in summary_lines([entry]) if line.startswith("note")]
    assert notes == ["note          zoo: cancel: there was no time"]
