"""The subcommands of `aptix-conformance`, one module each.

A command's module has `add(subparsers)`, which declares its arguments, and `run(options)`, which runs it, prints its
result and returns the exit status. `cli.COMMANDS` lists them.
"""
