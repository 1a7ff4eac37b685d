"""The pytest plugin. Without `--aptix-conformance` it adds its options and does nothing else.

Nothing heavy is imported here: this module is loaded by every pytest run on the machine.
"""

import warnings
from typing import Final

import pytest

_NO_LOOP_SCOPE: Final = 'The configuration option "asyncio_default_fixture_loop_scope" is unset'
"""How a warning of pytest-asyncio begins."""

_PLANS: Final = ("quick", "standard", "thorough")
_HELP = {
    "--aptix-tools": "a target to examine: my_pkg.tools:WeatherTool, or my_pkg.tools for every tool defined "
    "there (repeatable; added to those of pyproject.toml)",
    "--aptix-edition": "the edition to judge by (default: the tool's system decides; aptix-tul-011 for Aptix)",
    "--aptix-report": "write the report to PATH, as JSON or in FORMAT: html=report.html (repeatable)",
    "--aptix-format": "github: annotations, and a summary of the job; plain: neither (default: github where "
    "GITHUB_ACTIONS is true)",
    "--aptix-thoroughness": "quick: a part of the calls, which shows most faults in little time, but gives no verdict; standard "
    "(default): all calls that a verdict needs; thorough: ten times the drawn calls",
    "--aptix-examples": "drawn calls per generating probe of the standard plan (default 100)",
    "--aptix-seed": "the seed of all drawn calls (default 0: the same calls every time)",
    "--aptix-budget": "seconds that one tool's calls may take in all (default 600); rules whose calls are not all made by then are "
    "inconclusive",
    "--aptix-jobs": "how many tools are examined at the same time; verdicts do not depend on it (default: as many as processors "
    "and memory allow; 1 in a worker of pytest-xdist)",
    "--aptix-timeout": "seconds that one call may take (default 5; a tool's own `timeout` comes first)",
    "--aptix-deadline": "how long the run may take, such as 90s, 10m or 1h30m; tools that are not examined by then are "
    "incomplete (default: the key `deadline`, or no limit)",
    "--aptix-containment": "the least containment that an examination needs; with less, nothing is examined (default: the key `containment`, or none)",
    "--aptix-level": "the rules whose breach fails the run: MUST rules (default), or SHOULD rules too",
    "--aptix-advice": "show in the summary every tool, every broken rule, and each piece of advice with its call",
    "--aptix-schema-gate": "which difference from a tool's lock fails: any (default), only those that break or "
    "may break calls (breaking), or none (off)",
    "--aptix-baseline": "a file of known findings, which do not fail the run (default: the key `baseline`, or none); "
    "aptix-conformance baseline makes it",
    "--aptix-shard": "examine the Kth of N parts of the tools, such as 2/8; aptix-conformance report merge joins the reports",
    "--aptix-shard-costs": "balance the shards by FILE, which aptix-conformance report costs makes (default: by the names of the targets)",
    "--aptix-cache": "take from the folder DIR what was examined already and would give the same results; each tool is "
    "examined again on one day in a hundred (default: everything is examined)",
    "--aptix-recheck": "examine each tool that could be taken from the cache again on one day in N, and compare (default 100; 1: all)",
    "--aptix-memory": "MiB of resident memory that a tool's processes may hold (default 1024)",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, all under `--aptix-`."""
    group = parser.getgroup("aptix", "aptix conformance: do agent tools keep their contract?")
    add = group.addoption
    add(
        "--aptix-conformance",
        action="store_true",
        help="examine every tool found, one item per tool and rule",
    )
    add("--aptix-tools", action="append", default=[], metavar="SPEC", help=_HELP["--aptix-tools"])
    add("--aptix-edition", metavar="NAME", help=_HELP["--aptix-edition"])
    add("--aptix-report", action="append", default=[], metavar="[FORMAT=]PATH", help=_HELP["--aptix-report"])
    add("--aptix-format", choices=["github", "plain"], help=_HELP["--aptix-format"])
    add("--aptix-thoroughness", choices=_PLANS, default="standard", help=_HELP["--aptix-thoroughness"])
    add("--aptix-examples", type=int, metavar="N", help=_HELP["--aptix-examples"])
    add("--aptix-seed", type=int, default=0, metavar="N", help=_HELP["--aptix-seed"])
    add("--aptix-budget", type=float, default=600.0, metavar="SECONDS", help=_HELP["--aptix-budget"])
    add("--aptix-jobs", type=int, metavar="N", help=_HELP["--aptix-jobs"])
    add("--aptix-timeout", type=float, default=5.0, metavar="SECONDS", help=_HELP["--aptix-timeout"])
    add("--aptix-deadline", metavar="DURATION", help=_HELP["--aptix-deadline"])
    add("--aptix-containment", choices=["full", "partial", "none"], help=_HELP["--aptix-containment"])
    add("--aptix-level", choices=["must", "should"], default="must", help=_HELP["--aptix-level"])
    add("--aptix-schema-gate", choices=["breaking", "any", "off"], help=_HELP["--aptix-schema-gate"])
    add("--aptix-baseline", metavar="FILE", help=_HELP["--aptix-baseline"])
    add("--aptix-shard", metavar="K/N", help=_HELP["--aptix-shard"])
    add("--aptix-shard-costs", metavar="FILE", help=_HELP["--aptix-shard-costs"])
    add("--aptix-cache", metavar="DIR", help=_HELP["--aptix-cache"])
    add("--aptix-recheck", type=int, default=100, metavar="N", help=_HELP["--aptix-recheck"])
    add("--aptix-memory", type=int, default=1024, metavar="MIB", help=_HELP["--aptix-memory"])
    add("--aptix-advice", action="store_true", help=_HELP["--aptix-advice"])
    add(
        "--aptix-allow-incomplete",
        action="store_true",
        help="do not fail a tool for rules that could not be examined (for development)",
    )
    add("--aptix-no-waivers", action="store_true", help="judge as if the configuration had no waivers")
    add("--aptix-no-baseline", action="store_true", help="fail the run for known findings too")
    add(
        "--aptix-inline",
        action="store_true",
        help="run the tools in the test process, for --pdb: nothing is isolated, nothing is contained",
    )


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hook by which a conftest can name targets."""
    from aptix_conformance.app.plugin import hookspecs  # noqa: PLC0415 - only a run needs it

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Switch the suite on where it is asked for, and hide the warning that the extra `amplifier` would bring.

    amplifier-core cannot do without pytest-asyncio, which warns where no loop scope is set. A project that has no async
    tests has nothing to set, and where warnings are errors its pytest would not start.
    """
    if config.pluginmanager.hasplugin("asyncio"):
        warnings.filterwarnings("ignore", message=_NO_LOOP_SCOPE)
    if config.getoption("--aptix-conformance"):
        from aptix_conformance.app.plugin.plain_imports import use_plain_imports  # noqa: PLC0415 - only a run needs it

        use_plain_imports(config)  # before anything heavy is imported
        from aptix_conformance.app.plugin.session import activate  # noqa: PLC0415 - slow to import

        activate(config)
