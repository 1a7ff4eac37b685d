"""Runs a module of this folder under a private name: `python start.py MODULE ARGUMENT` calls its `main(ARGUMENT)`.

A long argument may be in several parts: Linux limits one argument to 128 KiB, and all of them to some 2 MiB.

Any interpreter from Python 3.11 on works, because this folder needs only the standard library. The folder becomes a
package in `sys.modules` and is never on `sys.path`: a tool cannot import it, and a module of the tool with the same name
as one of these modules does not replace it. `zygote.py` removes the package from `sys.modules` before it imports the
first module of a tool.
"""

import sys

PRIVATE_NAME = "_aptix_runners"


def load_package(folder: str) -> None:
    """Put this folder into `sys.modules`, under its private name."""
    import importlib.util  # noqa: PLC0415 - this folder must have left sys.path before anything is imported

    spec = importlib.util.spec_from_file_location(
        PRIVATE_NAME, f"{folder}/__init__.py", submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(folder)
    package = sys.modules[PRIVATE_NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


def main() -> None:
    """Load the package, and run the module that the command line names."""
    folder = __file__.rpartition("/")[0]
    sys.path[:] = [path for path in sys.path if path != folder]
    load_package(folder)
    import importlib  # noqa: PLC0415 - as above
    import signal  # noqa: PLC0415 - as above

    # The suite's worker ignores Ctrl-C, and so does a run in the background of a shell; tools start as from a terminal.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    module, *parts = sys.argv[1:]
    sys.argv[1:] = []
    importlib.import_module(f"{PRIVATE_NAME}.{module}").main("".join(parts))


if __name__ == "__main__":
    main()
