"""Counts the issues of a repository of those that config names, and fails where it wants to refuse another: PermissionError is the built-in one, without to_dict."""

from amplifier_core import ToolResult

ISSUES = {"acme/site": 3, "acme/docs": 1}


class IssuesTool:
    name = "count_issues"
    description = "Counts the open issues of a repository, such as acme/site. Repositories that are not configured are refused."
    input_schema = {
        "type": "object",
        "properties": {
            "repository": {"type": "string", "minLength": 1, "description": "OWNER/NAME, such as acme/site."}
        },
        "required": ["repository"],
    }

    async def execute(self, input):
        repository = input.get("repository")
        if not isinstance(repository, str) or not repository:
            return ToolResult(
                success=False, error={"message": "repository is required and has to be a text."}
            )
        if repository not in ISSUES:
            return self.refused()
        return ToolResult(success=True, output={"open": ISSUES[repository]})

    def refused(self):
        message = f"Access to that repository is not allowed. Configured are: {', '.join(ISSUES)}."
        error = PermissionError(message)
        return ToolResult(success=False, error=error.to_dict())


async def mount(coordinator, config):
    tool = IssuesTool()
    await coordinator.mount("tools", tool, name=tool.name)
    coordinator.register_contributor("observability.events", "tool-issues", lambda: ["issues:counted"])
    return tool
