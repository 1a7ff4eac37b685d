// agent_hello_world: the smallest complete tool (TUL-011 6). Copy this one first.

using System;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;

namespace Aptix.ReferenceTools
{
    /// <summary>Greets the user by name.</summary>
    public sealed class HelloWorldTool : IAgentTool
    {
        public const string ToolName = "agent_hello_world";

        public const string ToolUsageMetadata = @"agent_hello_world — Usage Guide

Primary purpose:
- Creates a personalized, friendly greeting for the user.

Rules:
- Use it when the user asks to be greeted or welcomed and you know the name to greet them by.
- Do not use it to open every conversation, and do not use it when you do not know the name: ask for it first.
- It changes nothing and needs nothing from outside. The same name always gives the same greeting (idempotent), and
  it is safe to call often.
- One call greets one name. To greet several people, call it once for each.
- A call that was cancelled succeeds with a message that says so instead of a greeting.

Arguments:
- name: the name to greet, as the user writes it, with capitals and accents. Not empty. Take it from the
  conversation and never make one up.

Error codes:
- INVALID_ARGUMENTS: the name is missing, empty or not a string. Ask the user for a name, then call again.
- UNEXPECTED_FAILURE: the greeting could not be made. Greet the user in your own words.

Good usage:
- The user says ""I'm Zoë, say hello to me!"": call with {""name"": ""Zoë""}.

Bad usage:
- The user says ""Welcome me!"" without giving a name: calling with {""name"": ""user""} greets nobody.
- Calling it again for every message of somebody who was greeted already.
";

        private readonly IAdminLogger logger;

        public HelloWorldTool(IAdminLogger logger)
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
                description = "Creates a friendly greeting using the user's name, for a user who asks to be greeted.",
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
                    result.Message = "The call was cancelled before the greeting was made.";
                    result.Cancelled = true;
                }
                else
                {
                    result.Message = "Hello, " + Args.Parse(argumentsJson).Name + "! It is good to have you here.";
                }
                return InvokeResult<string>.Create(Payload.Of(result));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[HelloWorldTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("HelloWorldTool could not make the greeting.", "UNEXPECTED_FAILURE");
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
            public string Message { get; set; }

            public string ConversationId { get; set; }

            public string SessionId { get; set; }

            /// <summary>There only where it is true.</summary>
            [JsonProperty(NullValueHandling = NullValueHandling.Ignore)]
            public bool? Cancelled { get; set; }
        }
    }
}
