"""Where a contract hides the installation only, a result may name the directory that the suite gave the tool."""

import pytest
from tests.unit.rules import builders as b

from aptix_conformance.core.model import Facts
from aptix_conformance.core.model.codec import replace

OWN = "/tmp/aptix-scratch-1234/tool-1"


class Open(Facts, frozen=True):
    """The facts of a result that may name directories."""

    def may_name_directories(self):
        return True


def judged(code, text, facts):
    result = b.success({"found": text}) if code == "EXC005" else b.failure(text)
    return b.judge(code, b.call(result=replace(result, facts=facts)))


@pytest.mark.parametrize("name", ["notes.txt", "notes.py"])
@pytest.mark.parametrize("code", ["EXC003", "EXC005"])
def test_its_own_directory_may_be_named(code, name):
    text = f"no such file: {OWN}/{name}"
    assert judged(code, text, Open()) is None
    assert "a path of" in judged(code, text, Facts()).message


@pytest.mark.parametrize(
    "text",
    [
        f'Traceback (most recent call last): File "{OWN}/server.py", line 3, in main',
        f'File "{OWN}/server.py", line 3, in main',
        f"{OWN}/venv/lib/python3.11/site-packages/requests/api",
        "no such module: /srv/tools/greeter.py",
        "see aptix_conformance/hosts/runner",
    ],
)
def test_stack_traces_and_the_installation_are_found_all_the_same(text):
    assert judged("EXC003", text, Open()) is not None


PROJECT = "/root/.projects/mail"


class Project(Open, frozen=True):
    """The facts of a result of a tool that works in its author's project."""

    def own_directory(self):
        return PROJECT


@pytest.mark.parametrize("path", [PROJECT, f"{PROJECT}/inbox", f"{PROJECT}/drafts/first.txt"])
def test_the_project_that_a_tool_works_in_may_be_named(path):
    text = f"there is no folder {path}"
    assert judged("EXC003", text, Project()) is None
    assert "a path of" in judged("EXC003", text, Open()).message
    assert judged("EXC003", f"{text}, and no file {OWN}/notes.txt", Project()) is None


@pytest.mark.parametrize(
    "path",
    [
        "/root/.projects/mailbox/inbox",
        "/root/.ssh/id_rsa",
        f"{PROJECT}/server.py",
        f"{PROJECT}/../.ssh/id_rsa",
    ],
)
def test_what_is_beside_the_project_or_of_its_code_is_found_all_the_same(path):
    assert judged("EXC003", f"there is no file {path}", Project()) is not None


def test_a_path_in_the_text_of_an_error_is_of_the_installation_only_where_it_may_name_none():
    text = "[Errno 2] No such file or directory: '/mnt/orders/2024.json'"
    assert judged("EXC003", text, Open()) is None
    assert "'/mnt/orders/2024.json'" in judged("EXC003", text, Facts()).message
