"""A test that replays a finding by the suite: for what the tool's own framework does not show."""

import json
import re
from typing import Final

from aptix_conformance.rules import Rule
from aptix_conformance.systems.author_tests.source import WIDTH, literal, sentence

_FILE: Final = '''\
"""Fails until the tool keeps {code} of aptix-conformance: {name}. It needs the suite, which replays the finding."""

import subprocess
import sys

REPORT = r"""{report}"""


def test_{test}(pytestconfig, tmp_path):
    """{demand}"""
    path = tmp_path / "report.json"
    path.write_text(REPORT, encoding="utf-8")
    finding = str(path) + {reference}
{command}
    done = subprocess.run(
        command, cwd=pytestconfig.rootpath, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
'''


def replayed_test(report: str, tool: str, rule: Rule, tools: tuple[str, ...]) -> str:
    """A test that replays a finding.

    Args:
        report: a report with the finding alone, as JSON. In ASCII, no text in it can end a raw string in three quotes.
        tool: the name of the tool in it.
        rule: the rule of the finding.
        tools: the targets that the command line named.
    """
    words = ["sys.executable", '"-m"', '"aptix_conformance"', '"replay"', "finding"]
    words += [literal(f"--aptix-tools={spec}") for spec in tools]
    return _FILE.format(
        code=rule.code,
        name=sentence(rule.name),
        report=json.dumps(json.loads(report), indent=1),
        test=re.sub(r"\W", "_", rule.name, flags=re.ASCII),
        demand=sentence(rule.demand),
        reference=literal(f"#{tool}/{rule.code}"),
        command=_listed(words),
    )


def _listed(words: list[str]) -> str:
    line = f"    command = [{', '.join(words)}]"
    return (
        line
        if len(line) <= WIDTH
        else "    command = [\n" + "".join(f"        {word},\n" for word in words) + "    ]"
    )
