"""Findings and fixes in the words of C#."""

import re
from typing import Final

_FAIL: Final = 'return InvokeResult<string>.FromError("what was wrong, in a sentence")'
_WHOLE: Final = (
    "Put the whole body of ExecuteAsync, from the reading of the arguments to the writing of the result, into try … catch "
    "(Exception ex); log ex with AddException and return a failed result with a message."
)

REMEDIES: Final = {
    "ARG002": "Catch every exception that parsing the arguments may throw (JsonException alone is not always enough: null gives "
    f"ArgumentNullException), check that the result is an object, and {_FAIL}.",
    "ARG003": f"Where the arguments do not parse, {_FAIL}; do not continue without them.",
    "ARG004": f"Refuse what is not an object: if (!(token is JObject)) {_FAIL}.",
    "ARG013": "Refuse a text that UTF-8 has no form of, or replace its lone surrogates before it is encoded, hashed, stored or "
    "sent: Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text)).",
    "CAN001": "Catch OperationCanceledException where the token is cancelled, and return a successful result that says that the "
    "call was cancelled.",
    "CAN002": 'Return InvokeResult<string>.Create(…) with a member that says so, such as "cancelled": true.',
    "ARG017": "Start a program without a shell: new ProcessStartInfo(program) { UseShellExecute = false }, each argument added to its "
    "ArgumentList; no sh -c, and no Arguments made of texts.",
    "ARG018": 'Give the text to the command as a parameter, and join it to no statement: command.Parameters.AddWithValue("@name", name).',
    "CAN005": "Pass the token to everything that is awaited (HttpClient, Task.Delay, queries), or register a callback that ends "
    "the wait; do not look at it between waits only.",
    "CAN008": "Await everything that you start: no async void, and no Task.Run that nobody awaits.",
    "CAN009": "Await long operations: no .Result, .Wait() or Thread.Sleep; put what cannot be awaited into await Task.Run(…, token).",
    "CAT009": "Return InvokeResult<string>.FromError(message), which holds no payload.",
    "CAT014": f"Check inside the try block that the catalog gave a list; where it did not, {_FAIL}.",
    "CAT015": "Log with AddException, or with AddError if nothing was thrown, before you return the failed result.",
    "CTX001": "Treat each part of the context as optional: context?.SessionId, context?.Request?.ConversationId.",
    "CTX005": "Keep the data of a call in local variables, never in a static field or a service.",
    "EXC001": "Put the body of ExecuteAsync into try … catch (Exception ex), log ex, and return a failed result with a message; no "
    "throw; in the handler.",
    "EXC002": "Limit each call: time (CancelAfter, a timeout for Regex and HttpClient), memory (refuse large input), depth "
    "(MaxDepth), output (log instead of Console); no async void, whose exceptions end the process; never call Environment.Exit.",
    "EXC003": "Log the exception with AddException and give the result a message of your own; never ex.ToString() or ex.StackTrace.",
    "EXC010": _WHOLE,
    "EXC012": _WHOLE,
    "EXC013": "Await the service with the token, and with a time limit (CancellationTokenSource.CreateLinkedTokenSource, "
    "CancelAfter).",
    "LOG010": "Call AddException(tag, ex) in the handler, before you return the failed result.",
    "REG001": 'Write public const string ToolName = "…"; into the class.',
    "REG005": "Let the property Name return ToolName.",
    "REG008": "Let it return Task<InvokeResult<string>>.",
    "REG009": "Declare public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, "
    "CancellationToken cancellationToken = default); or name the method that production calls: execute and adapter in the settings.",
    "REG010": "Take the admin logger as a parameter of the constructor: IAdminLogger logger.",
    "REG012": "Declare the arguments class private, nested in the tool's class.",
    "REG013": 'Write public const string ToolUsageMetadata = @"…"; into the class.',
    "RES001": "Return InvokeResult<string>.Create(json) or InvokeResult<string>.FromError(message) on every path, never null.",
    "RES002": "Serialise the result object and return its text: InvokeResult<string>.Create(JsonConvert.SerializeObject(result)).",
    "RES003": "Write no NaN or Infinity (FloatFormatHandling does not help: refuse them) and no lone surrogate "
    "(StringEscapeHandling.EscapeNonAscii).",
    "RES008": "Return InvokeResult<string>.FromError(message), which holds no payload.",
    "SCH001": "Declare public static object GetSchema() without parameters.",
    "SCH002": "Return an object that Json.NET writes as a JSON object, such as an anonymous one.",
    "USE022": "Return InvokeResult<string>.FromError(message) if the name is empty.",
}
"""By the code of the rule."""

_NAMES: Final = {
    "TOOL_NAME": "ToolName",
    "TOOL_USAGE_METADATA": "ToolUsageMetadata",
    "get_schema": "GetSchema",
    "is_tool_fully_executed_on_server": "IsToolFullyExecutedOnServer",
    "add_exception": "AddException",
    "add_error": "AddError",
    "add_custom_event": "AddCustomEvent",
    "arguments_json": "argumentsJson",
    "cancellation_token": "cancellationToken",
    "plain str": "string",
    "str": "string",
    "NoneType": "null",
    "kept the event loop to itself": "kept a thread to itself, without awaiting anything,",
    "the event loop": "the caller's thread",
}
_NAMED: Final = re.compile(rf"(?<![\w'\"])(?:{'|'.join(_NAMES)})(?![\w'\"])")
_EXECUTE: Final = re.compile(r"^execute(?= )|(?<=the method )execute\b|(?<=declare )execute\b")


def in_csharp(text: str) -> str:
    """A sentence of the suite's, with the members of the contract as C# names them."""
    return _NAMED.sub(lambda match: _NAMES[match.group()], _EXECUTE.sub("ExecuteAsync", text))
