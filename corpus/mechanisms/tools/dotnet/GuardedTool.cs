// What these tools share: they read an object, are guarded as a whole, and answer with the identifiers of their call.

using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public abstract class GuardedTool : IAgentTool
    {
        private readonly IAdminLogger logger;

        protected GuardedTool(IAdminLogger logger)
        {
            this.logger = logger;
        }

        public abstract string Name { get; }

        public bool IsToolFullyExecutedOnServer
        {
            get { return true; }
        }

        public virtual async Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken = default(CancellationToken))
        {
            try
            {
                var arguments = Parsed(argumentsJson);
                if (arguments == null)
                {
                    return Refused("The arguments are not a JSON object. Send one.");
                }
                return await RunAsync(arguments, context, cancellationToken);
            }
            catch (Exception error)
            {
                return Failed(error);
            }
        }

        protected abstract Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token);

        protected virtual InvokeResult<string> Failed(Exception error)
        {
            logger.AddException("[" + GetType().Name + "_ExecuteAsync__Exception]", error);
            return InvokeResult<string>.FromError("The tool could not do its work.", "UNEXPECTED");
        }

        protected static InvokeResult<string> Refused(string message)
        {
            return InvokeResult<string>.FromError(message, "INVALID_ARGUMENTS");
        }

        /// <summary>The text of an argument; null where there is none, or it is no text.</summary>
        protected static string Text(JObject arguments, string name)
        {
            var found = arguments[name];
            return found != null && found.Type == JTokenType.String ? (string)found : null;
        }

        protected static InvokeResult<string> Answer(JObject payload, AgentToolExecutionContext context)
        {
            payload["conversationId"] = context?.Request?.ConversationId;
            payload["sessionId"] = context?.SessionId;
            return InvokeResult<string>.Create(payload.ToString(Formatting.None));
        }

        /// <summary>The schema of a tool whose one argument is a required text.</summary>
        protected static object SchemaOf(string name, string description, string argument, string pattern, string meaning)
        {
            return new
            {
                type = "function",
                name,
                description,
                parameters = new JObject
                {
                    { "type", "object" },
                    {
                        "properties",
                        new JObject { { argument, new JObject { { "type", "string" }, { "pattern", pattern }, { "description", meaning } } } }
                    },
                    { "required", new JArray(argument) },
                },
            };
        }

        private static JObject Parsed(string argumentsJson)
        {
            if (string.IsNullOrWhiteSpace(argumentsJson))
            {
                return new JObject();
            }
            try
            {
                return JToken.ReadFrom(new JsonTextReader(new StringReader(argumentsJson)) { DateParseHandling = DateParseHandling.None, MaxDepth = 200 }) as JObject;
            }
            catch (Exception error) when (error is JsonException || error is OverflowException || error is FormatException || error is ArgumentException)
            {
                return null;
            }
        }
    }
}
