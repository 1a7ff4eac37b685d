// A tool under types of its own, named as the contract names them and no more.

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Somebody.Elses
{
    public interface IAdminLogger
    {
        Task AddError(string tag, string message, params KeyValuePair<string, string>[] pairs);
    }

    public sealed class InvokeResult<T>
    {
        public bool Successful { get; set; }

        public T Result { get; set; }

        public List<string> Errors { get; set; }

        public Dictionary<string, object> Metadata { get; set; }
    }

    public sealed class Header
    {
        public string Text { get; set; }
    }

    public sealed class Request
    {
        public string ConversationId { get; set; }
    }

    public sealed class AgentToolExecutionContext
    {
        public string SessionId { get; set; }

        public Request Request { get; set; }

        public Header User { get; set; }
    }
}

namespace Aptix.Tests
{
    using Somebody.Elses;

    public sealed class ForeignTool
    {
        public const string ToolName = "foreign";

        private readonly IAdminLogger log;

        public ForeignTool(IAdminLogger log)
        {
            this.log = log;
        }

        public async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            if (argumentsJson == "fail")
            {
                var cause = new System.InvalidOperationException("outer", new System.FormatException("inner"));
                return new InvokeResult<string> { Errors = new List<string> { "said" }, Metadata = new Dictionary<string, object> { { "cause", cause }, { "place", new[] { "deep" } } } };
            }
            await log.AddError("tag", "message", new KeyValuePair<string, string>("a", "b"));
            return new InvokeResult<string> { Successful = true, Result = context.SessionId + "/" + context.Request.ConversationId + "/" + context.User.Text };
        }
    }
}
