"""The targets that `aptix-conformance init` adds to a project."""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aptix_conformance.core.errors import ConfigurationError, SpecError, TargetError
from aptix_conformance.core.model.codec import replace
from aptix_conformance.core.text import printable
from aptix_conformance.systems.project_search import find_targets
from aptix_conformance.systems.recognition import Recognised, Recogniser
from aptix_conformance.systems.registry import SystemRegistry
from aptix_conformance.targets import Settings, is_covered, pytest_paths


@dataclass(frozen=True, slots=True)
class NewTargets:
    """Target specs that the project does not configure yet; `found` are all targets as they are shown, with their specs."""

    specs: tuple[str, ...]
    found: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()
    uncontained: Mapping[str, str] = field(default_factory=dict)
    """The keys of the tables that say `side_effects = "none"`, each with the place of that line."""


def new_targets(root: Path, texts: Sequence[str], systems: SystemRegistry) -> NewTargets:
    """The targets that are named, else those of the project, else what is found in it.

    Raises:
        ConfigurationError: the configuration is wrong, or there is no tool.
        TargetError, SpecError: nothing has the name of a target, or it is written wrongly.
    """
    settings = systems.load_settings(root / "pyproject.toml")
    paths = (*sys.path, *pytest_paths(root))
    recogniser = Recogniser(systems, root, paths)
    notes: list[str] = []
    uncontained = {
        key: table.places["side_effects"]
        for key, table in settings.tool.items()
        if table.side_effects == "none"
    }
    if not texts and settings.tools:
        configured = tuple((spec, "configured") for spec in settings.tools)
        return NewTargets((), configured, uncontained=uncontained)
    if texts:
        found = [(text, _recognised(recogniser, settings, text, notes)) for text in texts]
    else:
        search = find_targets(root, recogniser.python())
        notes += search.notes
        found = list(_recognised_each(recogniser, settings, search.targets, notes))
    found = list(_each_once(found, {str(root), *paths}, notes))
    specs = dict.fromkeys(spec for _, each in found for spec in each.specs)
    if not specs:
        raise ConfigurationError(_nothing(root, notes))
    new = [spec for spec in specs if not is_covered(spec, settings.tools, settings.specs)]
    notes += _unreachable((each for _, each in found), root, paths)
    shown = tuple((text, f"{each.system} ({', '.join(each.specs)})") for text, each in found)
    return NewTargets(tuple(new), shown, tuple(notes), uncontained)


def _recognised(recogniser: Recogniser, settings: Settings, text: str, notes: list[str]) -> Recognised:
    """What a text stands for, with canonical specs; a server that a client's file disables is a note instead."""
    found = recogniser.recognise(text)
    off = {found.servers[name]: name for name in sorted(found.disabled)}
    notes += (
        f"{printable(name, 60)} is disabled in {printable(text, 200)} and left out: to set it up, name {printable(spec, 200)}"
        for spec, name in off.items()
    )
    specs = [settings.specs.parse(spec, "the command line") for spec in found.specs if spec not in off]
    return replace(found, specs=tuple(spec.canonical for spec in specs))


def _recognised_each(
    recogniser: Recogniser, settings: Settings, texts: Iterable[str], notes: list[str]
) -> Iterator[tuple[str, Recognised]]:
    """What the texts stand for that nobody named; one that is no target adds a note."""
    for text in texts:
        try:
            yield text, _recognised(recogniser, settings, text, notes)
        except (TargetError, SpecError) as error:
            notes.append(f"left out: {error}")


def _each_once(
    found: Iterable[tuple[str, Recognised]], known: Collection[str], notes: list[str]
) -> Iterator[tuple[str, Recognised]]:
    """What was found; a file whose module is that of another file found before is a note instead."""
    first: dict[str, tuple[str, tuple[str, ...]]] = {}
    for text, each in found:
        places = tuple(path for path in each.paths if path not in known)
        taken = ((spec, *first.setdefault(spec, (text, places))) for spec in each.specs)
        clash = next(((spec, other) for spec, other, its_places in taken if its_places != places), None)
        if clash:
            spec, other = (printable(part, 200) for part in clash)
            notes.append(
                f"{printable(text, 200)} is left out: the target {spec} is {other} already; rename one of the two"
            )
        elif each.specs:
            yield text, each


def _unreachable(found: Iterable[Recognised], root: Path, paths: Sequence[str]) -> Iterator[str]:
    """A note for each folder whose modules pytest would not find."""
    known = {str(root), *paths}
    for folder in dict.fromkeys(path for each in found for path in each.paths if path not in known):
        inside = Path(folder).relative_to(root) if Path(folder).is_relative_to(root) else Path(folder)
        yield (
            f'the modules in {printable(str(inside), 200)} are not found: pip install -e ., or set pythonpath = ["{inside}"] '
            "under [tool.pytest.ini_options]"
        )


def _nothing(root: Path, notes: Sequence[str]) -> str:
    further = "".join(f"\n  {note}" for note in notes)
    return (
        f"no tool was found in {root}: name a file, a module or the command of a server, such as aptix-conformance init "
        f'my_tools.py or init "python server.py"{further}'
    )
