// A tool that answers a failure with a success whose body has an error.

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public class FixedAccountTool : GuardedTool
    {
        public const string ToolName = "agent_next_event";

        public const string ToolUsageMetadata = @"Primary purpose:
- Tells the next event in the calendar of an account.

When to use:
- Call it when the user asks what comes next in a calendar.
- Do not use it for anything else.

Arguments:
- accountId: the account, such as work or home.

Behaviour:
- Read-only, idempotent and cheap.

Errors:
- INVALID_ARGUMENTS: accountId is missing.
- UNKNOWN_ACCOUNT: there is no such account.

Good usage:
- {""accountId"": ""work""}

Bad usage:
- {""accountId"": """"}
";

        private static readonly Dictionary<string, string> Events = new Dictionary<string, string> { { "work", "Stand-up" }, { "home", "Dinner" } };

        public FixedAccountTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Tells the next event in the calendar of an account.", "accountId", @"\S", "The account.");
        }

        protected override Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            string next;
            var account = Text(arguments, "accountId");
            if (string.IsNullOrWhiteSpace(account))
            {
                return Task.FromResult(Refused("accountId is required."));
            }
            return Task.FromResult(Events.TryGetValue(account, out next)
                ? Answer(new JObject { { "title", next } }, context)
                : Unknown(context));
        }

        protected virtual InvokeResult<string> Unknown(AgentToolExecutionContext context)
        {
            return InvokeResult<string>.FromError("There is no such account. Ask the user for another.", "UNKNOWN_ACCOUNT");
        }
    }

    public sealed class FaultyAccountTool : FixedAccountTool
    {
        public FaultyAccountTool(IAdminLogger logger)
            : base(logger)
        {
        }

        protected override InvokeResult<string> Unknown(AgentToolExecutionContext context)
        {
            return Answer(new JObject { { "error", "Account not found" } }, context);
        }
    }
}
