"""The renderer `table`: a line a tool, for a spreadsheet."""


class Table:
    """Name, system and status, separated by tabs."""

    name = "table"

    def render(self, report):
        return "\n".join(f"{tool.tool}\t{tool.system}\t{tool.status}" for tool in report.tools)


TABLE = Table()
