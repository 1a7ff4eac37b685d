"""`aptix-conformance check --engine`: the tools are examined by the workers of a cluster."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from aptix_conformance.app.commands.check_display import note
from aptix_conformance.app.engine.cluster import Cluster, scheduler_address
from aptix_conformance.app.engine.store import Store
from aptix_conformance.app.engine.tasks import Asker, Examined
from aptix_conformance.app.run import Run
from aptix_conformance.core.errors import ConfigurationError
from aptix_conformance.core.text import printable
from aptix_conformance.examine import FoundTools
from aptix_conformance.present.reports.journal import SUFFIX


@dataclass(frozen=True, slots=True)
class Engine:
    """The engine that a command line asks for."""

    url: str
    store: Store
    written: tuple[Path, ...]
    """The files that the command writes."""

    @classmethod
    def asked(
        cls, url: str | None, store: str | None, cache: Path | None, written: Sequence[Path]
    ) -> "Engine | None":
        """The engine; None where none is asked for.

        Raises:
            ConfigurationError: one of the options is wrong, lacks the other, or stands beside a cache.
        """
        if url is None and store is None:
            return None
        if url is None:
            raise ConfigurationError(
                "--store is where workers keep results: add --engine dask://HOST:PORT, or leave it out"
            )
        if cache is not None:
            raise ConfigurationError(
                "the workers of --engine take results from its --store: leave out --cache"
            )
        scheduler_address(url)
        if store is None:
            raise ConfigurationError(
                "--engine needs a place for results that all its machines share: add --store FOLDER or an URL"
            )
        return cls(url, Store.open(store), tuple(written))

    @staticmethod
    def require_paths(paths: Sequence[str]) -> None:
        """Check that no target is outside of the folder that workers compare with this one.

        Raises:
            ConfigurationError: one is.
        """
        for path in paths:
            if not Path(path).is_relative_to(Path.cwd()):
                raise ConfigurationError(
                    f"{printable(path, 200)} is outside of this folder, which is all that workers have: run the command there"
                )

    def examine_each(self, run: Run, found: FoundTools) -> Iterator[Examined]:
        """Examine tools; see `Cluster.examine_each`.

        Raises:
            ConfigurationError: the scheduler does not answer, or has no worker that may examine.
            ClusterError: the cluster was lost.
        """
        written = [Path(f"{path}{end}") for path in self.written for end in ("", SUFFIX)]
        places = [*written, Path(self.store.url, "results")]
        own = [path.relative_to(run.directory) for path in places if path.is_relative_to(run.directory)]
        asker = Asker.of(run, found, map(str, own))
        run.read_baseline()
        with closing(Cluster.connect(self.url, asker, self.store, note)) as cluster:
            yield from cluster.examine_each(found.tools)
