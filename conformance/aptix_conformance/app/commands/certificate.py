"""`aptix-conformance certificate`: statements on what an examination showed, signed, verified and revoked."""

import argparse
import datetime as dt
import os
from pathlib import Path
from typing import Any, Final

from aptix_conformance.app.commands.command import (
    NO,
    OK,
    add_command,
    add_extension,
    add_group,
    complain,
    say,
)
from aptix_conformance.core.errors import CertificateError, ConformanceError
from aptix_conformance.core.extension import without_plugins
from aptix_conformance.core.files import is_taken
from aptix_conformance.core.text import printable

_DESCRIPTION: Final = (
    "Sign what an examination showed, and verify what others signed. Needs the extra `certificate`."
)
_KEYGEN: Final = """\
Make a key pair: the private key in PATH, which only you can read, and the public one in PATH.pub.

  aptix-conformance certificate keygen issuer.key

No file is overwritten. Exit status: 0; 2 when a file cannot be written.
"""
_ISSUE: Final = """\
Examine tools, and write a signed file on them. Without targets, the tools that pyproject.toml names.

  aptix-conformance certificate issue --key issuer.key -o tools.certificate
  aptix-conformance certificate issue my_tools:WeatherTool --key issuer.key -o weather.certificate --report report.json

A certificate is only for tools that conform, in full containment, with nothing waived. For others the file holds an
attestation, which says why there is no certificate. The report is written next to it, as FILE.report.json.
The command loads no plugin and no distribution that extends the suite, unless --extension names it; the file says so then.
With --report the file is written only if this examination gives the same as that report.
Exit status: 0 when every tool has a certificate, 1 when one has an attestation only, 2 when nothing was issued.
"""
_VERIFY: Final = """\
Verify a file of certificates: signatures, validity, and everything that the options name. Works offline.

  aptix-conformance certificate verify tools.certificate --key issuer.key.pub
  aptix-conformance certificate verify tools.certificate --key issuer.key.pub --code ./my-tools --policy policy.toml
  aptix-conformance certificate verify tools.certificate --key issuer.key.pub --code ./my-tools --reproduce

With --reproduce the command also examines the tools again, contained, with the code of --code. The environment is made
like the recorded one, of wheels from the index that pip uses. Every difference is a line.
The output lists everything that was not checked. Exit status: 0 good, 1 not good (each reason a line), 2 not a certificate.
"""
_REVOKE: Final = """\
Add certificates to the signed list of what is revoked; the list is made if there is none.

  aptix-conformance certificate revoke tools.certificate --reason "leaks a key" --key issuer.key --list revoked.json
  aptix-conformance certificate revoke --key issuer.key --list revoked.json

Without FILE or DIGEST the list is signed again, with a new number and the current time, so that verifiers accept it as current.
DIGEST is the identity that `verify` prints, the dirHash of code, or the SHA-256 of a report.
Exit status: 0; 2 when the list is not this key's, or cannot be written.
"""


def add(subparsers: Any) -> None:
    """Declare the command and its subcommands."""
    own = add_group(subparsers, "certificate", _DESCRIPTION)
    _add_keygen(own)
    _add_issue(own)
    _add_verify(own)
    _add_revoke(own)


def run(options: argparse.Namespace) -> int:
    """Run the subcommand, which the parser has chosen."""
    status: int = options.run(options)
    return status


def _add_keygen(own: Any) -> None:
    parser = add_command(own, "keygen", _keygen, description=_KEYGEN, short="make a key pair")
    parser.add_argument("path", metavar="PATH", type=Path)
    parser.add_argument(
        "--algorithm", choices=("ed25519", "ecdsa-p256"), default="ed25519", help="default: ed25519"
    )


