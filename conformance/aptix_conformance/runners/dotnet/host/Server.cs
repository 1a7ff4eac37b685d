// The .NET host: runs in the process of a tool written in C#, and implements the host protocol (docs/host-protocol.md).
// One process, one tool. Calls run on the thread pool, without a synchronisation context, as
// ASP.NET Core runs them; one thread reads requests meanwhile.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    internal static class Program
    {
        /// <summary>The arguments are those of `Options`; `--version` alone says whether the runtime starts.</summary>
        public static void Main(string[] arguments)
        {
            if (arguments.Contains("--version"))
            {
                Console.WriteLine(Environment.Version + " " + "host".ToUpper(System.Globalization.CultureInfo.GetCultureInfo("")));
                return;
            }
            ThreadPool.SetMinThreads(64, 8); // 50 blocking calls must run at the same time
            var descriptor = int.Parse(Environment.GetEnvironmentVariable("APTIX_HOST_FD"));
            new Server(new Channel(descriptor), new Options(arguments)).Serve();
        }
    }

    internal sealed class Server
    {
        private const string Version = "1";
        private const int TargetFault = -32001;
        private const int NoMethod = -32601;
        private const int BadParams = -32602;
        private const int ExitBroken = 117;
        private const int Overflowed = 134;

        private static readonly string[] Capabilities =
        {
            "cancel", "log", "together", "threads", "disturb:cancel", "disturb:fault", "disturb:catalog",
        };

        private readonly TextWriter stdout = Console.Out;
        private readonly TextWriter stderr = Console.Error;
        private readonly Channel channel;
        private readonly Options options;
        private readonly object gate = new object();
        private readonly Dictionary<long, CancellationTokenSource> calls = new Dictionary<long, CancellationTokenSource>();
        private readonly Dictionary<long, ToolFactory> handles = new Dictionary<long, ToolFactory>();
        private Assembly assembly;
        private ToolFactory tool;
        private string module;
        private int served;
        private bool leaving;

        public Server(Channel channel, Options options)
        {
            this.channel = channel;
            this.options = options;
            module = options.Module;
        }

        /// <summary>Serve until the other side closes the channel or sends `shutdown`. Never returns.</summary>
        public void Serve()
        {
            Fatal.End = words =>
            {
                Incident(words);
                Leave(Overflowed);
            };
            AppDomain.CurrentDomain.UnhandledException += (_, thrown) =>
                Incident("an exception that nobody caught: " + ErrorText.Format((Exception)thrown.ExceptionObject));
            Missing.Watch();
            AppDomain.CurrentDomain.ProcessExit += (_, __) => Incident("the process was made to exit");
            for (var line = channel.Receive(); line != null; line = channel.Receive())
            {
                var message = (Members)JsonReader.Read(line);
                Dispatch(message.Get("id"), message.Text("method"), message.Get("params") as Members ?? new Members());
            }
            Leave(0);
        }

        private void Dispatch(object number, string method, Members given)
        {
            try
            {
                switch (method)
                {
                    case "initialize":
                        Answer(number, Initialize(given));
                        break;
                    case "tools/list":
                        Answer(number, Loading.List(assembly));
                        break;
                    case "tools/describe":
                        var when = given.Get("threads") != null ? "threads" : served > 0 ? "after_calls" : "start";
                        Answer(number, Declaring.Describe(Tool(), module, when));
                        break;
                    case "tools/execute":
                        Start((long)number, given);
                        break;
                    case "tools/execute_together":
                        StartTogether((long)number, (List<object>)given["calls"]);
                        break;
                    case "$/cancel":
                        Cancel(given);
                        break;
                    case "shutdown":
                        Answer(number, new Members());
                        Leave(0);
                        break;
                    default:
                        Fail(number, NoMethod, "there is no method " + method);
                        break;
                }
            }
            catch (TargetFault fault)
            {
                Fail(number, TargetFault, fault.Message);
            }
            catch (Exception error) when (error is KeyNotFoundException || error is InvalidCastException || error is FormatException
                || error is InvalidOperationException || error is NullReferenceException)
            {
                Fail(number, BadParams, ErrorText.Format(error));
            }
        }

        private Members Initialize(Members given)
        {
            if (given.Text("protocol") != Version)
            {
                throw new FormatException("this host speaks version " + Version + " of the protocol");
            }
            module = string.IsNullOrEmpty(given.Text("module")) ? module : given.Text("module");
            assembly = Loading.Load(module, options);
            var all = options.More == null ? new[] { assembly } : new[] { assembly, Loading.Load(options.More, options) };
            if (given.Text("qualname") != null)
            {
                var type = Loading.Find(assembly, given.Text("qualname"));
                tool = new ToolFactory(type, all, given.Get("services") as Members ?? new Members(), new Execution(type, all, options));
            }
            foreach (var handle in given.Get("handles") as Members ?? new Members())
            {
                var kind = (string)handle.Value;
                handles[long.Parse(handle.Key)] = kind == "tool" ? tool : ToolFactory.OfSentinel(Sentinels.ByKind[kind]);
            }
            return new Members { { "protocol", Version }, { "host", "dotnet" }, { "capabilities", Capabilities } };
        }

        private ToolFactory Tool()
        {
            if (tool == null)
            {
                throw new InvalidOperationException("initialize comes first, with a tool");
            }
            return tool;
        }

        private void Start(long number, Members given)
        {
            var source = new CancellationTokenSource();
            var disturbance = Disturb(given.Text("disturbance") ?? "nothing", source);
            var handle = given.Get("handle");
            var called = handle == null ? Tool() : handles[(long)handle];
            Run(number, source, () => Calls.Execute(
                called, given.Text("arguments"), given.Get("context") as Members, source, Recorder(number, 0), disturbance));
        }

        /// <summary>Start several calls before any is awaited. The answer has their results in order.</summary>
        private void StartTogether(long number, List<object> wanted)
        {
            // Each on its own thread, because calls may block and the pool adds threads slowly.
            var called = Tool();
            var running = wanted.Cast<Members>().Select((call, place) => Task.Factory.StartNew(
                () => Calls.Execute(
                    called, call.Text("arguments"), call.Get("context") as Members, new CancellationTokenSource(), Recorder(number, place), new Disturbance()),
                CancellationToken.None,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default).Unwrap());
            Run(number, new CancellationTokenSource(), async () =>
            {
                var answers = await Task.WhenAll(running.ToList()).ConfigureAwait(false);
                Interlocked.Add(ref served, answers.Length - 1);
                return new Members { { "answers", answers } };
            });
        }

        private void Run(long number, CancellationTokenSource source, Func<Task<Members>> call)
        {
            lock (gate)
            {
                calls[number] = source;
            }
            Task.Run(async () =>
            {
                Members answer = null;
                string fault = null;
                try
                {
                    answer = await call().ConfigureAwait(false);
                }
                catch (TargetFault missing)
                {
                    fault = missing.Message;
                }
                lock (gate)
                {
                    calls.Remove(number);
                }
                Interlocked.Increment(ref served);
                if (fault == null)
                {
                    Answer(number, answer);
                }
                else
                {
                    Fail(number, TargetFault, fault);
                }
            });
        }

        private Disturbance Disturb(string what, CancellationTokenSource source)
        {
            var parts = what.Split(new[] { ':' }, 2);
            var detail = parts.Length > 1 ? parts[1] : "";
            switch (parts[0])
            {
                case "nothing":
                    return new Disturbance();
                case "cancel":
                    return new Cancelling(detail, source);
                case "fault":
                    return new Failing(detail, source);
                case "catalog":
                    return new Catalogs(detail, source, options.Catalogs);
                default:
                    throw new FormatException("there is no disturbance " + parts[0]);
            }
        }

        private Recorder Recorder(long number, int place)
        {
            return new Recorder(entry => channel.Send(new Members
            {
                { "method", "log" },
                { "params", new Members { { "call", number }, { "place", place }, { "record", entry } } },
            }));
        }

        private void Cancel(Members given)
        {
            CancellationTokenSource source;
            lock (gate)
            {
                calls.TryGetValue((long)given["id"], out source);
            }
            if (source != null)
            {
                Task.Run(() => source.Cancel());
            }
        }

        private void Answer(object number, Members result)
        {
            Send(new Members { { "id", number }, { "result", result } });
        }

        private void Fail(object number, int code, string message)
        {
            Send(new Members { { "id", number }, { "error", new Members { { "code", code }, { "message", message } } } });
        }

        private void Send(Members answer)
        {
            Flush(stdout);
            Flush(stderr);
            if (!channel.Send(answer))
            {
                Leave(ExitBroken);
            }
        }

        private static void Flush(TextWriter stream)
        {
            try
            {
                stream.Flush();
            }
            catch (Exception error) when (error is ObjectDisposedException || error is IOException)
            {
                // The tool has closed it.
            }
        }

        /// <summary>Say why the process is about to end.</summary>
        private void Incident(string words)
        {
            if (!leaving)
            {
                leaving = true;
                channel.Send(new Members { { "method", "incident" }, { "params", new Members { { "words", ErrorText.Cut(words, 2000) } } } });
            }
        }

        private void Leave(int status)
        {
            leaving = true;
            _exit(status); // at once, without waiting for threads of the tool
        }

        [DllImport("libc")]
        private static extern void _exit(int status);
    }
}
