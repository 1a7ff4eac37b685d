// The admin logger for a tool. It accepts any arguments, never throws, and records a LogRecord for each call. It binds by
// the names of methods, so it works with a tool's own IAdminLogger.

using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    internal sealed class Recorder
    {
        private const int MostLogs = 1000;
        private const int MostPairs = 100;

        private readonly Action<Members> record;
        private int count;

        public Recorder(Action<Members> record)
        {
            this.record = record;
        }

        /// <summary>The behaviour of the logger's methods (`Use`).</summary>
        public object Use(MethodInfo method, object[] given)
        {
            switch (method.Name)
            {
                case "AddException":
                    Exception(given);
                    break;
                case "AddError":
                    Write("add_error", Text(given, 0), Text(given, 1), "", "", given, 2);
                    break;
                case "AddCustomEvent":
                    Write("add_custom_event", Text(given, 1), Text(given, 2), Text(given, 0).ToLowerInvariant(), "", given, 3);
                    break;
                case "Trace":
                    Write("trace", "", Text(given, 0), "", "", given, 1);
                    break;
            }
            return Nothing(method.ReturnType);
        }

        /// <summary>The return value of a method without a result.</summary>
        public static object Nothing(Type type)
        {
            if (type == typeof(Task))
            {
                return Task.CompletedTask;
            }
            return type.IsValueType && type != typeof(void) ? Activator.CreateInstance(type) : null;
        }

        private void Exception(object[] given)
        {
            var error = given.Length > 1 ? given[1] as Exception : null;
            Fatal.Look(error);
            Missing.Logged(error);
            var message = error == null ? Text(given, 1) : ErrorText.Cut(ErrorText.MessageOf(error), ErrorText.LongestLog);
            Write("add_exception", Text(given, 0), message, "", error == null ? "null" : error.GetType().Name, given, 2);
        }

        private static string Text(object[] given, int place)
        {
            return place < given.Length && given[place] != null ? ErrorText.SafeString(given[place], ErrorText.LongestLog) : "";
        }

        private void Write(string method, string tag, string message, string level, string exception, object[] given, int place)
        {
            if (Interlocked.Increment(ref count) > MostLogs)
            {
                return;
            }
            var rest = place < given.Length ? given[place] : new KeyValuePair<string, string>[0];
            var pairs = rest as KeyValuePair<string, string>[];
            var kept = new List<string[]>();
            foreach (var pair in pairs ?? new KeyValuePair<string, string>[0])
            {
                if (kept.Count < MostPairs)
                {
                    kept.Add(new[] { ErrorText.Cut(pair.Key ?? "", ErrorText.LongestLog), ErrorText.Cut(pair.Value ?? "", ErrorText.LongestLog) });
                }
            }
            var what = rest == null ? "null" : "a " + rest.GetType().Name;
            // The compiler has checked the call, and a tool's own logger may take something else after a message.
            var isFault = pairs == null && method == "add_custom_event";
            record(new Members
            {
                { "method", method },
                { "tag", tag },
                { "message", message },
                { "level", level },
                { "exception_type", exception },
                { "pairs", kept },
                { "pairs_fault", isFault ? what + " was given, not an array of pairs of strings" : null },
            });
        }
    }
}
