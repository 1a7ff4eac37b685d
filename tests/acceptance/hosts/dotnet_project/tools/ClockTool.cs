// Two methods of one name: the contract's, and the one that production calls with its own context.

using System.Threading;
using System.Threading.Tasks;
using Acme.Contract;

namespace Acme.Tools
{
    public sealed class ClockTool
    {
        public const string ToolName = "clock";

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, IPipelineContext context)
        {
            return Answer("pipeline " + context?.SessionId + " " + context?.Token.CanBeCanceled);
        }

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, ToolContext context, CancellationToken cancellationToken)
        {
            return Answer("contract " + context?.SessionId + " " + cancellationToken.CanBeCanceled);
        }

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, string sessionId, string conversationId, string user)
        {
            return Answer("nobody calls this");
        }

        private static Task<InvokeResult<string>> Answer(string text)
        {
            return Task.FromResult(new InvokeResult<string> { Successful = true, Result = text });
        }
    }
}
