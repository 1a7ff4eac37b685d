// agent_list_modes: a tool with a service behind it, and with a contract of its own (TUL-010).

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;

namespace Aptix.ReferenceTools
{
    /// <summary>Lists the modes of the catalog.</summary>
    public sealed class AgentListModesTool : IAgentTool
    {
        public const string ToolName = "agent_list_modes";

        public const string ToolUsageMetadata = @"agent_list_modes — Usage Guide

Primary purpose:
- Lists all agent modes that are configured, and for each of them what it is for. It informs and does nothing else.

Rules:
- Use it when the user asks which modes there are.
- Use it when the user does not understand a mode, or needs help to choose one.
- Use it before you propose a change of mode, so that the user sees the options and what each is for.
- Do not call it for every message of the user.
- Do not call it when you know the current mode and have no choice to offer.
- Do not call it instead of the mode-change tool (TUL-007): choosing and changing a mode are done elsewhere.
- It is read-only and has no side effects. As long as the catalog stays the same, so does the answer (idempotent). It
  always returns the whole catalog, without paging: some tens of modes at most. Once in a conversation is enough.
- Trust the answer over what you remember about modes. Name modes to the user by their display names.
- A call that was cancelled before the catalog answered succeeds, lists no modes and says that it was cancelled: that
  does not mean that there are none.

Arguments:
- includeExamples: optional, true to get sample requests for each mode as well; false if left out. Ask for them when
  the user has to choose, and leave them out when the names and descriptions will do.

Error codes:
- INVALID_ARGUMENTS: includeExamples is neither true nor false. Correct it and call again.
- CATALOG_UNAVAILABLE: the catalog could not be read. Say that the modes cannot be listed now; do not invent any.

Good usage:
- The user asks ""Which modes do you have?"": call with {}.
- The user asks ""Which mode should I take for writing a contract?"": call with {""includeExamples"": true}.

Bad usage:
- The user says ""Switch to review mode"": this is a task for the mode-change tool.
- Calling it at the start of every turn to find out what mode you are in.
";

        private readonly IAdminLogger logger;
        private readonly IAgentModeCatalogService catalog;

        public AgentListModesTool(IAdminLogger logger, IAgentModeCatalogService catalog)
        {
            this.logger = logger;
            this.catalog = catalog;
        }

        public string Name
        {
            get { return ToolName; }
        }

        public bool IsToolFullyExecutedOnServer
        {
            get { return true; }
        }

        public static object GetSchema()
        {
            return new
            {
                type = "function",
                name = ToolName,
                description = "Lists all agent modes with what each is for, to explain them or to help with a choice.",
                parameters = new
                {
                    type = "object",
                    properties = new
                    {
                        includeExamples = new
                        {
                            type = "boolean",
                            description = "Whether to list sample requests for each mode as well. Default: false.",
                        },
                    },
                    required = new string[0],
                },
            };
        }

        public async Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson,
            AgentToolExecutionContext context,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            try
            {
                var args = Args.Parse(argumentsJson);
                var asked = catalog.GetAllModesAsync(cancellationToken);
                if (await IsCancelledBefore(asked, cancellationToken))
                {
                    return InvokeResult<string>.Create(Payload.Of(new Result { modes = new List<Mode>(), cancelled = true }));
                }
                var modes = await asked;
                return InvokeResult<string>.Create(Payload.Of(new Result { modes = modes.Select(mode => Describe(mode, args)).ToList() }));
            }
            catch (ArgumentFault fault)
            {
                return InvokeResult<string>.FromError(fault.Message, ArgumentFault.Code);
            }
            catch (Exception error)
            {
                logger.AddException("[AgentListModesTool_ExecuteAsync__Exception]", error);
                return InvokeResult<string>.FromError("The mode catalog is not available.", "CATALOG_UNAVAILABLE");
            }
        }

        /// <summary>Whether the token comes before the catalog. One that answers at once is listed all the same.</summary>
        private static async Task<bool> IsCancelledBefore(Task asked, CancellationToken token)
        {
            var cancelled = new TaskCompletionSource<bool>();
            using (token.Register(() => cancelled.TrySetResult(true)))
            {
                await Task.WhenAny(asked, cancelled.Task);
            }
            return asked.IsCanceled ? token.IsCancellationRequested : !asked.IsCompleted;
        }

        /// <summary>A mode as the model sees it; a copy, so that nothing of the catalog can change.</summary>
        private static Mode Describe(AgentModeSummary mode, Args args)
        {
            return new Mode
            {
                id = mode.Id,
                key = mode.Key,
                displayName = mode.DisplayName,
                description = mode.Description,
                systemPromptSummary = mode.SystemPromptSummary,
                isDefault = mode.IsDefault,
                humanRoleHints = mode.HumanRoleHints?.ToArray(),
                exampleUtterances = args.IncludeExamples ? mode.ExampleUtterances?.ToArray() : null,
            };
        }

        /// <summary>The arguments, checked, with their defaults.</summary>
        private sealed class Args
        {
            public bool IncludeExamples;

            public static Args Parse(string argumentsJson)
            {
                var given = Arguments.Parse(argumentsJson);
                return new Args { IncludeExamples = given.OptionalBoolean("includeExamples") ?? false };
            }
        }

        /// <summary>A mode as the model sees it. These keys are published: they never change (TUL-010 3).</summary>
        private sealed class Mode
        {
            public string id { get; set; }

            public string key { get; set; }

            public string displayName { get; set; }

            public string description { get; set; }

            public string systemPromptSummary { get; set; }

            public bool isDefault { get; set; }

            public string[] humanRoleHints { get; set; }

            public string[] exampleUtterances { get; set; }
        }

        /// <summary>The payload: modes and nothing else, unless the call was cancelled.</summary>
        private sealed class Result
        {
            public List<Mode> modes { get; set; }

            [JsonProperty(NullValueHandling = NullValueHandling.Ignore)]
            public bool? cancelled { get; set; }
        }
    }
}
