"""A finding of a report as a test of the author's own: find the tool and the finding, and let the tool's system write it.

The test needs the tool's framework where that shows the finding, and the suite else. A report is a stranger's file: its texts
enter only as quoted literals, and what is imported is what the project configures.
"""

from pathlib import Path

from aptix_conformance.app.run import Run, RunOptions
from aptix_conformance.app.run.replay import find_reference
from aptix_conformance.core.errors import ReportError
from aptix_conformance.core.model.codec import replace, to_text
from aptix_conformance.core.model.report import FindingReport, Report, RunReport, ToolReport
from aptix_conformance.present.reports import make_report
from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests import Subject, replayed_test


def author_test(reference: str, directory: Path, options: RunOptions, output: Path | None = None) -> str:
    """A test that fails until the breach is fixed, as source text.

    Args:
        reference: `REPORT#TOOL/RULE`, or `REPORT#TOOL/RULE:2` for the second cause of the rule.
        directory: the root of the user's project, which configures the tool.
        options: further tools, and where modules are searched.
        output: the file that the test will be; None for one in `directory`.

    Raises:
        ReportError: as `replay`; or the finding was not reproduced, or needs a test in Python where `output` is none.
        ConfigurationError, TargetError, HostError: as `replay`.
    """
    report, reported, rule, finding = find_reference(reference, directory)
    if not finding.reproduced:
        raise ReportError("this finding was seen once and not again, so that a test would pass by chance")
    with Run.for_replay(report, directory, options) as run:
        tool = run.find_reported(reported.target)
        conditions = run.options
        runtime = run.systems.runtime(tool.target.spelling)
    target = tool.target
    folder = (output or directory / "test").absolute().parent
    subject = Subject(target.module, target.qualname, tool.settings, directory, tool.declaration, folder)
    if runtime.write_test is not None:
        try:
            return runtime.write_test(subject, rule, finding, conditions)
        except ReportError:
            pass  # the framework does not show it
    if output is not None and output.suffix != ".py":
        raise ReportError(
            f"only the suite shows this finding, and its test is in Python: write it to a file of that, not {output}"
        )
    alone = _report_of(report, reported, rule, finding)
    return replayed_test(to_text(alone), reported.tool, rule, tuple(map(str, options.tools)))


def _report_of(report: Report, tool: ToolReport, rule: Rule, finding: FindingReport) -> Report:
    """A report with one finding, and nothing that a replay does not need."""
    verdict = next(candidate for candidate in tool.verdicts if candidate.rule == rule.code)
    verdict = replace(verdict, finding=finding, further=(), other_causes=(), causes=1)
    own = replace(
        tool, verdicts=(verdict,), shortfalls=(), declared=None, examined=None, steps=(), stale=(), unreached=None,
        configured=None, inherited={},
    )  # fmt: skip
    return make_report([own], report.suite, RunReport(), None)
