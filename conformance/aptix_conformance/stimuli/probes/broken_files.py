"""Probe `broken-files`: a call that works, made while each file of its author's `files` is broken in one form.

A file that a tool reads may be another one tomorrow: saved in another encoding, cut to nothing by a full disk, replaced by a
folder or by a link that leads nowhere. Nobody says which file a call reads, so all are broken. The author's own are only read.

A file that cannot be read by its permissions is no form: who runs the suite may read it anyway. Nor is a file that changes while
it is read, which would be another one each time, or a huge one, of which nobody says how long a call may take.
"""

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from aptix_conformance.core.model import BrokenFiles, BrokenForm, Call, Change, Kind, Stimulus
from aptix_conformance.stimuli.generate import write
from aptix_conformance.stimuli.probes.planning import plan, succeeded
from aptix_conformance.stimuli.probes.probe import Probe, Subject

NAME: Final = "broken-files"
KIND: Final = "files"
"""The kind of disturbance."""
FORMS: Final[tuple[BrokenForm, ...]] = get_args(BrokenForm)


class BrokenFilesProbe(Probe):
    """Plans the first call that worked, once for each form."""

    name = NAME

    def fixed(self, subject: Subject, calls: Sequence[Call]) -> Iterator[Stimulus]:
        """One call a form."""
        works = next(succeeded(calls), None)
        if KIND not in subject.disturbances or works is None:
            return
        for form in FORMS:
            change = Change(Kind.DISTURBED, number=1)
            yield plan(subject, self.name, change, write(works), disturbance=BrokenFiles(form))
