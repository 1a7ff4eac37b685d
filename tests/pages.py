"""The pages of the documentation as the tests read them: sections, blocks of code, commands, and rows of tables."""

import re
import shlex
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"\|[ |:-]+\|")


class Page:
    """A page of the checkout, or a section of one."""

    def __init__(self, text):
        self.text = text

    @property
    def sections(self):
        """What stands under each heading of the first two levels, by heading."""
        parts = re.split(r"\A# |^## ", self.text, flags=re.MULTILINE)[1:]
        return {part.partition("\n")[0]: Page(part.partition("\n")[2]) for part in parts}

    @property
    def languages(self):
        return {language for language, _ in _BLOCK.findall(self.text)}

    def blocks(self, language=None):
        """The text of each block of code, in one language or in any."""
        return [text for found, text in _BLOCK.findall(self.text) if language in (None, found)]

    def typed(self):
        """The lines that a reader types, for each block of the console."""
        return [[line.removeprefix("$ ") for line in text.splitlines()] for text in self.blocks("console")]

    def commands(self):
        """All of them, each as its words."""
        return [shlex.split(line) for block in self.typed() for line in block]

    def rows(self):
        """The cells of each row of the tables, without their heads."""
        found = []
        for line in self.text.splitlines():
            if _RULE.fullmatch(line):
                found.pop()
            elif line.startswith("|"):
                found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        return found


def read_page(path):
    """A page, by its path in the checkout."""
    return Page((_ROOT / path).read_text(encoding="utf-8"))


def tools_of_the_readme(folder):
    """The tool of the README's five minutes, as it is first and as it is last; the configuration is written to the folder."""
    section = read_page("README.md").sections["Certify your own tool in five minutes"]
    tool, fixed = section.blocks("python")
    (configuration,) = section.blocks("toml")
    (folder / "pyproject.toml").write_text(configuration, encoding="utf-8")
    return tool, tool.partition("        arguments = json.loads(arguments_json)")[0] + fixed
