"""The fixes of shared rules in the words of MCP."""

from typing import Final

_REFUSE: Final = 'return {"content": [{"type": "text", "text": "what was wrong"}], "isError": true}'

REMEDIES: Final = {
    "ARG006": f"Where a required argument is missing, {_REFUSE}.",
    "ARG007": f"Where a required argument is null, {_REFUSE}.",
    "ARG008": f"Where an argument has a type that the inputSchema forbids, {_REFUSE}; do not convert it silently.",
    "ARG009": f"Where a value is not listed, {_REFUSE}, with the values that are.",
    "ARG010": "Refuse what the inputSchema forbids, or remove the constraint from it.",
    "EXC002": "Limit each call: time, memory (refuse large input), output. Catch what the tool throws, and never end the process.",
    "EXC003": "Write a message of your own; print the exception and its stack to standard error.",
    "EXC004": "Write a message of your own; never put the environment, a connection string or a dependency's exception into it.",
    "EXC005": "A secret of the environment: return the values that were asked for, never the environment or the settings as a "
    "whole. One in the text of an exception: log the exception, and say in your own words what is missing. One that the project "
    "configures: use it in the call of its service only. A path: return the name that the caller knows. Before you "
    "open a file that the call names, look where its resolved path lies.",
    "EXC007": "Do not change what the server does not own: it must leave its parent process alone.",
    "EXC015": f"Resolve the path first, links included, and compare its parts with those of the folder, not the text's prefix: "
    f"path.resolve().is_relative_to(root) in Python, realpath and startsWith(root + sep) in Node.js. Where it leads out, or a "
    f"text for a program begins with a hyphen, {_REFUSE}.",
    "RES004": "Put a text block into a result with isError, and a message into an error.",
    "RES005": "Say in the text what is wrong, and with which argument.",
    "RES006": "Fix the tool, or the example in [tool.aptix-conformance.tool.NAME].",
    "RES007": f"If the tool did not do what it was asked to do, {_REFUSE}.",
    "RES010": "Give every result the same members; use null for a missing value.",
    "SCH012": "Write the definition as a constant: no part of it may depend on time, random values or earlier calls.",
    "SCH017": "Write the definition as a constant: no time, time zone, user, locale, directory, host name, PID, address of an "
    "object or random value, and no environment variable that `env` in the configuration does not set.",
}
"""By the code of the rule."""
