// A tool that left its work to a second overload: the one of the contract threw NotImplementedException.

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json.Linq;

namespace Corpus
{
    public sealed class PipelineContext
    {
        public CancellationToken Token { get; set; }

        public AgentToolExecutionContext ToToolContext()
        {
            return new AgentToolExecutionContext();
        }
    }

    public class FixedChapterTool : GuardedTool
    {
        public const string ToolName = "agent_chapter_title";

        public const string ToolUsageMetadata = @"Primary purpose:
- Tells the title of a chapter of the handbook, by its number.

When to use:
- Call it when the user names a chapter by its number.
- Do not use it for anything else.

Arguments:
- chapter: the number of the chapter, 1 or 2, as a text.

Behaviour:
- Read-only, idempotent and cheap.

Errors:
- INVALID_ARGUMENTS: there is no such chapter.

Good usage:
- {""chapter"": ""1""}

Bad usage:
- {""chapter"": """"}
";

        private static readonly Dictionary<string, string> Titles = new Dictionary<string, string> { { "1", "How to begin" }, { "2", "How to end" } };

        public FixedChapterTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override string Name
        {
            get { return ToolName; }
        }

        public static object GetSchema()
        {
            return SchemaOf(ToolName, "Tells the title of a chapter of the handbook, by its number.", "chapter", @"^[12]$", "The number, 1 or 2.");
        }

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, PipelineContext context)
        {
            return base.ExecuteAsync(argumentsJson, context.ToToolContext(), context.Token);
        }

        protected override Task<InvokeResult<string>> RunAsync(JObject arguments, AgentToolExecutionContext context, CancellationToken token)
        {
            string title;
            var chapter = Text(arguments, "chapter");
            return Task.FromResult(chapter != null && Titles.TryGetValue(chapter, out title)
                ? Answer(new JObject { { "chapter", chapter }, { "title", title } }, context)
                : Refused("There is no such chapter. Send 1 or 2."));
        }
    }

    public sealed class FaultyChapterTool : FixedChapterTool
    {
        public FaultyChapterTool(IAdminLogger logger)
            : base(logger)
        {
        }

        public override Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken = default(CancellationToken))
        {
            throw new NotImplementedException();
        }
    }
}
