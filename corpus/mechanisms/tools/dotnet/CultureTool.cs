// A tool that reads a number by the culture of its machine: where the decimal point is a comma, 1.0 is ten.

using System.Globalization;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public class FixedDoubleTool : GuardedTool
    {
        public const string ToolName = "agent_double";

        public const string ToolUsageMetadata = @"Primary purpose:
- Doubles a decimal number.

When to use:
- Call it when the user wants a number doubled.
- Do not use it for anything else.

Arguments:
- number: a number with one digit after the point, such as 1.5.

Behaviour:
- Read-only, idempotent and cheap.

Errors:
- INVALID_ARGUMENTS: number is missing or has another form.

Good usage:
- {""number"": ""1.5""}

Bad usage:
- {""number"": """"}
";

        private static readonly Regex Form = new Regex(@"\A[0-9]{1,6}\.[0-9]\z");

        public FixedDoubleTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Doubles a decimal number.", "number", @"^[0-9]{1,6}\.[0-9]$", "A number such as 1.5.");
        }

        protected override Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            var number = Text(arguments, "number");
            return Task.FromResult(number == null || !Form.IsMatch(number)
                ? Refused("number is required, with one digit after the point.")
                : Answer(new JObject { { "doubled", 2 * decimal.Parse(number, NumberStyles.Number, Culture) } }, context));
        }

        protected virtual CultureInfo Culture
        {
            get { return CultureInfo.InvariantCulture; }
        }
    }

    public sealed class FaultyDoubleTool : FixedDoubleTool
    {
        public FaultyDoubleTool(IAdminLogger logger)
            : base(logger)
        {
        }

        protected override CultureInfo Culture
        {
            get { return CultureInfo.CurrentCulture; }
        }
    }
}
