// Tools that do one thing each, for tests/acceptance/hosts/test_dotnet_host.py.

using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Aptix.Contract;
using Newtonsoft.Json;

namespace Aptix.Tests
{
    public abstract class Tool : IAgentTool
    {
        public virtual string Name
        {
            get { return "echo"; }
        }

        public bool IsToolFullyExecutedOnServer
        {
            get { return true; }
        }

        public static object GetSchema()
        {
            return new { type = "function", name = "echo", description = "Echo.", parameters = new { type = "object", properties = new { }, required = new string[0] } };
        }

        public abstract Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken = default(CancellationToken));

        protected static InvokeResult<string> Gives(string text)
        {
            return InvokeResult<string>.Create(text);
        }
    }

    public sealed class EchoTool : Tool
    {
        public const string ToolName = "echo";
        public const string ToolUsageMetadata = "Echo.";

        public EchoTool(IAdminLogger logger)
        {
        }

        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            if (argumentsJson == "args")
            {
                JsonConvert.DeserializeObject<EchoArgs>(argumentsJson);
            }
            return Task.FromResult(Gives((argumentsJson ?? "null") + "|" + context?.SessionId + "|" + context?.Request?.ConversationId));
        }

        private sealed class EchoArgs
        {
        }
    }

    /// <summary>Its signature is that of AGN-005, in the words of C# 7.1.</summary>
    public sealed class DefaultTokenTool
    {
        public const string ToolName = "default_token";

        public static object GetSchema()
        {
            return new { type = "function", name = "default_token", description = "Answers.", parameters = new { type = "object", properties = new { }, required = new string[0] } };
        }

        public Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken = default)
        {
            return Task.FromResult(InvokeResult<string>.Create(cancellationToken.IsCancellationRequested ? "cancelled" : "answered"));
        }
    }

    public sealed class PropertyTool : Tool
    {
        public static string ToolName
        {
            get { return "echo"; }
        }

        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            return Task.FromResult(Gives(""));
        }
    }

    public sealed class ReadonlyTool : Tool
    {
        public static readonly string ToolName = "echo";

        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            return Task.FromResult(Gives(""));
        }
    }

    public sealed class BareTool : Tool
    {
        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            return Task.FromResult(Gives(""));
        }
    }

    public sealed class ThrowingTool : Tool
    {
        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            switch (argumentsJson)
            {
                case "plain":
                    throw new InvalidOperationException("plain");
                case "cancelled":
                    throw new TaskCanceledException();
                case "aggregate":
                    throw new AggregateException(new AggregateException(new FormatException("inner")));
                case "late":
                    await Task.Delay(1);
                    throw new InvalidOperationException("late");
                case "overflow":
                    return Gives(Deeper(0).ToString());
                case "exit":
                    Environment.Exit(3);
                    break;
                case "nobody":
                    new Thread(() => { throw new FormatException("nobody"); }).Start();
                    await Task.Delay(Timeout.Infinite);
                    break;
            }
            return Gives("");
        }

        private static int Deeper(int depth)
        {
            return Deeper(depth + 1) + 1;
        }
    }

    public sealed class LoggingTool : Tool
    {
        private readonly IAdminLogger logger;

        public LoggingTool(IAdminLogger logger)
        {
            this.logger = logger;
        }

        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            logger.AddException("[x]", new FormatException("broken"));
            logger.AddError("[y]", "wrong");
            logger.AddCustomEvent(LogLevel.Error, "[z]", "done", new KeyValuePair<string, string>("Key", "value"));
            logger.Trace("on its way");
            return Task.FromResult(Gives(""));
        }
    }

    public sealed class WaitingTool : Tool
    {
        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            var done = 0;
            try
            {
                await Task.Delay(30, cancellationToken);
                done++;
                await Task.Delay(30, cancellationToken).ConfigureAwait(false);
                done++;
                await Task.Yield();
                cancellationToken.ThrowIfCancellationRequested();
                done++;
                await Helper(cancellationToken);
                done++;
            }
            catch (OperationCanceledException)
            {
                return Gives("cancelled after " + done);
            }
            return Gives("done");
        }

        private static async Task Helper(CancellationToken token)
        {
            await Task.Delay(30, token);
        }
    }

    /// <summary>Computes for half a second of its own, on a thread of the pool.</summary>
    public sealed class ComputingTool : Tool
    {
        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            return Task.Run(() =>
            {
                var process = System.Diagnostics.Process.GetCurrentProcess();
                var end = process.TotalProcessorTime.TotalSeconds + 0.5;
                while (process.TotalProcessorTime.TotalSeconds < end)
                {
                    process.Refresh();
                }
                return Gives("");
            });
        }
    }

    public sealed class EndlessTool : Tool
    {
        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
            catch (OperationCanceledException)
            {
                return Gives("cancelled");
            }
            return Gives("");
        }
    }

    public sealed class LeavingTool : Tool
    {
        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            await Task.Yield();
            if (argumentsJson == "leave")
            {
                var left = Task.Run(() => Thread.Sleep(2000));
            }
            return Gives("");
        }
    }

    public interface IClock
    {
        Task<string> ReadAsync();
    }

    public sealed class Clock : IClock
    {
        public static IClock Make()
        {
            return new Clock();
        }

        public Task<string> ReadAsync()
        {
            return Task.FromResult("noon");
        }
    }

    public sealed class ServiceTool : Tool
    {
        private readonly IClock clock;

        public ServiceTool(IClock clock)
        {
            this.clock = clock;
        }

        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            return Gives((await clock.ReadAsync() ?? "null") + " " + await clock.ReadAsync());
        }
    }

    /// <summary>Passes its token on, or does not; computes or sleeps in a thread of the pool.</summary>
    public sealed class PassingTool : Tool
    {
        private readonly IGauge gauge;

        public PassingTool(IGauge gauge)
        {
            this.gauge = gauge;
        }

        public override async Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            if (argumentsJson == "computes" || argumentsJson == "sleeps")
            {
                await Task.Run(() => Work(argumentsJson == "sleeps"), cancellationToken);
                return Gives("worked");
            }
            return Gives(await gauge.ReadAsync(argumentsJson == "passes" ? cancellationToken : CancellationToken.None));
        }

        private static void Work(bool sleeps)
        {
            if (sleeps)
            {
                Thread.Sleep(300);
                return;
            }
            var process = System.Diagnostics.Process.GetCurrentProcess();
            var until = process.TotalProcessorTime.TotalSeconds + 0.4;
            while (process.TotalProcessorTime.TotalSeconds < until)
            {
                process.Refresh();
            }
        }
    }

    public interface IGauge
    {
        Task<string> ReadAsync(CancellationToken cancellationToken);
    }

    public sealed class Gauge : IGauge
    {
        public static Gauge Make()
        {
            return new Gauge();
        }

        public Task<string> ReadAsync(CancellationToken cancellationToken)
        {
            return Task.FromResult("42");
        }
    }

    public sealed class MeetingTool : Tool
    {
        private static readonly CountdownEvent Missing = new CountdownEvent(50);

        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            Missing.Signal();
            return Task.FromResult(Gives(Missing.Wait(TimeSpan.FromSeconds(20)) ? "met" : "alone"));
        }
    }

    public sealed class WritingTool : Tool
    {
        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            try
            {
                File.WriteAllText(argumentsJson, "x");
                return Task.FromResult(Gives("written"));
            }
            catch (Exception error)
            {
                return Task.FromResult(Gives(error.GetType().Name));
            }
        }
    }

    public sealed class HoardingTool : Tool
    {
        public override Task<InvokeResult<string>> ExecuteAsync(string argumentsJson, AgentToolExecutionContext context, CancellationToken cancellationToken)
        {
            var kept = new List<byte[]>();
            while (true)
            {
                var piece = new byte[1 << 20];
                for (var place = 0; place < piece.Length; place += 4096)
                {
                    piece[place] = 1;
                }
                kept.Add(piece);
            }
        }
    }
}
