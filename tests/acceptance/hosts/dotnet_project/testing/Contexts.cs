// What makes the project's context.

using System.Threading;
using Acme.Contract;

namespace Acme.Testing
{
    public static class Contexts
    {
        public static IPipelineContext Make(ToolContext context, CancellationToken token)
        {
            return context == null ? null : new PipelineContext { SessionId = context.SessionId, Token = token };
        }

        private sealed class PipelineContext : IPipelineContext
        {
            public string SessionId { get; set; }

            public CancellationToken Token { get; set; }
        }
    }
}
