// A small, typical catalog: a service factory for the conformance suite, and an example.

using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.ReferenceTools
{
    /// <summary>A catalog of modes that the program was written with.</summary>
    public sealed class InMemoryModeCatalog : IAgentModeCatalogService
    {
        private readonly AgentModeSummary[] modes;

        public InMemoryModeCatalog(params AgentModeSummary[] modes)
        {
            this.modes = modes;
        }

        public Task<IReadOnlyList<AgentModeSummary>> GetAllModesAsync(CancellationToken cancellationToken)
        {
            return Task.FromResult<IReadOnlyList<AgentModeSummary>>(modes);
        }
    }

    public static class Testing
    {
        public static IAgentModeCatalogService MakeCatalog()
        {
            return new InMemoryModeCatalog(
                new AgentModeSummary
                {
                    Id = "5f0c7a52d1b34e0f9a6c2b8e7d4f1a03",
                    Key = "general",
                    DisplayName = "General",
                    Description = "Everyday questions and tasks that belong to no other mode.",
                    SystemPromptSummary = "Answer briefly and plainly; ask when a request is unclear.",
                    IsDefault = true,
                    ExampleUtterances = new[] { "What can you help me with?", "Summarise this text for me." },
                },
                new AgentModeSummary
                {
                    Id = "8b1e64f09c7d4a25b3f8d0e15a92c6d7",
                    Key = "tool_design",
                    DisplayName = "Tool design",
                    Description = "Designing agent tools and writing down their contracts.",
                    SystemPromptSummary = "Work from the contract to the code; name the clause that a decision rests on.",
                    HumanRoleHints = new[] { "developer", "architect" },
                    ExampleUtterances = new[] { "Help me to write a new agent tool." },
                },
                new AgentModeSummary
                {
                    Id = "c29d3f7be8054b16a47e91d6f0835bc2",
                    Key = "review",
                    DisplayName = "Review",
                    Description = "Reading what others wrote and saying what should change.",
                    SystemPromptSummary = "",
                    HumanRoleHints = new string[0],
                });
        }
    }
}
