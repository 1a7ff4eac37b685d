// testing_ping_pong: shows that a call goes there and comes back, with optional arguments and defaults.

using System;
using System.Numerics;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.ReferenceTools
{
    /// <summary>Sends a message back and counts.</summary>
    public sealed class PingPongTool : IAgentTool
    {
        public const string ToolName = "testing_ping_pong";

        public const string ToolUsageMetadata = @"testing_ping_pong — Usage Guide

Primary purpose:
- Shows that tool calls reach the server and come back: it answers with the message it got and adds one to a count.

Rules:
- Use it when the user asks to test the connection to the tools, or asks for a ping.
- Do not use it to answer questions, to count things, or to keep a number for later: it remembers nothing.
- It has no side effects. The same arguments always give the same answer (idempotent), it costs next to nothing, and
  it is safe to call often.
- To play several rounds, send the count of the last answer with the next call.
- A call that was cancelled succeeds, says that it was cancelled, and has neither reply nor count.

Arguments:
- message: optional, the text to send; ""ping"" if left out. The reply is ""pong: "" and this text.
- count: optional, a whole number; 0 if left out. The answer holds this number plus one.

Error codes:
- INVALID_ARGUMENTS: the message is not a string, or the count is not a whole number or is too large. Correct it and
  call again.
- UNEXPECTED_FAILURE: the connection works, but the tool does not. Tell the user; do not call again.

Good usage:
- The user says ""Is the tool server there?"": call with {}.
- A second round after an answer with the count 1: call with {""message"": ""still there?"", ""count"": 1}.

Bad usage:
- Sending the count as text: {""count"": ""1""} is refused.
- Calling it before each other tool to be on the safe side.
";

        private readonly IAdminLogger logger;

        public PingPongTool(IAdminLogger logger)
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
                description = "Tests the way to the tool server and back: returns the message and the count plus one.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        message = new
                        {
                            type = "string",
                            description = "The text to send back after \"pong: \". Default: \"ping\".",
                        },
                        count = new
                        {
                            type = "integer",
                            description = "The number that the answer holds plus one. Default: 0.",
                        },
                    },
                    required = new string[0],
                },
            };
        }

        public Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson,
            AgentToolExecutionContext context,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            return Task.FromResult(Execute(argumentsJson, context, cancellationToken));
        }

        private InvokeResult<string> Execute(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            try
            {
                var result = new Result
                {
                    cancelled = cancellationToken.IsCancellationRequested,
                    conversationId = context?.Request?.ConversationId,
                    sessionId = context?.SessionId,
                };
                if (!result.cancelled)
                {
                    var args = Args.Parse(argumentsJson);
                    result.reply = "pong: " + args.Message;
                    result.count = args.Count + 1;
                }
                return InvokeResult<string>.Create(Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[PingPongTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("PingPongTool could not answer.", "UNEXPECTED_FAILURE");
            }
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public string Message;

            public BigInteger Count;

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                return new Args
                {
                    Message = given.OptionalText("message") ?? "ping",
                    Count = given.OptionalInteger("count") ?? BigInteger.Zero,
                };
            }
        }

        /// <summary>The payload. These keys are published: they never change.</summary>
        private sealed class Result
        {
            public string reply { get; set; }

            public BigInteger? count { get; set; }

            public bool cancelled { get; set; }

            public string conversationId { get; set; }

            public string sessionId { get; set; }
        }
    }
}
