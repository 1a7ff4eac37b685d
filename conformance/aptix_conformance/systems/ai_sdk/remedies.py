"""The fixes of shared rules in the words of the AI SDK and JavaScript."""

from typing import Final

_FAIL: Final = "throw an Error with a message of your own for the model"

REMEDIES: Final = {
    "ARG005": "Check each argument before using it where inputSchema is a jsonSchema() without validate, which takes anything, or make "
    f"inputSchema a Zod schema. Otherwise {_FAIL}.",
    "ARG010": "Make inputSchema a Zod schema, or give jsonSchema() a validate: without one the SDK checks nothing.",
    "CAN005": "Give abortSignal to what does the work: fetch(url, { signal: abortSignal }), setTimeout(ms, value, { signal: abortSignal }) of "
    "timers/promises. In a loop, call abortSignal?.throwIfAborted().",
    "CAN006": "Take abortSignal from the second parameter of execute, and give it to what does the work: fetch(url, { signal: abortSignal }).",
    "CAN008": "End what execute has started: clear timers, and give abortSignal to spawn, fetch and streams.",
    "CAN009": "Await long operations; give long computations to a worker thread, or let the event loop turn in between.",
    "CTX005": "Keep the data of a call in local variables, never in the module or on the tool: one tool serves all calls.",
    "EXC001": "Keep toModelOutput from throwing, and return what JSON can hold: either ends the run of the SDK.",
    "EXC002": "Limit each call: time (AbortSignal.any([abortSignal, AbortSignal.timeout(ms)])), memory (refuse large input), output (no "
    "console.log in a loop). Await every promise, catch what a timer or an event handler throws, and never call process.exit. No timeout "
    "stops a regular expression that backtracks: rewrite it, or shorten the text first.",
    "EXC003": f"Catch the error, log it with console.error, and {_FAIL}: the SDK gives the message of what execute throws to the model.",
    "EXC004": "Throw an Error with a message of your own; never put process.env, a connection string or the text of a dependency's Error into it.",
    "EXC006": f"Catch the error, log it with console.error, and {_FAIL}.",
    "RES001": "Return what JSON can hold: a text of a BigInt, plain objects without cycles.",
    "RES007": f"If the tool did not do what it was asked to do, {_FAIL}: what execute returns counts as a success.",
    "SCH010": "Correct the named keyword in what jsonSchema() is given; a schema without $schema is read as draft-07.",
    "SCH012": "Write the schema as a constant: no part of it may depend on time, random values or earlier calls.",
    "SCH017": "Write the schema as a constant: no time, time zone, user, locale, directory, host name, PID or random value, no environment "
    "variable that `env` in the configuration does not set, and nothing that calls change.",
}
"""By the code of the rule."""
