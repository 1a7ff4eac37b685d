// Reads its arguments with a Json.NET that lies beside it.

using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;

namespace Acme.Tools
{
    public sealed class OwnTool
    {
        public const string ToolName = "own";

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken = default)
        {
            return Task.FromResult(InvokeResult<string>.Create(JsonConvert.SerializeObject(JsonConvert.DeserializeObject(argumentsJson))));
        }
    }
}
