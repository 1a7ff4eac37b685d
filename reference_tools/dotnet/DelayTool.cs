// testing_delay: a tool that takes long, and stops as soon as it is told to (AGN-005 8).

using System;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.ReferenceTools
{
    /// <summary>Waits for a while.</summary>
    public sealed class DelayTool : IAgentTool
    {
        public const string ToolName = "testing_delay";

        public const string ToolUsageMetadata = @"testing_delay — Usage Guide

Primary purpose:
- Waits for a given time and then reports how long it waited. It exists to test slow tools and cancellation.

Rules:
- Use it when the user asks to test a delay, a time-out or the cancelling of a running call.
- Do not use it to pace a conversation, to wait for something to happen elsewhere, or as a reminder.
- The call takes as long as the delay, so it is expensive in time: call it sparingly and keep the delay short.
- The delay is limited to 0 to 60000 milliseconds. Anything outside is not refused but clamped: less than 0 waits not
  at all, more than 60000 waits 60000.
- It changes nothing. Repeating a call waits again, and apart from the time measured the answer is the same.
- A call that is cancelled ends at once and succeeds: the answer says that it was cancelled and after how long.

Arguments:
- milliseconds: optional, a whole number, how long to wait; 1000 if left out. One second is 1000.
- note: optional, a short text that comes back in the answer, to tell several delays apart.

Error codes:
- INVALID_ARGUMENTS: the milliseconds are not a whole number or are too large to read, or the note is not a string.
  Correct it and call again.
- UNEXPECTED_FAILURE: the delay could not be run. Tell the user; do not call again.

Good usage:
- The user says ""Make a slow call of two seconds"": call with {""milliseconds"": 2000, ""note"": ""slow call""}.

Bad usage:
- Sending seconds instead of milliseconds: {""milliseconds"": 2} waits two thousandths of a second.
- Calling it while the user waits for an answer to something else.
";

        private const int MaximumMs = 60000;

        private readonly IAdminLogger logger;

        public DelayTool(IAdminLogger logger)
        {
            this.logger = logger;
        }

        public string Name
        {
            get { return ToolName; }
        }

        public bool IsToolFullyExecutedOnServer
        {
            get { return true; }
        }

        public static object GetSchema()
        {
            return new
            {
                type = "function",
                name = ToolName,
                description = "Waits for a time and reports how long it waited, to test slow calls and cancellation.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        milliseconds = new
                        {
                            type = "integer",
                            description = "How long to wait, in milliseconds, clamped to 0..60000. Default: 1000.",
                        },
                        note = new
                        {
                            type = "string",
                            description = "A short text that comes back in the answer. Default: none.",
                        },
                    },
                    required = new string[0],
                },
            };
        }

        public async Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson,
            AgentToolExecutionContext context,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            try
            {
                var args = Args.Parse(argumentsJson);
                var started = Stopwatch.StartNew();
                var cancelled = await IsCancelledWithin(args.Clamped, cancellationToken);
                var result = new Result
                {
                    requestedMs = args.Milliseconds,
                    elapsedMs = started.ElapsedMilliseconds,
                    cancelled = cancelled,
                    note = args.Note,
                    conversationId = context?.Request?.ConversationId,
                    sessionId = context?.SessionId,
                };
                return InvokeResult<string>.Create(Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[DelayTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("DelayTool could not run the delay.", "UNEXPECTED_FAILURE");
            }
        }

        /// <summary>Wait for the token, but no longer than so many milliseconds; whether it was cancelled.</summary>
        private static async Task<bool> IsCancelledWithin(int milliseconds, CancellationToken token)
        {
            try
            {
                await Task.Delay(milliseconds, token);
            }
            catch (OperationCanceledException)
            {
                return true;
            }
            return false;
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public BigInteger Milliseconds;

            public string Note;

            /// <summary>How long to wait: what was asked for, clamped to what is allowed.</summary>
            public int Clamped
            {
                get { return (int)BigInteger.Min(BigInteger.Max(Milliseconds, 0), MaximumMs); }
            }

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                return new Args
                {
                    Milliseconds = given.OptionalInteger("milliseconds") ?? 1000,
                    Note = given.OptionalText("note"),
                };
            }
        }

        /// <summary>The payload. These keys are published: they never change.</summary>
        private sealed class Result
        {
            public BigInteger requestedMs { get; set; }

            public long elapsedMs { get; set; }

            public bool cancelled { get; set; }

            public string note { get; set; }

            public string conversationId { get; set; }

            public string sessionId { get; set; }
        }
    }
}
