// agent_hello_world_client: a tool that a client finishes; the server part checks and shapes.

using System;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;

namespace Aptix.ReferenceTools
{
    /// <summary>Prepares a greeting that the user's own client shows.</summary>
    public sealed class HelloWorldClientTool : IAgentTool
    {
        public const string ToolName = "agent_hello_world_client";

        public const string ToolUsageMetadata = @"agent_hello_world_client — Usage Guide

Primary purpose:
- Has the user's own application show a friendly greeting with the user's name, for example as a banner.

Rules:
- Use it when the user asks to be greeted or welcomed on the screen, in their application.
- Do not use it when a greeting in the conversation will do: that is what agent_hello_world is for.
- The server checks the call and the user's application finishes it, so it takes as long as the application takes.
- It stores nothing, but it is not idempotent to the eye: each call shows one more greeting. Call it sparingly, once
  for each time the user asks.
- A call that was cancelled succeeds, says so, and shows nothing.

Arguments:
- name: the name to greet, as the user writes it. Not empty. Take it from the conversation.

Error codes:
- INVALID_ARGUMENTS: the name is missing, empty or not a string; nothing is shown. Ask the user, then call again.
- UNEXPECTED_FAILURE: the greeting could not be prepared; nothing is shown. Greet the user in your own words.

Good usage:
- The user says ""Put a welcome for Amara on my screen"": call with {""name"": ""Amara""}.

Bad usage:
- The user only says ""Hi"": answer in the conversation and call nothing.
- Calling it a second time because you cannot see the banner: the user can.
";

        private readonly IAdminLogger logger;

        public HelloWorldClientTool(IAdminLogger logger)
        {
            this.logger = logger;
        }

        public string Name
        {
            get { return ToolName; }
        }

        public bool IsToolFullyExecutedOnServer
        {
            get { return false; }
        }

        public static object GetSchema()
        {
            return new
            {
                type = "function",
                name = ToolName,
                description = "Shows a friendly greeting with the user's name in the user's own application.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        name = new
                        {
                            type = "string",
                            description = "The name of the user to greet. Must not be blank.",
                            pattern = @"\S",
                        },
                    },
                    required = new[] { "name" },
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
                    ConversationId = context?.Request?.ConversationId,
                    SessionId = context?.SessionId,
                };
                if (cancellationToken.IsCancellationRequested)
                {
                    result.Cancelled = true;
                }
                else
                {
                    result.Name = Args.Parse(argumentsJson).Name;
                }
                return InvokeResult<string>.Create(Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[HelloWorldClientTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("HelloWorldClientTool could not prepare the greeting.", "UNEXPECTED_FAILURE");
            }
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public string Name;

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                return new Args { Name = given.RequiredText("name") };
            }
        }

        /// <summary>The payload. These keys are published: they never change.</summary>
        private sealed class Result
        {
            public string Name { get; set; }

            public string ConversationId { get; set; }

            public string SessionId { get; set; }

            /// <summary>There only where it is true.</summary>
            [JsonProperty(NullValueHandling = NullValueHandling.Ignore)]
            public bool? Cancelled { get; set; }
        }
    }
}
