// The disturbance `fault`: it makes one use of an injected service fail once. `service:N:KIND` is the N-th use within the call. With
// `lasting-` before the kind each later use of the same thing fails too, until the call ends.
//
// A use is a call of a method of the service's interface, or a read of a property; where it returns a task, the end of the task.
// A service for a parameter of a class type cannot be watched, and neither can calls into libraries (`library`, `parser`):
// they have no uses, so the fault is never reached.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    /// <summary>An exception of a type unknown to every tool.</summary>
    internal sealed class UnforeseenException : Exception
    {
        public UnforeseenException(string message)
            : base(message)
        {
        }
    }

    /// <summary>An exception whose text cannot be read.</summary>
    internal sealed class UnprintableException : Exception
    {
        public override string Message
        {
            get { throw new InvalidOperationException(Failing.Canary + ": this cannot be shown"); }
        }

        public override string ToString()
        {
            return Message;
        }
    }

    internal sealed class Failing : Disturbance
    {
        /// <summary>`canaries.DEPENDENCY_MARK`.</summary>
        public const string Canary = "cnry5e1f00d5ba5eba11";

        private const string Lasting = "lasting-";

        private const int Patience = 1000; // milliseconds that a call may take after its token is cancelled

        private static readonly Dictionary<string, Func<Exception>> Exceptions = new Dictionary<string, Func<Exception>>
        {
            { "unknown", () => new UnforeseenException("cannot log in to db-7.internal as admin with " + Canary) },
            { "key_error", () => new KeyNotFoundException("the given key '" + Canary + "' was not present") },
            { "os_error", () => new IOException("Input/output error: /srv/" + Canary + "/data.db") },
            { "timeout", () => new TimeoutException("no answer from " + Canary + ".internal") },
            { "exception_group", () => new AggregateException(Canary + ": 2 of 2 failed", new UnforeseenException(Canary), new IOException(Canary)) },
            { "unprintable", () => new UnprintableException() },
        };

        private readonly string area;
        private readonly int number;
        private readonly string kind;
        private readonly bool lasts;
        private readonly CancellationTokenSource source;
        private readonly TaskCompletionSource<bool> hung = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly object gate = new object();
        private bool armed;
        private int count;
        private string target;
        private string injected = "";
        private bool retried;
        private bool givenUp;
        private double after;

        public Failing(string what, CancellationTokenSource source)
        {
            var parts = what.Split(':');
            if (parts.Length < 3 || !int.TryParse(parts[1], out number) || number < 1)
            {
                throw new FormatException("'" + what + "' is not a fault: use AREA:N:KIND");
            }
            area = parts[0];
            lasts = parts[2].StartsWith(Lasting, StringComparison.Ordinal);
            kind = lasts ? parts[2].Substring(Lasting.Length) : parts[2];
            this.source = source;
        }

        public override object WrapService(ParameterInfo parameter, object service)
        {
            if (area != "service" || !parameter.ParameterType.IsInterface || service == null)
            {
                return service;
            }
            return StandIn.For(parameter.ParameterType, (method, arguments) => Use(parameter.Name, service, method, arguments));
        }

        public override async Task<Given> Run(Func<object> start)
        {
            armed = true;
            var call = Finished(start());
            await Task.WhenAny(call, hung.Task).ConfigureAwait(false);
            if (!call.IsCompleted)
            {
                var since = DateTime.UtcNow;
                var cancelling = Task.Run(() => source.Cancel());
                await Task.WhenAny(call, Task.Delay(Patience)).ConfigureAwait(false);
                await Task.WhenAny(cancelling, Task.Delay(Patience)).ConfigureAwait(false);
                after = (DateTime.UtcNow - since).TotalSeconds;
                givenUp = !call.IsCompleted;
                if (givenUp)
                {
                    throw new OperationCanceledException("the call was given up on");
                }
            }
            return await call.ConfigureAwait(false);
        }

        public override Members Seen()
        {
            return new Members
            {
                { "reached", target != null },
                { "place", target ?? "" },
                { "injected", injected },
                { "after", after },
                { "retried", retried },
                { "given_up", givenUp },
            };
        }

        private object Use(string name, object service, MethodInfo method, object[] arguments)
        {
            var spoken = name + "." + (method.IsSpecialName ? method.Name.Substring(method.Name.IndexOf('_') + 1) : method.Name + "()");
            if (!Comes(spoken))
            {
                return ToolFactory.Unwrapped(() => method.Invoke(service, arguments));
            }
            var type = method.ReturnType;
            var isTask = typeof(Task).IsAssignableFrom(type);
            Func<Exception> make;
            if (Exceptions.TryGetValue(kind, out make))
            {
                injected = kind;
                if (!isTask)
                {
                    throw make();
                }
                return Pending(type, source => source.SetException(make()), () => Faulted(make()));
            }
            if (kind == "never_answers" && isTask)
            {
                injected = kind;
                hung.TrySetResult(true);
                // A service ends its wait where it is given the token of the call.
                var token = arguments.OfType<CancellationToken>().FirstOrDefault();
                return Pending(type, ending => token.Register(ending.SetCanceled), () => Cancelled(token));
            }
            var inner = isTask && type.IsGenericType ? type.GetGenericArguments()[0] : type;
            if (kind == "gives_none" && !inner.IsValueType && inner != typeof(Task))
            {
                injected = kind;
                return isTask ? Pending(type, source => source.SetDefault(), () => Task.CompletedTask) : null;
            }
            return ToolFactory.Unwrapped(() => method.Invoke(service, arguments)); // its type allows no other value
        }

        private bool Comes(string spoken)
        {
            lock (gate)
            {
                if (!armed)
                {
                    return false;
                }
                if (target != null)
                {
                    retried = retried || spoken == target;
                    return lasts && spoken == target;
                }
                if (++count != number)
                {
                    return false;
                }
                target = spoken;
                return true;
            }
        }

        /// <summary>A task of the type that a method returns, ended by `end`; `plain` creates one without a result.</summary>
        private static object Pending(Type type, Action<IEnding> end, Func<Task> plain)
        {
            if (!type.IsGenericType)
            {
                return plain();
            }
            var ending = (IEnding)Activator.CreateInstance(typeof(Ending<>).MakeGenericType(type.GetGenericArguments()));
            end(ending);
            return ending.Task;
        }

        private static Task Cancelled(CancellationToken token)
        {
            var source = new TaskCompletionSource<bool>();
            token.Register(() => source.TrySetCanceled());
            return source.Task;
        }

        private static Task Faulted(Exception error)
        {
            var source = new TaskCompletionSource<bool>();
            source.SetException(error);
            return source.Task;
        }

        private interface IEnding
        {
            Task Task { get; }

            void SetException(Exception error);

            void SetDefault();

            void SetCanceled();
        }

        private sealed class Ending<T> : IEnding
        {
            private readonly TaskCompletionSource<T> source = new TaskCompletionSource<T>();

            public Task Task
            {
                get { return source.Task; }
            }

            public void SetException(Exception error)
            {
                source.SetException(error);
            }

            public void SetDefault()
            {
                source.SetResult(default(T));
            }

            public void SetCanceled()
            {
                source.TrySetCanceled();
            }
        }
    }
}
