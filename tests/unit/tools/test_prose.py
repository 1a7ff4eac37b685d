"""Sentences that are hard to read are found, and plain ones are not."""

import pytest

from tools import prose

HARD = {
    "What has no URL is refused.": "Only URLs are accepted. What is a URL?",
    "That a tool raises is a breach.": "A tool that raises breaks the rule. That is a breach.",
    "Whoever signs needs a key.": "An issuer needs a key to sign.",
    "The value is none.": "There is none.",
    "The tool ends; what was read is kept.": "The tool ends; the values are kept.",
    "Of two tools the first is examined.": "Of course the suite examines the first of two tools.",
    "So is a server.": "A server is refused too.",
    "This is what the tool returns.": "The tool returns this.",
    "The file is to be signed.": "The issuer signs the file.",
    "It is no verdict.": "It is not a verdict. There is no verdict. It is no longer a verdict.",
    "A file that is not the one that was signed fails.": "A changed file fails.",
    "A test that passes and one that does not, which fails.": "A test that passes, and a test that does not.",
    "Hence the tool fails.": "The tool fails.",
    "Words " * (prose.LONGEST + 1) + ".": "Words " * prose.LONGEST + "`code in a sentence`: and so on.",
}


@pytest.mark.parametrize(("hard", "plain"), HARD.items(), ids=lambda text: text[:30])
def test_a_shape_is_found_and_its_plain_twin_is_not(hard, plain):
    assert [finding.sentence for finding in prose.examine(hard)] == [hard]
    assert prose.examine(plain) == []


def test_prose_is_read_with_its_line_and_names_and_code_are_not():
    page = (
        "# What is examined\n\nA *plain* start. What\nis next is `What`.\n\n"
        '| What |\n|---|\n| What is named |\n\n```text\nWhat is code.\n```\n\nIt says "What is no text".\n'
    )
    ((line, sentence, _),) = prose.examine(page)
    assert (line, sentence) == (3, "What is next is `x`.")


def test_the_command_fails_on_a_finding_and_names_its_place(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("The suite reads this.\n", encoding="utf-8")
    assert prose.main([str(tmp_path)]) == 0
    page.write_text("Hence the suite reads this.\n", encoding="utf-8")
    assert prose.main([str(page)]) == 1
    assert (
        f"{page}:1: “Hence the suite reads this.”: 'Hence': use the everyday word" in capsys.readouterr().out
    )
    with pytest.raises(SystemExit, match="2"):
        prose.main([str(tmp_path / "absent.md")])
