"""`record` writes inside of the project alone."""

import pytest

from aptix_conformance.app.commands.record import require_inside
from aptix_conformance.core.errors import ConfigurationError


def test_a_recording_inside_of_the_project_is_right(tmp_path):
    require_inside(tmp_path / "recordings" / "r.yaml", tmp_path)


def test_a_path_that_leads_out_of_the_project_is_refused(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "link").symlink_to(tmp_path)
    for name in ("../r.yaml", "link/r.yaml"):
        with pytest.raises(ConfigurationError, match="outside of"):
            require_inside(tmp_path / "project" / name, tmp_path / "project")