def _add_issue(own: Any) -> None:
    parser = add_command(own, "issue", _issue, description=_ISSUE, short="examine, and sign")
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="default: those of pyproject.toml")
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the private key")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the file to write")
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="sign only if the examination gives the same"
    )
    parser.add_argument("--edition", metavar="NAME", help="the edition to judge by")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument(
        "--examples", type=int, default=100, metavar="N", help="drawn calls of a probe; default: 100"
    )
    parser.add_argument("--at", type=_time, metavar="TIME", help="the time of issue, ISO 8601; default: now")
    parser.add_argument(
        "--days",
        type=_days,
        default=_days("365"),
        metavar="N",
        help="days for which it is valid; default: 365",
    )
    parser.add_argument("--revocations", default="", metavar="URL", help="where you publish what you revoke")
    parser.add_argument(
        "--sandbox",
        default="",
        metavar="NAME",
        help="the sandbox in which you run this command, such as bubblewrap",
    )
    add_extension(parser)


def _add_verify(own: Any) -> None:
    parser = add_command(own, "verify", _verify, description=_VERIFY, short="verify a file")
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the issuer's public key")
    parser.add_argument("--report", type=Path, metavar="FILE", help="the report that was signed")
    parser.add_argument("--code", type=Path, metavar="DIR", help="the code that was examined")
    parser.add_argument("--at", type=_time, metavar="TIME", help="the time to verify for; default: now")
    parser.add_argument("--revocations", type=Path, metavar="FILE", help="the issuer's signed list")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="what you demand, in TOML")
    parser.add_argument(
        "--reproduce", action="store_true", help="examine once more, and compare; needs --code"
    )
    parser.add_argument("--attestation", action="store_true", help="accept an attestation too")


def _add_revoke(own: Any) -> None:
    parser = add_command(own, "revoke", _revoke, description=_REVOKE, short="revoke what was signed")
    parser.add_argument("what", metavar="FILE|DIGEST", nargs="?")
    parser.add_argument("--reason", metavar="TEXT", help="needed with FILE or DIGEST")
    parser.add_argument("--key", required=True, type=Path, metavar="FILE", help="the private key")
    parser.add_argument("--list", required=True, type=Path, metavar="FILE", help="the signed list")
    parser.add_argument(
        "--at", type=_time, metavar="TIME", help="the time from which the revocation counts; default: now"
    )


def _keygen(options: argparse.Namespace) -> int:
    from aptix_conformance.app.certificates import keys  # noqa: PLC0415 - needs the extra

    key = keys.generate(options.algorithm)
    public = key.write(options.path)
    say(
        f"private key: {options.path} (keep it to yourself)\npublic key:  {public}\nkey id:      {key.public.keyid}"
    )
    return OK


def _issue(options: argparse.Namespace) -> int:
    with without_plugins(options.extension):
        return _examine_and_sign(options)


def _examine_and_sign(options: argparse.Namespace) -> int:
    from aptix_conformance.app.certificates import examined, issue, keys, sandbox  # noqa: PLC0415 - needs the extra
    from aptix_conformance.app.certificates.safe_files import new_beside, write_new  # noqa: PLC0415
    from aptix_conformance.app.run import Run, RunOptions  # noqa: PLC0415
    from aptix_conformance.present.reports import json_report, not_ended, read_report  # noqa: PLC0415

    expected = read_report(options.report) if options.report else None
    if expected is not None and (ended_early := not_ended(expected)):
        raise CertificateError(f"{options.report}: {ended_early} Examine again, until the end of the run")
    key = keys.read_private(options.key)
    beside = new_beside(options.output, after=".report.json")
    for path in (options.output, beside):
        if is_taken(path):
            raise CertificateError(
                f"{path} exists and is not overwritten: move it away, or name another file"
            )
    around = sandbox.around(options.sandbox)
    terms = issue.Terms(options.at or dt.datetime.now(dt.UTC), options.days, options.revocations, around)
    choice = RunOptions(
        tools=tuple(options.targets),
        edition=options.edition,
        seed=options.seed,
        examples=options.examples,
        baselines=False,
    )
    with Run.open(Path.cwd(), choice) as run:
        report, tools = examined.examine_all(run, complain, options.targets)
        if expected is not None and (places := examined.differences(expected, report, run.root.resolve())):
            listed = "\n  ".join(places)
            raise CertificateError(
                f"nothing is issued: the examination differs from {options.report} at\n  {listed}"
            )
        issued = issue.sign_all(report, tools, terms, key, run.root.resolve())
    write_new(beside, json_report.render(report).encode())
    write_new(options.output, "".join(f"{line}\n" for signed in issued for line in signed.lines).encode())
    for signed in issued:
        say(f"{signed.attestation.kind}: {signed.attestation.tool.name}")
        for reason in signed.attestation.shortcomings:
            say(f"  {reason}")
    say(sandbox.describe(around))
    say(f"written: {options.output}, {beside}")
    return OK if all(signed.attestation.kind == "certificate" for signed in issued) else NO


