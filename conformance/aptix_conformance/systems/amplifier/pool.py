"""The hosts for Amplifier's tools: the Python host with Amplifier as its system.

Only mounting a module shows its tools; each mount runs in its own process. A module that registers nothing is listed as
one tool without a name, so that it is examined as far as possible and reported.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.text import printable, quoted
from aptix_conformance.hosts.host import Listing
from aptix_conformance.hosts.python_pool import PythonHostPool
from aptix_conformance.hosts.zygote_key import ZygoteKey
from aptix_conformance.systems.amplifier.traits import TRAITS
from aptix_conformance.targets.settings import Target, ToolSettings
from aptix_conformance.targets.spec import SpecTable, Spelling, read_place

SYSTEM: Final = TRAITS.name
SPELLING: Final = Spelling(SYSTEM, SYSTEM, "amplifier:tool-notes", read_place)
_SPECS: Final = SpecTable((SPELLING,))


class AmplifierHostPool(PythonHostPool):
    """Hosts for Amplifier's tools (`host.HostPool`)."""

    ends_gracefully = True

    def list_tools(self, module: str, settings: ToolSettings) -> Listing:
        """The keys under which a module registers its tools; one empty key where it registers none.

        Raises:
            TargetError: the module cannot be found, imported or mounted in the time that it has.
        """
        spec = f"{SYSTEM}:{module}"
        process, _ = self.start(Target(spec, SYSTEM, module, ""), settings)
        try:
            keys = process.tools
        finally:
            process.shut_down(graceful=True)
        named = [key for key in keys if _SPECS.parse(f"{spec}#{key}").qualname == key]
        if keys and not named:
            raise TargetError(
                f"`{spec}` registers its tools under keys that a target spec cannot hold: "
                f"{printable(', '.join(keys), 100)}"
            )
        odd = tuple(
            f"the key {quoted(key, 60)} cannot stand in a target spec" for key in keys if key not in named
        )
        return Listing(tuple(sorted(named)) or ("",), odd)

    def list_module(self, module: str, settings: ToolSettings) -> Listing:
        """See `host.HostPool`: a module has none below it."""
        return self.list_tools(module, settings)

    def _key(self, module: str, settings: ToolSettings) -> ZygoteKey:
        # Files of one folder are imported by one interpreter, as the modules of a package are.
        shared = module.rpartition("/")[0] if module.endswith(".py") else module
        key = super()._key(module, settings)
        # A path may lead out of the project, to code that no search path has.
        place = self.environment.rootdir / shared
        own = (str(place.absolute()),) if place.is_dir() else ()
        return replace(key, package=f"{SYSTEM}:{shared}", system=SYSTEM, folders=own)

    def _more(self, settings: ToolSettings) -> Mapping[str, Any]:
        return {"config": dict(settings.config)}
