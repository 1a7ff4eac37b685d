// A tool that calls a slow service with no token: a call that is cancelled goes on in the service.

using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public interface ISandbox
    {
        /// <summary>How a line of code ended; null where the token came first.</summary>
        Task<string> RunAsync(string code, CancellationToken cancellationToken);
    }

    /// <summary>Takes its time for each line, and does not run it.</summary>
    public sealed class QuietSandbox : ISandbox
    {
        public static ISandbox Make()
        {
            return new QuietSandbox();
        }

        public async Task<string> RunAsync(string code, CancellationToken cancellationToken)
        {
            await Task.WhenAny(Task.Delay(150, cancellationToken));
            return cancellationToken.IsCancellationRequested ? null : "ended";
        }
    }

    public class FixedSandboxTool : GuardedTool
    {
        public const string ToolName = "agent_run_code";

        public const string ToolUsageMetadata = @"Primary purpose:
- Runs a line of code in a remote sandbox and tells how it ended.

When to use:
- Call it when the user wants a line of code run.
- Do not use it for anything else.

Arguments:
- code: one line of code, of at most 80 characters.

Behaviour:
- Long-running: the sandbox takes a while. A call that is cancelled succeeds and says so in cancelled.

Errors:
- INVALID_ARGUMENTS: there is no code, or it is too long.

Good usage:
- {""code"": ""print(1)""}

Bad usage:
- {""code"": """"}
";

        private static readonly Regex Line = new Regex(@"\A\S.{0,79}\z");

        private readonly ISandbox sandbox;

        public FixedSandboxTool(IAdminLogger logger, ISandbox sandbox)
            : base(logger)
        {
            this.sandbox = sandbox;
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Runs a line of code in a remote sandbox and tells how it ended.", "code", @"^\S.{0,79}$", "One line of code.");
        }

        protected override async Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            var code = Text(arguments, "code");
            if (code == null || !Line.IsMatch(code))
            {
                return Refused("code is required, and is one line of at most 80 characters.");
            }
            var ended = await sandbox.RunAsync(code, Passed(token));
            return Answer(ended == null ? new JObject { { "cancelled", true } } : new JObject { { "ended", ended } }, context);
        }

        protected virtual CancellationToken Passed(CancellationToken token)
        {
            return token;
        }
    }

    public sealed class FaultySandboxTool : FixedSandboxTool
    {
        public FaultySandboxTool(IAdminLogger logger, ISandbox sandbox)
            : base(logger, sandbox)
        {
        }

        protected override CancellationToken Passed(CancellationToken token)
        {
            return CancellationToken.None;
        }
    }
}
