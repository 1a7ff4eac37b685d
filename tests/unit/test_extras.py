"""`.ci/run` tries every extra that a user may install in an environment of its own."""

import re
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
"""Its commands are typed by `.ci/run`, each in an environment of its own."""
RUN = (CHECKOUT / ".ci" / "run").read_text(encoding="utf-8")


def test_each_extra_is_tried_in_an_environment_that_has_no_other():
    tried = re.findall(r'^extras="(.+)"', RUN, re.MULTILINE)[0].split()
    for text in (RUN, README):
        tried += re.findall(r"pip install --quiet (?:--python \S+ )?--editable '\.\[(\w+)\]'", text)
    assert sorted(tried) == sorted(EXTRAS)
