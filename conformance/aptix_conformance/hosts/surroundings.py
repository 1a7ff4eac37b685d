"""The files that the processes of a tool in Python can read, for the zygote that starts them and for who asks beforehand."""

from collections.abc import Iterable

from aptix_conformance.hosts import readable_paths
from aptix_conformance.hosts.host import Environment, Surroundings
from aptix_conformance.hosts.import_paths import harness, import_paths
from aptix_conformance.hosts.places import Place, shown
from aptix_conformance.hosts.zygote_key import ZygoteKey


def hidden_from(environment: Environment, reads: Iterable[str]) -> tuple[str, ...]:
    """The paths of a run that no tool sees, unless its setting `reads` names them."""
    return (*readable_paths.hidden_in(str(environment.rootdir), reads), *environment.hidden)


def python_surroundings(key: ZygoteKey, environment: Environment) -> Surroundings:
    """The files that the tools of a zygote can read; `visible` is empty where nothing contains them.

    Raises:
        TargetError: as `places.shown`.
    """
    hidden = hidden_from(environment, key.reads)
    if not key.contained:
        return Surroundings((), hidden)
    root, coverage = environment.rootdir, environment.coverage
    paths = [*import_paths(environment, key.python), *key.folders]
    places = [*readable_paths.python(key.python, paths, root)]
    places += [Place(path) for path in (harness(), coverage and coverage.config_file) if path]
    return Surroundings(shown(places, key.reads, project=root), hidden, tuple(paths))
