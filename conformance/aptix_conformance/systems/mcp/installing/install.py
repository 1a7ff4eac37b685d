"""Installs one server: resolves it where there is no lock file, installs it from that, and keeps it only when it is whole."""

import secrets
import sysconfig
import tempfile
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

    def install(self, wanted: Wanted) -> tuple[Installed, bool]:
        """Install a server; returns its record, and whether that was done now and not before.

        Raises:
            TargetError: it cannot be installed; says why. What was installed before is as it was.
            ContainmentError: its installer cannot be contained.
        """
        try:
            with self.store.alone(wanted) as place:
                return self._installed(wanted, place)
        except OSError as error:
            raise TargetError(
                f"{self.store.folder} cannot be written: {printable(str(error), 200)}"
            ) from None

    def _installed(self, wanted: Wanted, place: Path) -> tuple[Installed, bool]:
        installer = installer_of(wanted, self.opened)
        lock = None if self.upgrade else self._locked(wanted, installer)
        if lock is not None and (found := self._kept(wanted, lock)) is not None:
            return found, False
        self.store.sweep(wanted)
        source = installer.source()
        if lock is None:
            lock = self._resolve(wanted, installer, source, place)
        return self._install(wanted, installer, source, lock, place), True

    def _locked(self, wanted: Wanted, installer: Installer) -> Lock | None:
        """The lock of a server; None where there is none, or for another version than the one that is asked for."""
        path = self.store.lock_of(wanted)
        try:
            lock = installer.read_lock(read_bounded(path, LARGEST).decode("utf-8"))
            found = self.store.find(wanted)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise TargetError(f"{path} cannot be read: {printable(str(error), 150)}") from None
        except TargetError as error:
            raise TargetError(f"{path}: {error}: restore it, or use --upgrade") from None
        is_for_it = wanted.allows(lock.version, found.asked if found else wanted.asked)
        is_for_it = is_for_it and lock.extras == wanted.extras and wanted.has_needs(lock.versions)
        return lock if is_for_it else None

    def _kept(self, wanted: Wanted, lock: Lock) -> Installed | None:
        """What is installed already from a lock, for this version of Python; None where that is nothing."""
        try:
            found = self.store.find(wanted)
            is_whole = found is not None and self.store.command(wanted, "node") is not None
        except TargetError:
            return None
        if found is None or not is_whole or found.lock != lock.digest:
            return None
        library = Path(found.place, "lib", f"python{sysconfig.get_python_version()}")
        return found if wanted.kind == "npm" or library.is_dir() else None

    def _resolve(self, wanted: Wanted, installer: Installer, source: Source, place: Path) -> Lock:
        with self._environment(place) as environment, _files() as files:
            words = installer.resolving(environment, files)
            with self._done(wanted, installer, source, words, (environment, files)) as done:
                lock = installer.resolved(done.place)
            scratch.remove(environment)
        if not wanted.allows(lock.version, wanted.asked):
            raise TargetError(
                f"the index gives {wanted.name} {lock.version}, which is not {wanted.requirement}"
            )
        return lock

    def _install(
        self, wanted: Wanted, installer: Installer, source: Source, lock: Lock, place: Path
    ) -> Installed:
        with self._environment(place) as environment, _files() as files:
            words = installer.installing(environment, files, lock)
            with self._done(wanted, installer, source, words, (environment, files)) as done:
                scratch.remove(done.place / WORK)
                if done.place != environment:
                    Copier(done.place, wanted.name, job.LIMITS.scratch, _MOST_ENTRIES, with_links=True).run(
                        environment
                    )
            scratch.remove(files / WORK)
            installer.check(environment, files)
            found = Installed(
                wanted.name,
                lock.version,
                wanted.asked,
                str(environment),
                lock.digest,
                lock.packages,
                done.containment,
                lock.extras,
                lock.versions,
            )
            program_in(environment, wanted)
            self.store.keep(wanted, found, lock.text)
            return found

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
        wanted: Wanted,
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
            name=f"the installer of {wanted.name}",
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
    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX) as folder:
        (Path(folder) / WORK).mkdir()
        yield Path(folder)
