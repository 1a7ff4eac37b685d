// The types of the contract of Aptix agent tools (TUL-011, AGN-005), for tools that have no project of their own to
// take them from, and for the host's own. A tool may be compiled against other types of these names: the host looks at
// the names of members alone.

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Contract
{
    /// <summary>A tool (TUL-011 2). Besides, its class has the constants ToolName and ToolUsageMetadata and a static
    /// GetSchema, which no interface can ask for.</summary>
    public interface IAgentTool
    {
        /// <summary>ToolName.</summary>
        string Name { get; }

        /// <summary>False where a client finishes what the server began.</summary>
        bool IsToolFullyExecutedOnServer { get; }

        /// <summary>One call. Whatever goes wrong comes back as a failed result; nothing is thrown.</summary>
        Task<InvokeResult<string>> ExecuteAsync(
            string argumentsJson,
            AgentToolExecutionContext context,
            CancellationToken cancellationToken = default(CancellationToken));
    }

    /// <summary>What went wrong, for the model to read.</summary>
    public sealed class ErrorMessage
    {
        public string Message { get; set; }

        public string ErrorCode { get; set; }

        public string Details { get; set; }
    }

    /// <summary>What a call gives (AGN-005 4): a value, or errors.</summary>
    public sealed class InvokeResult<T>
    {
        public bool Successful { get; private set; }

        public T Result { get; private set; }

        public List<ErrorMessage> Errors { get; } = new List<ErrorMessage>();

        /// <summary>The messages of all errors, null where there is none.</summary>
        public string ErrorMessage
        {
            get { return Errors.Count == 0 ? null : string.Join(" ", Errors.ConvertAll(error => error.Message)); }
        }

        /// <summary>A successful result.</summary>
        public static InvokeResult<T> Create(T result)
        {
            return new InvokeResult<T> { Successful = true, Result = result };
        }

        /// <summary>A failed result with one error.</summary>
        public static InvokeResult<T> FromError(string message, string errorCode = null)
        {
            var failed = new InvokeResult<T>();
            failed.Errors.Add(new ErrorMessage { Message = message, ErrorCode = errorCode });
            return failed;
        }
    }

    /// <summary>Somebody or something that has an id and a name.</summary>
    public sealed class EntityHeader
    {
        public string Id { get; set; }

        public string Text { get; set; }
    }

    /// <summary>What is known of the model's request.</summary>
    public sealed class AgentToolRequest
    {
        public string ConversationId { get; set; }

        public string SessionId { get; set; }
    }

    /// <summary>Where a call comes from (AGN-005 5). Any part may be null.</summary>
    public sealed class AgentToolExecutionContext
    {
        public string SessionId { get; set; }

        public string CurrentTurnId { get; set; }

        public AgentToolRequest Request { get; set; }

        public EntityHeader Org { get; set; }

        public EntityHeader User { get; set; }

        public EntityHeader Role { get; set; }

        public EntityHeader AgentContext { get; set; }
    }

    /// <summary>How much an event matters.</summary>
    public enum LogLevel
    {
        Verbose,
        Message,
        Warning,
        Error,
        ConfigurationError,
    }

    /// <summary>The administrators' log (AGN-005 6). Pairs are arrays, never dictionaries.</summary>
    public interface IAdminLogger
    {
        void AddException(string tag, Exception exception, params KeyValuePair<string, string>[] pairs);

        void AddError(string tag, string message, params KeyValuePair<string, string>[] pairs);

        void AddCustomEvent(LogLevel level, string tag, string message, params KeyValuePair<string, string>[] pairs);

        void Trace(string message, params KeyValuePair<string, string>[] pairs);
    }

    /// <summary>One mode (TUL-010 2.2).</summary>
    public sealed class AgentModeSummary
    {
        /// <summary>A GUID without hyphens.</summary>
        public string Id { get; set; }

        public string Key { get; set; }

        public string DisplayName { get; set; }

        public string Description { get; set; }

        public string SystemPromptSummary { get; set; }

        public bool IsDefault { get; set; }

        public string[] HumanRoleHints { get; set; }

        public string[] ExampleUtterances { get; set; }
    }

    /// <summary>Where modes come from (TUL-010 2.1).</summary>
    public interface IAgentModeCatalogService
    {
        /// <summary>All modes, in the order in which they are to be shown.</summary>
        Task<IReadOnlyList<AgentModeSummary>> GetAllModesAsync(CancellationToken cancellationToken);
    }
}
