// The sentinels: tools of the suite with known behaviour. They run like the tool under test and verify its host.

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;

namespace Aptix.Conformance.Host
{
    /// <summary>The exception of `Raises`, with the name that it has in every language.</summary>
    internal sealed class ValueError : Exception
    {
        public ValueError(string message)
            : base(message)
        {
        }
    }

    internal static class Sentinels
    {
        /// <summary>By kind, as `handles` names them.</summary>
        public static readonly Dictionary<string, Type> ByKind = new Dictionary<string, Type>
        {
            { "returns", typeof(Returns) },
            { "refuses", typeof(Refuses) },
            { "raises", typeof(Raises) },
            { "hangs", typeof(Hangs) },
            { "prints", typeof(Prints) },
            { "waits", typeof(Waits) },
        };

        private static Task<InvokeResult<string>> Success(string arguments)
        {
            return Task.FromResult(InvokeResult<string>.Create(arguments));
        }

        public sealed class Returns
        {
            private readonly IAdminLogger logger;

            public Returns(IAdminLogger logger)
            {
                this.logger = logger;
            }

            public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                logger.AddError("[Sentinel_ExecuteAsync]", arguments);
                return Success(arguments);
            }
        }

        public sealed class Refuses
        {
            public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                return Task.FromResult(InvokeResult<string>.FromError(arguments));
            }
        }

        public sealed class Raises
        {
            public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                throw new ValueError(arguments);
            }
        }

        public sealed class Hangs
        {
            public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                return new TaskCompletionSource<InvokeResult<string>>().Task;
            }
        }

        public sealed class Prints
        {
            public Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                Console.WriteLine(arguments);
                return Success(arguments);
            }
        }

        public sealed class Waits
        {
            public async Task<InvokeResult<string>> ExecuteAsync(string arguments, AgentToolExecutionContext context, CancellationToken token)
            {
                var cancelled = new TaskCompletionSource<bool>();
                using (token.Register(() => cancelled.TrySetResult(true)))
                {
                    await cancelled.Task;
                }
                return InvokeResult<string>.Create(arguments);
            }
        }
    }
}
