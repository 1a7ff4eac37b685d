"""The profile of Aptix: tools in Python and, on another runtime, in C#.

Its rules are those of `rules/`, which judge the tools of other systems too where their contracts say the same, and those
of agent_hello_world and agent_list_modes.
"""

from typing import Final, get_args

from aptix_conformance.hosts.inline import InlineHostPool
from aptix_conformance.hosts.python_pool import PythonHostPool
from aptix_conformance.rules import (
    announced,
    arguments,
    cancellation,
    confinement,
    context,
    defaults,
    echoes,
    exceptions,
    faults,
    injection,
    large_integers,
    listings,
    logging,
    other_calls,
    outages,
    portability,
    process_state,
    reading,
    registration,
    repetition,
    results,
    schema,
    schema_texts,
    stability,
    surroundings,
    unreadable,
    usage,
)
from aptix_conformance.systems.aptix.catalog_probe import CatalogProbe
from aptix_conformance.systems.aptix.dotnet_packages import packages_of
from aptix_conformance.systems.aptix.dotnet_pool import DotnetHostPool
from aptix_conformance.systems.aptix.dotnet_runtimes import RuntimeName, dotnet_version
from aptix_conformance.systems.aptix.dotnet_words import REMEDIES, in_csharp
from aptix_conformance.systems.aptix.rules import hello_world, listing, mode_catalogs
from aptix_conformance.systems.aptix.traits import TRAITS
from aptix_conformance.systems.author_tests import write_test
from aptix_conformance.systems.profile import Runtime, SystemProfile, Wording
from aptix_conformance.targets.spec import Spelling, read_module, read_place

PYTHON: Final = Spelling(
    prefix="aptix",
    system=TRAITS.name,
    example="my_pkg.tools:WeatherTool",
    locate=read_module,
    mark=":",
    lists_places=True,
    no_tool="was imported and defines no tool{reasons}; "
    "a tool is a class with TOOL_NAME, TOOL_USAGE_METADATA, get_schema and execute, defined in that module",
)
DOTNET: Final = Spelling(
    "aptix-cs",
    TRAITS.name,
    "aptix-cs:./build/Tools.dll#My.Tools.WeatherTool",
    read_place,
    runtimes=get_args(RuntimeName),
)

PROFILE: Final = SystemProfile(
    name=TRAITS.name,
    runtimes=(
        Runtime(PYTHON, PythonHostPool, InlineHostPool, write_test=write_test),
        Runtime(
            DOTNET,
            DotnetHostPool,
            wording=Wording(REMEDIES, in_csharp),
            version=dotnet_version,
            packages=packages_of,
        ),
    ),
    traits=TRAITS,
    rules=(
        announced, arguments, cancellation, confinement, context, defaults, echoes, exceptions, faults, hello_world, injection, large_integers, listing, listings, logging, mode_catalogs,
        other_calls, outages, portability, process_state, reading, registration, repetition, results, schema, schema_texts, stability, surroundings, unreadable, usage,
    ),
    probes=(CatalogProbe(),),
    areas=(
        ("REG", "The class and its registration"),
        ("SCH", "The schema"),
        ("ARG", "Arguments"),
        ("RES", "Results"),
        ("CTX", "Context and identifiers"),
        ("EXC", "Exceptions, and what they give away"),
        ("CAN", "Cancellation"),
        ("LOG", "Logging"),
        ("USE", "The usage text"),
        ("CAT", "The mode catalog tool, agent_list_modes"),
    ),
)  # fmt: skip
