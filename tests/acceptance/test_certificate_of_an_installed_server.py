"""A server of the store of `mcp install`: certified from a copy of all that was installed with it, and reproduced."""

import json
import shutil
from pathlib import Path

from tests.acceptance.package_index import wheel
from tests.acceptance.test_mcp_install import MAIN, SERVER, SERVING

from aptix_conformance.app.certificates.envelope import parse
from aptix_conformance.app.cli import main

SPEC = "mcp:uvx lengths"


def test_a_server_has_a_certificate_that_covers_all_that_it_needs(index, tmp_path, capsys):
    index.add(
        wheel("lengths", files={"lengths.py": SERVER + MAIN, "serving.py": SERVING}, needs=["helper"]),
        wheel("helper"),
    )
    key, file = tmp_path / "key", tmp_path / "file"
    assert main(["mcp", "install", "uvx lengths"]) == 0
    assert main(["certificate", "keygen", str(key)]) == 0
    issue = ["certificate", "issue", SPEC, "--key", str(key), "-o", str(file)]
    assert main([*issue, "--examples", "1", "--at", "2026-06-01"]) == 0
    statements = [
        json.loads(parse(line, "file").payload)["predicate"] for line in file.read_bytes().splitlines()
    ]
    attested = {one["tool"]["target"]: one for one in statements if "tool" in one}
    assert set(attested) == {SPEC, f"{SPEC}#convert_length"}
    assert attested[SPEC]["code"] == {"kind": "server", "name": "lengths 1.0"}
    assert [one["name"] for one in attested[SPEC]["environment"]["distributions"]] == ["helper", "lengths"]
    folder = Path(".aptix-servers/python/lengths")
    verify = [
        "certificate",
        "verify",
        str(file),
        "--key",
        f"{key}.pub",
        "--at",
        "2026-06-02",
        "--code",
        str(folder),
    ]
    capsys.readouterr()
    status = main([*verify, "--reproduce"])
    said = capsys.readouterr().out
    assert (status, said.count("\nreproduced: ")) == (0, 2), said
    (helper,) = folder.glob("env-*/lib/python*/site-packages/helper.py")
    helper.write_text("# changed\n")
    assert main(verify) == 1
    assert "helper 1.0 is not as it was signed: install it again" in capsys.readouterr().out
    shutil.rmtree(helper.parents[3])
    assert main(["mcp", "install", "uvx lengths"]) == 0
    assert main(verify) == 0
