"""A finding of a report as a test of the author's own: find the tool and the finding, and let the tool's system write it.

The written file imports nothing of the suite. A report is a stranger's file: its texts enter only as quoted literals, and
what is imported is what the project configures.
"""

from pathlib import Path

from aptix_conformance.author_tests import Subject
from aptix_conformance.errors import ReportError
from aptix_conformance.run import Run, RunOptions
from aptix_conformance.run.replay import find_reference
from aptix_conformance.text import printable


def author_test(reference: str, directory: Path, options: RunOptions, output: Path | None = None) -> str:
    """A test that fails until the breach is fixed, as source text.

    Args:
        reference: `REPORT#TOOL/RULE`, or `REPORT#TOOL/RULE:2` for the second cause of the rule.
        directory: the root of the user's project, which configures the tool.
        options: further tools, and where modules are searched.
        output: the file that the test will be; None for one in `directory`.

    Raises:
        ReportError: as `replay`; or the finding has no plain test, with the reason.
        ConfigurationError, TargetError, HostError: as `replay`.
    """
    report, reported, rule, finding = find_reference(reference, directory)
    with Run.for_replay(report, directory, options) as run:
        tool = run.find_reported(reported.target)
        conditions = run.options
        runtime = run.systems.runtime(tool.target.spelling)
    target = tool.target
    if runtime.write_test is None:
        raise ReportError(
            f"--as-test writes no test for {printable(target.spec, 100)}: {runtime.no_test}; replay reproduces the finding "
            "without --as-test"
        )
    folder = (output or directory / "test").absolute().parent
    subject = Subject(target.module, target.qualname, tool.settings, directory, tool.declaration, folder)
    return runtime.write_test(subject, rule, finding, conditions)
