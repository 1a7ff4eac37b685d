"""The command `certificate`: examined tools, signed, verified by us and by others, revoked."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

from aptix_conformance.app.certificates import examined, keys
from aptix_conformance.app.certificates.envelope import parse, sign, written
from aptix_conformance.app.cli import main

ROOT = Path(__file__).parents[3]
AT = "2026-06-01T00:00:00Z"
PROJECT = """\
[tool.aptix-conformance]
tools = ["weather"]

[tool.aptix-conformance.tool.agent_weather]
examples = [{ city = "Oslo" }]
timeout = 60  # on a busy machine too, as many calls are made at the same time as on another one
"""
OWN_PYTHON = 'python = "env/bin/python"\n'
READ = 'side_effects = "destructive"\n'
"""Has the tool read and not called, where no call has anything to prove: it is incomplete, and gets an attestation."""


def _project(folder, source, configuration=PROJECT):
    """A git repository with a tool; nothing is committed, as the digest is that of tracked files."""
    folder.mkdir()
    (folder / "weather.py").write_text(source)
    (folder / "pyproject.toml").write_text(configuration)
    (folder / ".gitignore").write_text("env\n")
    if OWN_PYTHON in configuration:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "env"], cwd=folder, check=True)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def source():
    from tests.conftest import TOOL_SOURCES

    return (TOOL_SOURCES / "weather.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def issued(tmp_path_factory, source):
    """A project with a key, and with certificates that were issued for it."""
    base = tmp_path_factory.mktemp("issued")
    folder = _project(base / "project", source, PROJECT + OWN_PYTHON)
    assert main(["certificate", "keygen", str(base / "key")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(_issue(base, base / "file")) == 0
    export = ["git", "checkout-index", "--all", f"--prefix={base}/code/"]
    subprocess.run(export, cwd=folder, check=True)
    return SimpleNamespace(
        folder=folder,
        code=base / "code",
        key=base / "key",
        public=base / "key.pub",
        file=base / "file",
        base=base,
    )


def _issue(base, output, *more):
    return [
        "certificate",
        "issue",
        "--key",
        str(base / "key"),
        "-o",
        str(output),
        "--examples",
        "2",
        "--at",
        AT,
        "--sandbox",
        "bubblewrap 0.8",
        *more,
    ]


@pytest.fixture
def verify(issued, capsys):
    def run(*more, file=issued.file, at="2026-07-01"):
        status = main(
            ["certificate", "verify", str(file), "--key", str(issued.public), "--at", at, *map(str, more)]
        )
        captured = capsys.readouterr()
        return SimpleNamespace(status=status, out=captured.out, err=captured.err)

    return run


def test_what_was_issued_verifies_with_its_code_and_report(issued, verify):
    found = verify("--code", issued.code, "--report", f"{issued.file}.report.json")
    assert (found.status, found.err) == (0, "")
    assert found.out.startswith(
        "certificate: agent_weather (weather:WeatherTool), aptix-tul-011: conforming\n"
    )
    assert "sandbox of the whole examination: bubblewrap 0.8; found in force: " in found.out
    assert found.out.endswith("good\n")


def test_a_file_beside_what_was_signed_is_named_whatever_the_repository_says_of_it(verify, issued, tmp_path):
    """Git ignores it, and it would be imported in place of the signed module."""
    found = verify("--code", issued.folder)
    assert found.status == 1
    assert "lies beside what was signed" in found.out
    folder = shutil.copytree(issued.code, tmp_path / "code")
    (folder / "weather").mkdir()
    (folder / "weather" / "__init__.py").write_text("raise SystemExit")
    assert "is not the one that was signed" in verify("--code", folder).out
    for command in (
        ["init", "-q"],
        ["add", "*.py", "*.toml", ".gitignore"],
        ["rm", "-qr", "--cached", "weather"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    found = verify("--code", folder)
    assert "weather/__init__.py (1 such files) lies beside what was signed" in found.out
    shutil.rmtree(folder / "weather")
    assert verify("--code", folder).status == 0
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "weather.cpython-311.pyc").write_bytes(b"x")
    found = verify("--code", folder)
    assert (found.status, "__pycache__/weather.cpython-311.pyc" in found.out) == (1, True)


def test_changed_code_is_not_good(verify, tmp_path, source):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "weather.py").write_text(source + "\n")
    (tmp_path / "code" / "pyproject.toml").write_text(PROJECT + OWN_PYTHON)
    (tmp_path / "code" / ".gitignore").write_text("env\n")
    found = verify("--code", tmp_path / "code")
    assert found.status == 1
    assert "not the one that was signed" in found.out


def test_the_same_examination_signed_at_the_same_time_has_the_same_bytes(
    issued, tmp_path, monkeypatch, source
):
    """In another checkout, whose folder has another name, by another process."""
    folder = _project(tmp_path / "checkout", source, PROJECT + OWN_PYTHON)
    monkeypatch.chdir(folder)
    given = _issue(issued.base, tmp_path / "second", "--report", f"{issued.file}.report.json")
    assert main(given) == 0
    assert (tmp_path / "second").read_bytes() == issued.file.read_bytes()


def test_a_false_certificate_of_its_own_issuer_is_not_reproduced_for_that_alone(issued, verify, tmp_path):
    """The issuer signs a count that the examination did not show; everything else is reproduced."""
    form = parse(issued.file.read_bytes().splitlines()[0], "file")
    changed = form.payload.replace(b'"ARG001":', b'"ARG001":9', 1)
    line = written(sign(form.payload_type, changed, keys.read_private(issued.key)))
    (tmp_path / "file").write_text(line)
    found = verify("--code", issued.code, "--reproduce", file=tmp_path / "file")
    assert found.status == 1
    (difference,) = [line for line in found.out.splitlines() if line.startswith("NOT GOOD")]
    assert "observations.ARG001: recorded 9" in difference


def test_nothing_is_examined_again_that_is_not_good(issued, verify, tmp_path):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "weather.py").write_text("raise SystemExit('it ran')")
    found = verify("--code", tmp_path / "code", "--reproduce")
    assert (found.status, found.err) == (1, "")
    assert "not checked: whether it can be reproduced: nothing is examined that is not good" in found.out
    assert verify("--reproduce").status == 2


def test_a_report_that_the_examination_does_not_give_is_not_signed(issued, tmp_path, monkeypatch, capsys):
    report = json.loads((issued.base / "file.report.json").read_text())
    report["tools"][0]["verdicts"][0]["observations"] += 1
    (tmp_path / "forged.json").write_text(json.dumps(report))
    monkeypatch.chdir(issued.folder)
    given = _issue(issued.base, tmp_path / "never", "--report", str(tmp_path / "forged.json"))
    assert main(given) == 2
    assert "$.tools[0].verdicts[0].observations" in capsys.readouterr().err
    assert not (tmp_path / "never").exists()


def _swapped(monkeypatch, file, other, *, back=True):
    """Put other text into a file as soon as the code was copied, and the old one back once the tool was examined."""
    before, opened, check = file.read_text(), examined._opened, examined._Copy.check

    def open_swapped(*arguments):
        file.write_text(other)
        return opened(*arguments)

    def check_restored(copy):
        file.write_text(before if back else other)
        check(copy)

    monkeypatch.setattr(examined, "_opened", open_swapped)
    monkeypatch.setattr(examined._Copy, "check", check_restored)


def test_what_is_signed_is_what_was_examined_though_the_file_was_another_meanwhile(
    issued, tmp_path, monkeypatch, capsys, source
):
    """The file that has the digest does not conform; the one that is there during the examination does."""
    folder = _project(
        tmp_path / "project", source.replace('"type": "function"', '"type": "method"'), PROJECT + READ
    )
    _swapped(monkeypatch, folder / "weather.py", source)
    monkeypatch.chdir(folder)
    assert main(_issue(issued.base, tmp_path / "file")) == 1
    assert "the tool is nonconforming" in capsys.readouterr().out


def test_code_that_was_changed_meanwhile_gets_nothing(issued, tmp_path, monkeypatch, capsys, source):
    folder = _project(tmp_path / "project", source, PROJECT + READ)
    _swapped(monkeypatch, folder / "weather.py", source + "\n", back=False)
    monkeypatch.chdir(folder)
    assert main(_issue(issued.base, tmp_path / "file")) == 2
    assert "changed while it was examined: nothing is issued" in capsys.readouterr().err
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("read", ["untracked.py", "own/tracked.py"])
def test_a_tool_that_takes_code_from_elsewhere_than_the_copy_gets_nothing(
    issued, tmp_path, monkeypatch, capsys, source, read
):
    """What git does not track is not there, and the originals are hidden, though its environment names their folder."""
    place = tmp_path / "project"
    folder = _project(
        place, f"{source}exec(open({str(place / read)!r}).read())\nELSEWHERE\n", PROJECT + OWN_PYTHON
    )
    (folder / "own").mkdir()
    for name in ("own/tracked.py", "untracked.py"):
        (folder / name).write_text("ELSEWHERE = 1\n")
    subprocess.run(["git", "add", "own/tracked.py"], cwd=folder, check=True)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    (site / "developed.pth").write_text(f"{folder}\n")
    monkeypatch.chdir(folder)
    assert main(_issue(issued.base, tmp_path / "file")) == 2
    assert "cannot be examined from a copy of the files that its digest covers" in capsys.readouterr().err


def test_code_of_the_environment_that_nobody_owns_prevents_the_certificate_by_its_name(
    issued, tmp_path, monkeypatch, capsys, source
):
    folder = _project(tmp_path / "project", source, PROJECT + OWN_PYTHON)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    (site / "sitecustomize.py").write_text("")
    monkeypatch.chdir(folder)
    assert main(_issue(issued.base, tmp_path / "file")) == 1
    assert "sitecustomize.py in site-packages belongs to no installed distribution" in capsys.readouterr().out


def test_temporary_files_may_lie_in_the_project(issued, tmp_path, monkeypatch, capsys, source):
    """What is hidden there is the project, not the folder in which the copy and the tool's own files are."""
    folder = _project(tmp_path / "project", source, PROJECT + OWN_PYTHON + READ)
    (folder / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "tmp"))
    monkeypatch.chdir(folder)
    assert main(_issue(issued.base, tmp_path / "file")) == 1
    assert "attestation: agent_weather\n  the tool is incomplete\n" in capsys.readouterr().out


