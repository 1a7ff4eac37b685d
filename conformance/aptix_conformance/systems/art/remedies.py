"""The fixes of shared rules in the words of ART and JavaScript."""

from typing import Final

_ERROR: Final = "return { callId, toolName, status: 'error', error: 'what was wrong, in a sentence' }"

REMEDIES: Final = {
    "ARG013": "Refuse a text that UTF-8 has no form of, or replace its lone surrogates before it is encoded, hashed, stored or "
    "sent: text.toWellFormed().",
    "CTX001": "Read each optional part with ?., as in context.userId ?? null.",
    "CTX005": "Keep the data of a call in local variables, never on this, in the module or on a service: one instance serves "
    "all calls.",
    "EXC001": f"Put the body of execute into try … catch, also what reads the input, and {_ERROR}.",
    "EXC002": "Limit each call: time (Promise.race with a timer, or AbortSignal.timeout), memory (refuse large input), output "
    "(no console.log in a loop). Await every promise, catch what a timer or an event handler throws, and never call "
    "process.exit. No timeout stops a regular expression that backtracks: rewrite it, or shorten the text first.",
    "EXC003": "Write a message of your own into error; log the Error and its stack with console.error.",
    "EXC004": "Write a message of your own into error; never put process.env, a connection string or the text of a "
    "dependency's Error into it.",
    "EXC005": "A secret of the environment: return the values that were asked for, never process.env or the settings as a whole. "
    "One in the text of an Error: log it with console.error, and say in your own words what is missing. One that the project "
    "configures: use it in the call of its service only. A path: return the name that the caller knows. Before you "
    "open a file that the call names, look where its resolved path lies.",
    "EXC007": "Do not change what the tool does not own: prototypes of JavaScript's own classes, globals, the methods of "
    "modules that the framework uses.",
    "EXC014": "Change nothing that all tools share: pass a time zone, a directory or a setting on to what needs it. Listen once, "
    "when the tool is made, or end with process.off what the call began.",
    "EXC015": "Resolve the path first, links included: const path = await realpath(resolve(root, name)), and compare it with "
    "the folder and its separator: path.startsWith(root + sep). Put '--' before a text that a program gets, or refuse one that "
    "begins with a hyphen.",
    "RES006": "Fix the tool, or the example: it is in the schema's examples or in [tool.aptix-conformance.tool.NAME].",
    "RES007": f"If the tool did not do what it was asked to do, {_ERROR}.",
    "RES010": "Give every output the same members; use null for a missing value.",
    "RES014": "Keep what a call collects in local variables, never on this or in the module; copy an array before you reverse or "
    "sort it: [...notes].reverse().",
    "SCH012": "Write the schema as a constant: no part of it may depend on time, random values or earlier calls.",
    "SCH017": "Write the schema as a constant: no time, time zone, user, locale, directory, host name, PID or random value, no "
    "environment variable that `env` in the configuration does not set, and nothing that calls change.",
}
"""By the code of the rule."""
