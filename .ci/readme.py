"""Type the README's commands as a new user would, and see that what it says comes true.

    python .ci/readme.py CHECKOUT

In a copy of the checkout: "Two commands", of which the second is the unit and the process tier, then the whole of
"Certify your own tool" from an empty folder. The tests are run with `--cov`, and the gate on coverage is closed behind them.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def section(text: str, heading: str) -> list[tuple[str, str]]:
    """The fenced blocks under one heading, as (language, text)."""
    body = text.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]
    return FENCE.findall(body)


def typed(block: str) -> list[str]:
    """The commands of a console block."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def run(command: str, folder: Path, status: int, *expected: str) -> None:
    """Run one command; its exit status and some of what it prints are known beforehand."""
    print(f"$ {command}", flush=True)
    result = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )
    missing = [text for text in expected if text not in result.stdout]
    if result.returncode != status or missing:
        print(result.stdout, result.stderr, sep="\n")
        sys.exit(f"exit status {result.returncode}, not {status}; not printed: {missing}")


def run_tests(command: str, folder: Path) -> None:
    """Run the tests, in plain sight; those that fail beside others are run once more alone, and that decides."""
    counted = f"{command} --cov --cov-report= --cov-fail-under=0"
    if not succeeds(counted, folder) and not succeeds(".venv/bin/pytest -n 0 --lf --lfnf=none", folder):
        sys.exit("tests fail, also alone")
    if not succeeds(".venv/bin/coverage report --skip-covered", folder):
        sys.exit("the tests run too little of the code")


def succeeds(command: str, folder: Path) -> bool:
    """Run one command in plain sight."""
    print(f"$ {command}", flush=True)
    return not subprocess.run(["bash", "-c", command], cwd=folder, env=environment(), check=False).returncode


def environment() -> dict[str, str]:
    """What a new user has: nothing of CI's."""
    return {key: value for key, value in os.environ.items() if key not in {"CI", "PYTHONPATH", "VIRTUAL_ENV"}}


def main(checkout: Path) -> None:
    """Do as the README says."""
    text = (checkout / "README.md").read_text(encoding="utf-8")
    page = (checkout / "docs" / "kept-tests.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)  # tests that run tools as nobody read the environment in it
        copy = Path(place, "aptix-conformance")
        subprocess.run(["git", "clone", "--quiet", str(checkout), str(copy)], check=True)
        examine, tests = [command for _, block in section(text, "Two commands") for command in typed(block)]
        run(examine, copy, 0, "7 tools: 7 conforming")
        run_tests(tests, copy)

        blocks = section(text, "Certify your own tool in five minutes")
        console = [typed(block) for language, block in blocks if language == "console"]
        tool, fixed = [block for language, block in blocks if language == "python"]
        (configuration,) = [block for language, block in blocks if language == "toml"]
        (make, install), (check,), (certify,), (keep, kept), (lock,) = console
        run(make, Path(place), 0)
        mine = Path(place, "my-tools")
        run(install, mine, 0)
        (mine / "my_tools.py").write_text(tool, encoding="utf-8")
        run(check, mine, 1, "agent_weather breaks ARG002", "the fix", "broken        3 MUST rules")
        (mine / "pyproject.toml").write_text(configuration, encoding="utf-8")
        run(certify, mine, 1, "nonconforming agent_weather", "ARG002", "the fix")
        run(keep, mine, 0, "test_weather.py fails until the rule is kept")
        if (mine / "test_weather.py").read_text(encoding="utf-8") not in page:
            sys.exit("docs/kept-tests.md shows another test")
        run(kept, mine, 1, "1 failed")
        head, _, _ = tool.partition("        arguments = json.loads(arguments_json)\n")
        (mine / "my_tools.py").write_text(head + fixed, encoding="utf-8")
        run(kept, mine, 0, "1 passed")
        run(certify, mine, 0, "conforming    agent_weather")
        run(lock, mine, 0)
        if not (mine / "snapshots" / "agent_weather.json").is_file():
            sys.exit("no lock was written")
    print("the README is true")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
