// A tool that tells the model what an exception says of its own code: "Object reference not set to an instance of an object."

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public class FixedPipelineTool : GuardedTool
    {
        public const string ToolName = "agent_generate_client";

        public const string ToolUsageMetadata = @"Primary purpose:
- Tells the package that is generated from a specification.

When to use:
- Call it when the user names a specification.
- Do not use it for anything else.

Arguments:
- specification: the name of the specification, such as storage.

Behaviour:
- Read-only, idempotent and cheap.

Errors:
- INVALID_ARGUMENTS: specification is missing.
- UNEXPECTED: there is no such specification.

Good usage:
- {""specification"": ""storage""}

Bad usage:
- {""specification"": """"}
";

        private static readonly Dictionary<string, string> Packages = new Dictionary<string, string> { { "storage", "Acme.Storage" } };

        public FixedPipelineTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Tells the package that is generated from a specification.", "specification", @"\S", "The name of the specification.");
        }

        protected override Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            string package;
            var specification = Text(arguments, "specification");
            if (string.IsNullOrWhiteSpace(specification))
            {
                return Task.FromResult(Refused("specification is required."));
            }
            Packages.TryGetValue(specification, out package);
            return Task.FromResult(Answer(new JObject { { "package", package.ToString() } }, context));
        }

        protected override InvokeResult<string> Failed(Exception error)
        {
            base.Failed(error);
            return InvokeResult<string>.FromError(Message(error), "UNEXPECTED");
        }

        protected virtual string Message(Exception error)
        {
            return "There is no such specification. Ask the user for its name.";
        }
    }

    public sealed class FaultyPipelineTool : FixedPipelineTool
    {
        public FaultyPipelineTool(IAdminLogger logger)
            : base(logger)
        {
        }

        protected override string Message(Exception error)
        {
            return "Failed to run the pipeline, details: " + error.Message;
        }
    }
}
