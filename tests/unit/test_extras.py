"""`.ci/run` tries every extra that a user may install in an environment of its own."""

import re
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
RUN = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")


def test_each_extra_is_tried_in_an_environment_that_has_no_other():
    tried = re.findall(r"^alone (\S+)$", RUN, re.MULTILINE)
    tried += re.findall(r"^run pip install --quiet --editable '\.\[(\w+)\]'$", RUN, re.MULTILINE)
    assert sorted(tried) == sorted(EXTRAS)
