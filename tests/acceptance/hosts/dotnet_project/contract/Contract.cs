// A project's own contract: a result and a context of its own, and a context that only the project can make.

using System.Collections.Generic;
using System.Threading;

namespace Acme.Contract
{
    public sealed class InvokeResult<T>
    {
        public bool Successful { get; set; }

        public T Result { get; set; }

        public List<string> Errors { get; } = new List<string>();
    }

    public sealed class ToolContext
    {
        public string SessionId { get; set; }
    }

    public interface IPipelineContext
    {
        string SessionId { get; }

        CancellationToken Token { get; }
    }
}
