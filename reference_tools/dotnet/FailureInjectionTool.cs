// testing_failure_injection: a failure on purpose, logged as a custom event (AGN-005 6.2, 9).

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.ReferenceTools
{
    /// <summary>Fails when it is told to.</summary>
    public sealed class FailureInjectionTool : IAgentTool
    {
        public const string ToolName = "testing_failure_injection";

        public const string ToolUsageMetadata = @"testing_failure_injection — Usage Guide

Primary purpose:
- Fails on purpose, with a message of your choice, to test how failed tool calls are shown and recovered from.

Rules:
- Use it when the user asks to test a failing tool call, or to see how a failure is handled.
- Do not use it to report a real problem, to end a conversation, or in place of a tool that you cannot call.
- It fails only when it is told to; otherwise it succeeds and hands the payload back.
- A failure that you asked for is the expected outcome: go on with the conversation and do not call again.
- It changes nothing, but each failure on purpose is written to the administrators' log, with the payload: put
  nothing private into it. The same arguments always give the same outcome (idempotent). Safe to call often.
- A call that was cancelled succeeds, says that it was cancelled, and does not fail even if it was told to.

Arguments:
- shouldFail: optional, true to fail; false if left out.
- failureMessage: optional, the message of the failure; a general one if left out or blank. Not used otherwise.
- payload: optional, any text; comes back in the answer of a call that succeeds.

Error codes:
- INJECTED_FAILURE: the failure that was asked for, with its message.
- INVALID_ARGUMENTS: an argument is of the wrong type. Correct it and call again.
- UNEXPECTED_FAILURE: a failure that nobody asked for. Tell the user that the test itself did not work.

Good usage:
- The user says ""Pretend that the disk is full"": call with {""shouldFail"": true, ""failureMessage"": ""Disk full.""}.
- The user wants to see the other case: call with {""shouldFail"": false, ""payload"": ""all is well""}.

Bad usage:
- Sending text for a truth value: {""shouldFail"": ""yes""} is refused.
- Calling it over and over to make the failure go away.
";

        private readonly IAdminLogger logger;

        public FailureInjectionTool(IAdminLogger logger)
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
                description = "Fails on purpose when told to, to test how failed tool calls are handled.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        shouldFail = new
                        {
                            type = "boolean",
                            description = "Whether the call is to fail. Default: false.",
                        },
                        failureMessage = new
                        {
                            type = "string",
                            description = "The message of the failure. Default: a general message.",
                        },
                        payload = new
                        {
                            type = "string",
                            description = "A text that comes back if the call succeeds. Default: none.",
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
                    if (args.ShouldFail)
                    {
                        logger.AddCustomEvent(
                            LogLevel.Error,
                            "[FailureInjectionTool_ExecuteAsync]",
                            "A failure was asked for.",
                            new KeyValuePair<string, string>("ConversationId", result.conversationId ?? ""),
                            new KeyValuePair<string, string>("SessionId", result.sessionId ?? ""),
                            new KeyValuePair<string, string>("Payload", args.Payload ?? ""));
                        return InvokeResult<string>.FromError(args.FailureMessage, "INJECTED_FAILURE");
                    }
                    result.payload = args.Payload;
                }
                return InvokeResult<string>.Create(ReferenceTools.Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[FailureInjectionTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("FailureInjectionTool failed, though not in the way it was told to.", "UNEXPECTED_FAILURE");
            }
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public bool ShouldFail;

            public string FailureMessage;

            public string Payload;

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                var message = given.OptionalText("failureMessage");
                return new Args
                {
                    ShouldFail = given.OptionalBoolean("shouldFail") ?? false,
                    // A failure without a message would be of no use to anyone.
                    FailureMessage = string.IsNullOrWhiteSpace(message) ? "This failure was asked for." : message,
                    Payload = given.OptionalText("payload"),
                };
            }
        }

        /// <summary>The payload of a call that was not told to fail. These keys are published: they never change.</summary>
        private sealed class Result
        {
            public bool failed { get; set; }

            public string payload { get; set; }

            public bool cancelled { get; set; }

            public string conversationId { get; set; }

            public string sessionId { get; set; }
        }
    }
}