def _verify(options: argparse.Namespace) -> int:
    from aptix_conformance.app.certificates import keys, policy, revocations, verify  # noqa: PLC0415 - needs the extra

    if options.reproduce and options.code is None:
        raise CertificateError("--reproduce runs the code of --code: give its folder")
    key = keys.read_public(options.key)
    demands = policy.read(options.policy) if options.policy else policy.Policy()
    if options.attestation:
        demands = demands.accepting_attestations()
    checks = verify.Checks(
        key=key,
        at=options.at or dt.datetime.now(dt.UTC),
        report=options.report,
        code=options.code,
        revocations=revocations.read(options.revocations, key) if options.revocations else None,
        policy=demands,
    )
    verification = verify.verify(options.file, checks)
    if options.reproduce:
        with without_plugins(()):
            _reproduce(verification, options.code)
    for line in verification.lines:
        say(line)
    for line in verification.unchecked:
        say(f"not checked: {line}")
    for line in verification.problems:
        say(f"NOT GOOD: {line}")
    if verification.is_good:
        say("good")
    return OK if verification.is_good else NO


def _reproduce(verification: Any, code: Path) -> None:
    """Examine the verified code once more, and add the result; nothing runs where there is a reason against it."""
    from aptix_conformance.app.certificates.reexamination import reproduce  # noqa: PLC0415 - needs the suite

    if not verification.is_good:
        verification.unchecked.append("whether it can be reproduced: nothing is examined that is not good")
        return
    for attested in verification.attested:
        try:
            result = reproduce(attested.attestation, attested.digest, code, complain)
        except ConformanceError as error:
            verification.problems.append(f"{attested.where}: not reproduced: {printable(str(error), 400)}")
            continue
        verification.lines += result.lines
        verification.problems += [f"{attested.where}: not reproduced: {line}" for line in result.differences]


def _revoke(options: argparse.Namespace) -> int:
    from aptix_conformance.app.certificates import issue, keys, revocations  # noqa: PLC0415 - needs the extra
    from aptix_conformance.app.certificates.safe_files import replace_file  # noqa: PLC0415

    if (options.what is None) != (options.reason is None):
        raise CertificateError("FILE or DIGEST and --reason go together: name what is revoked, and why")
    key = keys.read_private(options.key)
    now = dt.datetime.now(dt.UTC)
    digests = _revoked_digests(options.what, key.public)
    date = issue.moment(options.at or now)
    added = tuple(revocations.revoked(digest, date, options.reason) for digest in digests)
    known = revocations.read(options.list, key.public).revoked if is_taken(options.list) else ()
    dates = {entry.digest: entry.date for entry in known}
    replace_file(options.list, revocations.extended(options.list, key, added, issue.moment(now)).encode())
    for digest in digests:
        before = f" (already listed, from {dates[digest]} on)" if digest in dates else ""
        say(f"revoked: {digest}{before}")
    return OK


def _revoked_digests(what: str | None, key: Any) -> list[str]:
    from aptix_conformance.app.certificates import verify  # noqa: PLC0415 - needs the extra

    if what is None:
        return []
    return verify.identities(Path(what), key) if os.path.lexists(what) else [what]


def _days(text: str) -> dt.timedelta:
    """A number of days.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return dt.timedelta(days=float(text))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days") from None


def _time(text: str) -> dt.datetime:
    """A time in ISO 8601; without an offset it is UTC.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 2026-11-22T10:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
