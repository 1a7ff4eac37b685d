// The disturbance `cancel`: it cancels the token of a call at one point, found by counting and not by time.
//
//     watch            never: only count the suspensions of the call
//     before           before the call
//     token:K          at the K-th suspension of any of the call's flows
//     delay:SECONDS    that long after the start of the call
//     task:K           never: in .NET only the token cancels a call
//
// A value in the execution context identifies a flow of the call. The runtime reports when a thread enters and leaves this
// context, with or without ConfigureAwait(false), in Task.Run and in new threads. To leave it before the end of the call is
// a suspension. No synchronisation context is set, as in ASP.NET Core.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    internal sealed class Cancelling : Disturbance
    {
        private const int MostSuspensions = 1000;
        private const int Patience = 100; // milliseconds for the callbacks of a cancelled token
        private const int Late = 10000; // milliseconds that a thread may take to start
        private const int Look = 25; // milliseconds between two checks

        private static readonly AsyncLocal<Cancelling> Flow = new AsyncLocal<Cancelling>(Changed);

        [ThreadStatic]
        private static long taken;

        [ThreadStatic]
        private static ThreadTimes before;

        [ThreadStatic]
        private static bool first;

        static Cancelling()
        {
            // The first timer starts the runtime's timer thread, which is not a flow of a call.
            new Timer(_ => { }, null, 0, Timeout.Infinite).Dispose();
        }

        private readonly string kind;
        private readonly double at;
        private readonly double grace;
        private readonly CancellationTokenSource source;
        private readonly object gate = new object();
        private object started;
        private Exception thrown;
        private Task task;
        private bool over;
        private int suspended;
        private int resumed;
        private int active;
        private long began;
        private long struck;
        private long ended;
        private long blocked;
        private string place = "";
        private bool leftRunning;

        public Cancelling(string what, CancellationTokenSource source)
        {
            var parts = what.Split(';');
            var moment = parts[0].Split(':');
            kind = moment[0];
            if (!new[] { "watch", "before", "token", "delay", "task" }.Contains(kind))
            {
                throw new FormatException("a call cannot be cancelled at '" + what + "'");
            }
            at = moment.Length > 1 ? double.Parse(moment[1], CultureInfo.InvariantCulture) : 0;
            var within = parts.FirstOrDefault(each => each.StartsWith("within=", StringComparison.Ordinal));
            grace = within == null ? 1 : double.Parse(within.Substring(7), CultureInfo.InvariantCulture);
            this.source = source;
        }

        public override async Task<Given> Run(Func<object> start)
        {
            began = Stopwatch.GetTimestamp();
            if (kind == "before")
            {
                Strike("before the call");
            }
            if (kind == "watch")
            {
                struck = began;
            }
            Begin(start);
            using (kind == "delay" ? Later() : null)
            {
                if (task != null)
                {
                    // On a separate thread, because the current thread is still in the tool's flow.
                    await task.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default).ConfigureAwait(false);
                }
                lock (gate)
                {
                    over = true;
                    ended = Stopwatch.GetTimestamp();
                }
            }
            await Settle().ConfigureAwait(false);
            if (thrown != null)
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(thrown).Throw();
            }
            return await Finished(started).ConfigureAwait(false);
        }

        // Starts the call in a flow of its own: what it starts belongs to it.
        private void Begin(Func<object> start)
        {
            ExecutionContext.Run(
                ExecutionContext.Capture(),
                _ =>
                {
                    Flow.Value = this;
                    Enter();
                    first = true;
                    try
                    {
                        started = start();
                        task = started as Task;
                        over = task == null;
                    }
                    catch (Exception error)
                    {
                        over = true;
                        thrown = error;
                    }
                },
                null);
        }

        public override Members Seen()
        {
            var count = Math.Min(suspended, MostSuspensions);
            return new Members
            {
                { "reached", struck != 0 },
                { "place", place },
                { "suspensions", Enumerable.Range(1, count).Select(number => "suspension " + number).ToList() },
                { "after", struck == 0 ? 0.0 : Math.Max(0, Seconds(ended - struck)) },
                { "left_running", leftRunning ? new List<string> { "a flow of the call, in a task or a thread" } : new List<string>() },
                { "blocked", Seconds(blocked) },
                { "blocked_at", "" },
            };
        }

        private static double Seconds(long ticks)
        {
            return (double)ticks / Stopwatch.Frequency;
        }

        private static void Changed(AsyncLocalValueChangedArgs<Cancelling> change)
        {
            if (!change.ThreadContextChanged || change.PreviousValue == change.CurrentValue)
            {
                return;
            }
            if (change.PreviousValue != null)
            {
                change.PreviousValue.Leave();
            }
            if (change.CurrentValue != null)
            {
                change.CurrentValue.Resume();
            }
        }

        private void Enter()
        {
            Interlocked.Increment(ref active);
            taken = Stopwatch.GetTimestamp();
            before = ThreadTimes.Now();
            first = false;
        }

        /// <summary>How long the thread was kept, less what it waited for a processor. Computing is what a thread of the pool is for
        /// (Task.Run), so it counts only before the first await, where the caller waits for it.</summary>
        private static long Kept()
        {
            var now = ThreadTimes.Now();
            var own = now.Waited - before.Waited + (first ? 0 : now.Computed - before.Computed);
            return Math.Max(0, Stopwatch.GetTimestamp() - taken - (long)(own * Stopwatch.Frequency / 1e9));
        }

        /// <summary>A thread enters a flow: its wait is over, or it is a new flow.</summary>
        private void Resume()
        {
            Enter();
            // A flow may continue before its thread has left it; the point is before it continues.
            if (Interlocked.Increment(ref resumed) == (int)at && kind == "token")
            {
                Strike("at suspension " + (int)at);
            }
        }

        /// <summary>A thread leaves a flow: it waits, or has ended.</summary>
        private void Leave()
        {
            lock (gate)
            {
                blocked = Math.Max(blocked, Kept());
            }
            // Only now: where nothing is active, the figures are read.
            Interlocked.Decrement(ref active);
            var call = task;
            if (over || (call != null && call.IsCompleted))
            {
                return;
            }
            if (Interlocked.Increment(ref suspended) == (int)at && kind == "token")
            {
                Strike("at suspension " + (int)at);
            }
        }

        private Timer Later()
        {
            return new Timer(_ => Strike("after " + at.ToString(CultureInfo.InvariantCulture) + " s"), null, (int)(at * 1000), Timeout.Infinite);
        }

        /// <summary>Cancel the token, unless it is cancelled or the call has ended.</summary>
        private void Strike(string where)
        {
            lock (gate)
            {
                if (struck != 0 || over)
                {
                    return;
                }
                struck = Stopwatch.GetTimestamp();
                place = where;
            }
            // On another thread, because a callback of the tool may run the rest of the call.
            var thread = new Thread(Cancel) { IsBackground = true };
            using (ExecutionContext.IsFlowSuppressed() ? (IDisposable)null : ExecutionContext.SuppressFlow())
            {
                thread.Start();
            }
            // On a busy machine the thread may start late; the call must not go on before its token is cancelled.
            SpinWait.SpinUntil(() => source.IsCancellationRequested, Late);
            thread.Join(Patience);
        }

        private void Cancel()
        {
            try
            {
                source.Cancel();
            }
            catch (AggregateException)
            {
                // An exception of the tool's callbacks.
            }
        }

        /// <summary>Wait for background work, so that work that is about to end can do so.</summary>
        private async Task Settle()
        {
            if (suspended == 0 && Volatile.Read(ref active) == 0)
            {
                return;
            }
            var until = ended + (long)(grace * Stopwatch.Frequency);
            bool goesOn;
            do
            {
                var before = Volatile.Read(ref resumed);
                await Task.Delay(Look).ConfigureAwait(false);
                goesOn = Volatile.Read(ref active) > 0 || Volatile.Read(ref resumed) != before;
            }
            while (goesOn && Stopwatch.GetTimestamp() < until);
            leftRunning = goesOn;
        }
    }
}
