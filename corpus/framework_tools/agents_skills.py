"""The tool of openai-agents-skills that gives the model a skill, with one skill."""

from typing import Any

from openai_agents_skills import Skill, SkillRegistry, make_invoke_skill_tool


class Summary(Skill):
    """A skill of one sentence."""

    name = "summary"
    description = "How to write a summary."

    async def get_prompt_blocks(self, context: object, agent: object, args: str = "") -> list[Any]:
        return [{"role": "user", "content": f"Write three sentences. {args}"}]


_registry = SkillRegistry()
_registry.register(Summary())
tools = [make_invoke_skill_tool(_registry)]