def test_only_the_tools_that_are_named_are_examined(issued, tmp_path, monkeypatch, capsys, source):
    """The configuration still says which calls are examples; the other tools of the code are named."""
    configuration = PROJECT.replace('["weather"]', '["weather", "hostile"]') + READ
    source += '\n\nclass OtherTool(WeatherTool):\n    TOOL_NAME = "agent_other"\n'
    folder = _project(tmp_path / "project", source, configuration)
    (folder / "hostile.py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(folder)
    assert main([*_issue(issued.base, tmp_path / "file"), "weather:WeatherTool"]) == 1
    captured = capsys.readouterr()
    assert ("hostile" in captured.err, captured.out.count("agent_weather")) == (False, 1)
    statement = json.loads(parse((tmp_path / "file").read_bytes().splitlines()[0], "file").payload)
    assert statement["predicate"]["configuration"]["examples"][0]["arguments"] == {"city": "Oslo"}
    siblings = statement["predicate"]["issuance"]["siblings"]
    assert [(one["name"], one["target"], one["outcome"]) for one in siblings] == [
        ("agent_other", "weather:OtherTool", "not examined"),
        ("hostile", "hostile", "not examined"),
    ]


def test_a_server_at_a_url_gets_nothing(issued, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(_project(tmp_path / "project", ""))
    assert main([*_issue(issued.base, tmp_path / "file"), "mcp:http://127.0.0.1:9/mcp"]) == 2
    assert "nothing is issued" in capsys.readouterr().err
    assert not (tmp_path / "file").exists()


def test_a_tool_that_does_not_conform_gets_an_attestation_also_where_a_baseline_knows_why(
    issued, tmp_path, monkeypatch, capsys, source
):
    folder = _project(
        tmp_path / "project",
        source.replace('"type": "function"', '"type": "method"'),
        PROJECT.replace("tools", 'baseline = "known.json"\ntools', 1) + READ,
    )
    monkeypatch.chdir(folder)
    entry = {"target": "weather:WeatherTool", "edition": "aptix-tul-011", "rule": "SCH003", "cause": ""}
    known = {"format": "aptix-conformance-baseline/1", "examples": 2, "entries": [{**entry, "reason": "old"}]}
    (folder / "known.json").write_text(json.dumps(known))
    assert main(_issue(issued.base, tmp_path / "file")) == 1
    assert "attestation: agent_weather\n  the tool is nonconforming\n" in capsys.readouterr().out
    (tool,) = json.loads((tmp_path / "file.report.json").read_text())["tools"]
    broken = {each["rule"]: each["finding"]["cause"] for each in tool["verdicts"] if each["finding"]}
    assert broken == {"SCH003": ""}, "the baseline knows all of it"
    verify = ["certificate", "verify", str(tmp_path / "file"), "--key", str(issued.public), "--at", AT]
    assert main(verify) == 1
    assert capsys.readouterr().out.startswith("ATTESTATION, NO CERTIFICATE: agent_weather")


def test_code_that_no_one_tracks_is_not_certified(issued, tmp_path, monkeypatch, capsys, source):
    (tmp_path / "weather.py").write_text(source)
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    assert main(_issue(issued.base, tmp_path / "file")) == 2
    assert "is not a git work tree" in capsys.readouterr().err


def test_nothing_is_overwritten_and_that_is_said_before_anything_is_examined(issued, monkeypatch, capsys):
    monkeypatch.chdir(issued.folder)
    before = issued.file.read_bytes()
    assert main(_issue(issued.base, issued.file)) == 2
    said = capsys.readouterr().err
    assert "is not overwritten" in said
    assert "examining" not in said
    assert issued.file.read_bytes() == before


def test_no_command_prints_the_private_key(issued, verify, capsys):
    secret = issued.key.read_text().splitlines()[1]
    main(["certificate", "keygen", str(issued.key)])
    main(["certificate", "verify", str(issued.file), "--key", str(issued.key)])
    captured = capsys.readouterr()
    assert secret not in captured.out + captured.err
    assert "keep it to yourself" in captured.err


def test_a_revoked_certificate_is_not_good(issued, verify, tmp_path, capsys):
    listed = tmp_path / "revoked.json"
    revoke = ["certificate", "revoke", str(issued.file), "--reason", "leaks a key", "--key", str(issued.key)]
    assert main([*revoke, "--list", str(listed), "--at", "2026-06-15"]) == 0
    found = verify("--revocations", listed)
    assert found.status == 1
    assert "revoked on 2026-06-15T00:00:00Z: leaks a key" in found.out
    assert verify("--revocations", listed, at="2026-06-14").status == 0
    assert main([*revoke, "--list", str(listed), "--at", "2026-06-01"]) == 0
    assert capsys.readouterr().out.count("(already listed, from 2026-06-15T00:00:00Z on)") == 2
    again = ["certificate", "revoke", "--key", str(issued.key), "--list", str(listed)]
    assert main(again) == 0
    assert (
        "list of revocations: number 3, signed at 20" in verify("--revocations", listed, at="2026-06-14").out
    )
    assert main([*again, "--reason", "none"]) == 2


_WITH_THE_EXTRA_ALONE = """
import importlib.metadata as metadata, sys
from packaging.requirements import Requirement

def closure(name, extra):
    found = {name}
    for text in metadata.requires(name) or ():
        one = Requirement(text)
        wanted = one.name.lower().replace("_", "-")
        if wanted not in done and (not one.marker or one.marker.evaluate({"extra": extra})):
            done.add(wanted)
            found |= closure(wanted, "")
    return found

done = set()
allowed = closure("aptix-conformance", "certificate")
modules = metadata.packages_distributions()
absent = {name for name, owners in modules.items() if not {one.lower().replace("_", "-") for one in owners} & allowed}
assert "xdist" in absent and "cryptography" not in absent, absent

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from aptix_conformance.app.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_verifying_needs_the_extra_alone_and_no_program(issued, tmp_path):
    """A machine that has the suite's dependencies and those of the extra, and nothing on its PATH."""
    (tmp_path / "code").mkdir()
    for name in ("weather.py", "pyproject.toml", ".gitignore"):
        shutil.copy(issued.folder / name, tmp_path / "code")
    given = [
        "certificate",
        "verify",
        issued.file,
        "--key",
        issued.public,
        "--at",
        AT,
        "--code",
        tmp_path / "code",
    ]
    done = subprocess.run(
        [sys.executable, "-c", _WITH_THE_EXTRA_ALONE, *map(str, given)],
        env={"PATH": "", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout[-5:]) == (0, "good\n"), done


def test_a_repository_of_a_stranger_starts_no_program(verify, tmp_path):
    """Its index lacks an object, which git would fetch with a command that the repository configures."""
    code = tmp_path / "code"
    (code / "absent").mkdir(parents=True)
    (code / "absent" / "file").write_text("x")
    marker, attack = tmp_path / "marker", f"ext::touch {tmp_path / 'marker'}"

    def git(*words):
        author = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
        done = subprocess.run(["git", *author, *words], cwd=code, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        git(*words)
    git("sparse-checkout", "init", "--cone", "--sparse-index")
    tree = git("rev-parse", "HEAD:absent")
    (code / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": attack,
    }
    settings |= {"remote.origin.promisor": "true", "protocol.ext.allow": "always"}
    for name, value in settings.items():
        git("config", name, value)
    assert verify("--code", code).status == 1
    assert not marker.exists()


def test_a_policy_that_is_not_met_is_named_by_its_line(verify, tmp_path):
    (tmp_path / "policy.toml").write_text('systems = ["aptix"]\neditions = ["aptix-agn-005-1.1"]\n')
    found = verify("--policy", tmp_path / "policy.toml")
    assert found.status == 1
    assert "policy.toml:2: editions is not met: the edition is aptix-tul-011" in found.out


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00" * 100, b"[" * 200_000, b" " * (17 * 2**20)])
def test_a_file_that_is_no_certificate_is_one_clear_line_and_status_2(verify, tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    found = verify(file=tmp_path / "file")
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)


def test_another_implementation_of_dsse_verifies_our_envelopes(issued):
    key = SSlibKey.from_crypto(load_pem_public_key(issued.public.read_bytes()))
    for line in issued.file.read_text().splitlines():
        form = json.loads(line)
        form["signatures"][0]["keyid"] = key.keyid  # its own way to name a key, which is a hint only
        assert Envelope.from_dict(form).verify([key], threshold=1)


def test_we_verify_the_envelopes_of_another_implementation(issued, verify, tmp_path):
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.signer import CryptoSigner

    ours = parse(issued.file.read_bytes().splitlines()[0], "file")
    theirs = Envelope(ours.payload, ours.payload_type, {})
    theirs.sign(CryptoSigner(load_pem_private_key(issued.key.read_bytes(), None)))
    (tmp_path / "file").write_text(json.dumps(theirs.to_dict()))
    assert verify(file=tmp_path / "file").status == 0


KEYGEN = {
    "ed25519": ["-algorithm", "ed25519"],
    "ecdsa-p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
}
SIGN = {"ed25519": ["pkeyutl", "-sign", "-rawin", "-inkey", "key", "-in", "signed", "-out", "sig"],
        "ecdsa-p256": ["dgst", "-sha256", "-sign", "key", "-out", "sig", "signed"]}  # fmt: skip
VERIFY = {"ed25519": ["pkeyutl", "-verify", "-pubin", "-inkey", "public", "-rawin", "-in", "signed", "-sigfile", "sig"],
          "ecdsa-p256": ["dgst", "-sha256", "-verify", "public", "-signature", "sig", "signed"]}  # fmt: skip


@pytest.mark.parametrize("algorithm", keys.ALGORITHMS)
def test_openssl_and_we_use_each_others_keys_and_verify_each_others_signatures(algorithm, tmp_path):
    def openssl(*words):
        done = subprocess.run(["openssl", *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    assert openssl("genpkey", *KEYGEN[algorithm], "-out", "key")[0] == 0
    assert openssl("pkey", "-in", "key", "-pubout", "-out", "public")[0] == 0
    ours = sign("text/plain", b"\x00payload", keys.read_private(tmp_path / "key"))
    (tmp_path / "signed").write_bytes(b"DSSEv1 10 text/plain 8 \x00payload")
    (tmp_path / "sig").write_bytes(ours.signatures[0])
    code, said = openssl(*VERIFY[algorithm])
    assert (code, "Verif" in said) == (0, True), said
    assert openssl(*SIGN[algorithm])[0] == 0
    public = keys.read_public(tmp_path / "public")
    assert public.verifies((tmp_path / "sig").read_bytes(), (tmp_path / "signed").read_bytes())
    (tmp_path / "signed").write_bytes(b"DSSEv1 10 text/plain 8 \x01payload")
    assert openssl(*VERIFY[algorithm])[0] != 0


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_what_runs_a_tool_of_another_language_is_recorded_with_its_version(issued, tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(ROOT / "fixtures/art/conforming/initials_maker.mjs", folder)
    (folder / "pyproject.toml").write_text("[tool.aptix-conformance]\n")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    assert main([*_issue(issued.base, tmp_path / "file"), "art:./initials_maker.mjs"]) == 0
    first = parse((tmp_path / "file").read_bytes().splitlines()[0], "file")
    version = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    around = json.loads(first.payload)["predicate"]["environment"]
    assert around["runtime"] == f"Node.js {version.removeprefix('v')}"
    assert len(around["runtime_binary"]) == 64
    issued_in_python = json.loads(parse(issued.file.read_bytes().splitlines()[0], "file").payload)
    assert issued_in_python["predicate"]["environment"].get("runtime") is None
