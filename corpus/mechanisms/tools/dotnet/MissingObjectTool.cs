// A tool that looks an object up by its path and uses what it found, which may be null, outside of any guard.

using System;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public sealed class Prefab
    {
        public string Path { get; set; }

        public int Parts { get; set; }
    }

    public class FixedInstantiateTool : GuardedTool
    {
        public const string ToolName = "agent_instantiate_prefab";

        public const string ToolUsageMetadata = @"Primary purpose:
- Tells how many parts a prefab of the project has, before it is placed.

When to use:
- Call it before a prefab is placed.
- Do not use it for anything else.

Arguments:
- path: the path of the prefab, such as Assets/Tree.

Behaviour:
- Read-only, idempotent and cheap.

Errors:
- INVALID_ARGUMENTS: path is missing.
- UNKNOWN_PREFAB: there is no such prefab.

Good usage:
- {""path"": ""Assets/Tree""}

Bad usage:
- {""path"": """"}
";

        private static readonly Prefab[] Prefabs = { new Prefab { Path = "Assets/Tree", Parts = 3 }, new Prefab { Path = "Assets/House", Parts = 9 } };

        public FixedInstantiateTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Tells how many parts a prefab of the project has, before it is placed.", "path", @"\S", "The path of the prefab.");
        }

        protected override Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            var path = Text(arguments, "path");
            return Task.FromResult(string.IsNullOrWhiteSpace(path)
                ? Refused("path is required.")
                : Counted(Array.Find(Prefabs, each => each.Path == path), context));
        }

        protected virtual InvokeResult<string> Counted(Prefab found, AgentToolExecutionContext context)
        {
            return found == null
                ? InvokeResult<string>.FromError("There is no such prefab. List the prefabs first.", "UNKNOWN_PREFAB")
                : Answer(new JObject { { "parts", found.Parts } }, context);
        }
    }

    public sealed class FaultyInstantiateTool : FixedInstantiateTool
    {
        public FaultyInstantiateTool(IAdminLogger logger)
            : base(logger)
        {
        }

        protected override InvokeResult<string> Counted(Prefab found, AgentToolExecutionContext context)
        {
            return Answer(new JObject { { "parts", found.Parts } }, context);
        }

        protected override InvokeResult<string> Failed(Exception error)
        {
            throw error;
        }
    }
}
