"""Installs one server: resolves it where there is no lock file, installs it from that, and keeps it only when it is whole."""

import secrets
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from aptix_conformance.core.errors import ContainmentError, TargetError
from aptix_conformance.core.files import read_bounded
from aptix_conformance.core.model.canaries import SCRATCH_PREFIX
from aptix_conformance.core.text import printable
from aptix_conformance.hosts import job, scratch
from aptix_conformance.hosts.author_files import Copier
from aptix_conformance.hosts.places import shown
from aptix_conformance.hosts.scratch import temporary_folder
from aptix_conformance.systems.mcp.installing.indexes import Host, Source, few, hosts_of
from aptix_conformance.systems.mcp.installing.installers import WORK, Installer, installer_of, redacted
from aptix_conformance.systems.mcp.installing.locks import LARGEST, Lock
from aptix_conformance.systems.mcp.installing.package_request import Wanted
from aptix_conformance.systems.mcp.installing.store import Installed, Store, program_in

_SECONDS: Final = 600.0
"""How long uv or npm may take, each time."""
_MOST_ENTRIES: Final = 65_536
_NO_CONTAINMENT: Final = "run where the kernel gives users namespaces, or allow it with --containment none"


@dataclass(frozen=True, slots=True)
class Installation:
    """How servers are installed.

    Attributes:
        store: where to.
        upgrade: whether to resolve again what has a lock file.
        contained: whether nothing is installed outside of the containment.
        opened: hosts that the installers may reach besides those of their index.
    """

    store: Store
    upgrade: bool = False
    contained: bool = True
    opened: tuple[Host, ...] = ()

    def install(self, package: Wanted) -> tuple[Installed, bool]:
        """Install a server; returns its record, and whether that was done now and not before.

        Raises:
            TargetError: it cannot be installed; says why. What was installed before is as it was.
            ContainmentError: its installer cannot be contained.
        """
        try:
            with self.store.alone(package) as place:
                return self._installed(package, place)
        except OSError as error:
            raise TargetError(
                f"{self.store.folder} cannot be written: {printable(str(error), 200)}"
            ) from None

    def _installed(self, package: Wanted, place: Path) -> tuple[Installed, bool]:
        installer = installer_of(package, self.opened)
        lock = None if self.upgrade else self._locked(package, installer)
        if lock is not None and (record := self._already_installed(package, lock)) is not None:
            return record, False
        self.store.sweep(package)
        source = installer.source()
        if lock is None:
            lock = self._resolve(package, installer, source, place)
        return self._install(package, installer, source, lock, place), True

    def _locked(self, package: Wanted, installer: Installer) -> Lock | None:
        """The lock of a server; None where there is none, or for another version than the one that is asked for."""
        path = self.store.lock_of(package)
        try:
            lock = installer.read_lock(read_bounded(path, LARGEST).decode("utf-8"))
            record = self.store.find(package)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise TargetError(f"{path} cannot be read: {printable(str(error), 150)}") from None
        except TargetError as error:
            raise TargetError(f"{path}: {error}: restore it, or use --upgrade") from None
        is_for_it = package.allows(lock.version, record.asked if record else package.spec)
        is_for_it = is_for_it and lock.extras == package.extras and package.has_needs(lock.versions)
        return lock if is_for_it else None

    def _already_installed(self, package: Wanted, lock: Lock) -> Installed | None:
        """The record of a server that is installed from a lock, for this version of Python; None where there is none."""
        try:
            record = self.store.find(package)
            is_whole = record is not None and self.store.command(package, "node") is not None
        except TargetError:
            return None
        if record is None or not is_whole or record.lock != lock.digest:
            return None
        library = Path(record.place, "lib", f"python{sysconfig.get_python_version()}")
        return record if package.kind == "npm" or library.is_dir() else None

    def _resolve(self, package: Wanted, installer: Installer, source: Source, place: Path) -> Lock:
        with self._environment(place) as environment, _files() as files:
            words = installer.resolving(environment, files)
            with self._done(package, installer, source, words, (environment, files)) as done:
                lock = installer.resolved(done.place)
            scratch.remove(environment)
        if not package.allows(lock.version, package.spec):
            raise TargetError(
                f"the index gives {package.name} {lock.version}, which is not {package.requirement}"
            )
        return lock

    def _install(
        self, package: Wanted, installer: Installer, source: Source, lock: Lock, place: Path
    ) -> Installed:
        with self._environment(place) as environment, _files() as files:
            words = installer.installing(environment, files, lock)
            with self._done(package, installer, source, words, (environment, files)) as done:
                scratch.remove(done.place / WORK)
                if done.place != environment:
                    Copier(done.place, package.name, job.LIMITS.scratch, _MOST_ENTRIES, with_links=True).run(
                        environment
                    )
            scratch.remove(files / WORK)
            installer.check(environment, files)
            record = Installed(
                package.name,
                lock.version,
                package.spec,
                str(environment),
                lock.digest,
                lock.packages,
                done.containment,
                lock.extras,
                lock.versions,
            )
            program_in(environment, package)
            self.store.keep(package, record, lock.text)
            return record

    @contextmanager
    def _environment(self, place: Path) -> Iterator[Path]:
        """A new, empty environment, which is removed where what is done with it does not work out."""
        environment = place / f"env-{secrets.token_hex(4)}"
        environment.mkdir(mode=0o755)
        try:
            yield environment
        except BaseException:
            scratch.remove(environment)
            raise

    @contextmanager
    def _done(
        self,
        package: Wanted,
        installer: Installer,
        source: Source,
        words: tuple[str, ...],
        places: tuple[Path, Path],
    ) -> Iterator[job.Done]:
        """Run an installer that is done with its work.

        Raises:
            TargetError: it is not; says why.
            ContainmentError: it cannot be contained.
        """
        environment, files = places
        work = str(environment / WORK)
        task = job.Job(
            name=f"the installer of {package.name}",
            words=words,
            env={**source.env, "HOME": work, "TMPDIR": work, "npm_config_cache": f"{work}/cache"},
            place=environment,
            files=files,
            visible=shown(installer.needed, source.visible),
            network=source.hosts,
            seconds=_SECONDS,
            contained=self.contained,
        )
        try:
            while True:
                with job.run(task) as done:
                    if done.status == 0:
                        yield done
                        return
                    further = hosts_of(installer.unreached(done.output))
                    if done.incident or not self.contained or {*further} <= {*task.network}:
                        raise TargetError(_why(installer, source, done))
                task = replace(task, network=few((*task.network, *further)))
        except ContainmentError as error:
            raise ContainmentError(f"{error}: {_NO_CONTAINMENT}") from None


def _why(installer: Installer, source: Source, done: job.Done) -> str:
    if done.incident:
        return f"its installer was ended: it {done.incident}"
    output = redacted(done.output, source.secrets)
    return printable(installer.reason(output) or f"its installer ended with status {done.status}", 400)


@contextmanager
def _files() -> Iterator[Path]:
    """A directory for what an installer finds at its place, with the folder for what it writes besides."""
    with temporary_folder(SCRATCH_PREFIX) as folder:
        (folder / WORK).mkdir()
        yield folder
