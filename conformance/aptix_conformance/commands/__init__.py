"""The subcommands of `aptix-conformance`, one module each.

A command's module has `add(subparsers)`, which says how it is called, and `run(options)`, which does it, prints
what there is to say and returns the exit status. `cli.COMMANDS` lists them.
"""
