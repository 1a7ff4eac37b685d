"""Which providers and clients refuse what in a tool: one dated table, with a public source for each line.

A provider takes tools in requests to its models; a client takes them from MCP servers only. Providers and clients change, so
a line says when its source was written, and `READ` when all sources were read. A refusal has seldom been taken back, but
that can happen. The checks that find these things in a schema are in `portability`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Final

READ: Final = "2026-11-28"
"""The day on which the sources were read."""

MOST_TOOLS: Final[Mapping[str, int]] = MappingProxyType(
    {"tools-of-40": 40, "tools-of-80": 80, "tools-of-100": 100, "tools-of-128": 128, "tools-of-512": 512}
)
"""Tools at once, by the name of those who take no more. A client counts the tools of all its servers."""

OPENAI: Final = "OpenAI"
ANTHROPIC: Final = "Anthropic"
GEMINI: Final = "Gemini"
BEDROCK: Final = "Amazon Bedrock"
MISTRAL: Final = "Mistral"
VERTEX: Final = "Vertex AI"
AZURE: Final = "Azure OpenAI"
OPENAI_STRICT: Final = "OpenAI in strict mode"
_VS_CODE: Final = "VS Code"
_COPILOT: Final = "GitHub Copilot CLI"
_CLAUDE_DESKTOP: Final = "Claude Desktop"
_CLAUDE_CODE: Final = "Claude Code"


@dataclass(frozen=True, slots=True)
class Line:
    """One that refuses something, and where and when that was written."""

    who: str
    source: str
    """A page of documentation, a file of a public repository or a thread in one, without `https://`."""
    dated: str
    """The day of the source, or for documentation without a date the day on which it was read."""
    is_client: bool = False
    """It takes tools from MCP servers only, and so refuses nothing of a tool of another system."""


def _client(who: str, source: str, dated: str) -> Line:
    return Line(who, f"github.com/{source}", dated, is_client=True)


def _provider(who: str, source: str, dated: str) -> Line:
    return Line(who, f"github.com/{source}", dated)


TABLE: Final[Mapping[str, tuple[Line, ...]]] = MappingProxyType(
    {
        "schema": (
            _provider(OPENAI, "smallmain/vscode-unify-chat-provider/issues/162", "2026-05-03"),
            _provider(ANTHROPIC, "microsoft/vscode/issues/286415", "2026-01-07"),
            _provider(MISTRAL, "SylphxAI/pdf-reader-mcp/issues/63", "2025-05-22"),
            _client("Windsurf", "SylphxAI/pdf-reader-mcp/issues/107", "2025-07-11"),
        ),
        "name-of-64": (
            _provider(
                OPENAI,
                "openai/openai-python/blob/main/src/openai/types/shared_params/function_definition.py",
                READ,
            ),
            Line(
                GEMINI,
                "pub.dev/documentation/google_cloud_ai_generativelanguage_v1beta/latest/generativelanguage/FunctionDeclaration/name.html",
                READ,
            ),
            _provider(BEDROCK, "NousResearch/hermes-agent/pull/90016", "2026-08-19"),
            _client(_CLAUDE_DESKTOP, "evoila/meho/issues/2745", "2026-08-02"),
        ),
        "name-of-58": (_client("Cursor", "ComposioHQ/composio/issues/2788", "2026-02-27"),),
        "name-characters": (
            _provider(OPENAI, "openai/codex/issues/8174", "2025-12-17"),
            _provider(ANTHROPIC, "github/copilot-cli/issues/2581", "2026-04-08"),
            _provider(BEDROCK, "NousResearch/hermes-agent/pull/90016", "2026-08-19"),
            _client(_CLAUDE_DESKTOP, "evoila/meho/issues/2745", "2026-08-02"),
        ),
        "name-start": (
            Line(
                GEMINI,
                "pub.dev/documentation/googleapis/latest/aiplatform_v1/GoogleCloudAiplatformV1FunctionDeclaration/name.html",
                READ,
            ),
        ),
        "root-alternatives": (
            _provider(OPENAI, "goruck/home-generative-agent/pull/545", "2026-08-12"),
            _provider(ANTHROPIC, "software-mansion/argent/issues/773", "2026-08-11"),
        ),
        "root-object": (_provider(OPENAI, "goruck/home-generative-agent/pull/545", "2026-08-12"),),
        "enum": (_provider(GEMINI, "microsoft/vscode/pull/328147", "2026-07-30"),),
        "property-name": (_provider(ANTHROPIC, "decocms/studio/pull/6874", "2026-09-02"),),
        "description": (
            _provider(OPENAI, "getsentry/sentry-mcp/issues/106", "2025-04-25"),
            _provider(AZURE, "langchain-ai/open_deep_research/issues/80", "2025-04-23"),
        ),
        "strict": (Line(OPENAI, "jsonschemaprofiles.unitvectorylabs.com/schemas/openai", "2026-02-01"),),
        "items": (
            _provider(OPENAI, "langgenius/dify/issues/32894", "2026-03-03"),
            _provider(GEMINI, "Skyvern-AI/skyvern/issues/8611", "2026-09-18"),
            _client(_VS_CODE, "microsoft/vscode/issues/284536", "2025-12-19"),
        ),
        "type": (
            _provider(OPENAI_STRICT, "Gitlawb/openclaude/pull/1117", "2026-05-11"),
            _client("Google ADK", "google/adk-js/issues/88", "2026-01-28"),
            _client("Home Assistant", "home-assistant/core/issues/175628", "2026-07-04"),
        ),
        "type-list": (_provider(GEMINI, "iOfficeAI/OfficeCLI/issues/419", "2026-09-21"),),
        "item-type-list": (_client(_COPILOT, "github/copilot-cli/issues/4623", "2026-08-26"),),
        "beside-any-of": (_provider(VERTEX, "anomalyco/opencode/issues/15795", "2026-03-03"),),
        "beside-reference": (_provider(GEMINI, "su-kaka/gcli2api/pull/374", "2026-05-09"),),
        "reference": (
            _client(_COPILOT, "github/copilot-cli/issues/1876", "2026-03-06"),
            _client("n8n", "n8n-io/n8n/issues/25964", "2026-02-19"),
            _client("LM Studio", "lmstudio-ai/lmstudio-bug-tracker/issues/738", "2025-07-06"),
        ),
        "format": (_provider(OPENAI_STRICT, "cyanheads/git-mcp-server/issues/47", "2026-05-06"),),
        "output-draft": (
            _client(_CLAUDE_CODE, "anthropics/claude-code/issues/90549", "2026-08-29"),
            _client(_CLAUDE_DESKTOP, "nataliapc/mcp-openmsx/issues/22", "2026-09-15"),
            _client("opencode", "anomalyco/opencode/issues/39365", "2026-07-28"),
        ),
        "refusal-shape": (
            _client("the MCP Inspector", "ignfab/geocontext/pull/185", "2026-07-30"),
            _client("clients on the TypeScript SDK", "HexSleeves/tailscale-mcp/pull/101", "2026-05-17"),
        ),
        "name-beside-server-of-60": (
            _client("Cursor", "executeautomation/mcp-playwright/issues/145", "2025-06-17"),
        ),
        "name-beside-server-of-64": (
            _client(_CLAUDE_CODE, "anthropics/claude-code/issues/19882", "2026-01-25"),
        ),
        "tools-of-40": (_client("Trae", "Trae-AI/TRAE/issues/1344", "2025-08-13"),),
        "tools-of-80": (_client("Cursor", "Snowflake-Labs/mcp/issues/77", "2025-09-02"),),
        "tools-of-100": (_client("Antigravity", "msrbuilds/elementor-mcp/issues/37", "2026-05-01"),),
        "tools-of-128": (
            _provider(OPENAI, "0x4m4/hexstrike-ai/issues/89", "2025-10-12"),
            _client("GitHub Copilot", "microsoft/copilot-intellij-feedback/issues/1842", "2026-06-21"),
        ),
        "tools-of-512": (_provider(GEMINI, "google-gemini/gemini-cli/issues/25440", "2026-04-15"),),
    }
)
"""By what is refused: those who refuse it."""


def lines(what: str, *, to_clients: bool) -> tuple[Line, ...]:
    """Those who refuse something, without the clients where a tool is not offered to them."""
    return tuple(line for line in TABLE[what] if to_clients or not line.is_client)


def crowded(number: int) -> tuple[tuple[int, tuple[Line, ...]], ...]:
    """The limits that a number of tools exceeds, the lowest first, each with those who have it."""
    return tuple((most, TABLE[what]) for what, most in MOST_TOOLS.items() if number > most)


def names(found: Iterable[Line]) -> str:
    """Those who refuse, as a phrase, each with the date of its source."""
    shown = [f"{line.who} ({line.dated})" for line in found]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def sources(*whats: str) -> str:
    """A paragraph for the page of a rule: who refuses what it finds, and where that was read."""
    every = sorted({(line.who, line.dated, line.source) for what in whats for line in TABLE[what]})
    parts = [
        f"{who}: {', '.join(f'https://{source} ({dated})' for _, dated, source in group)}"
        for who, group in groupby(every, key=lambda each: each[0])
    ]
    return f"Who refuses it, as read on {READ}. {'; '.join(parts)}."
