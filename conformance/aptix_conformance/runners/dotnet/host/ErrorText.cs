// Texts of the tool's exceptions and objects. They may have any length, and may throw when they are read.

using System;
using System.Text;

namespace Aptix.Conformance.Host
{
    internal static class ErrorText
    {
        public const int LongestText = 65536;
        public const int LongestLog = 8192;

        /// <summary>A text cut to a length, null where it is null.</summary>
        public static string Cut(string text, int limit = LongestText)
        {
            return text == null || text.Length <= limit ? text : text.Substring(0, limit);
        }

        /// <summary>The result of ToString, or a note of its exception; null is "null".</summary>
        public static string SafeString(object value, int limit = LongestText)
        {
            try
            {
                return value == null ? "null" : Cut(value.ToString() ?? "", limit);
            }
            catch (Exception error)
            {
                return "<" + value.GetType().Name + " that throws " + error.GetType().Name + " when it is shown>";
            }
        }

        /// <summary>Type and message of an exception.</summary>
        public static string Format(Exception error)
        {
            var message = Cut(MessageOf(error), 2000);
            return message == "" ? error.GetType().Name : error.GetType().Name + ": " + message;
        }

        public static string MessageOf(Exception error)
        {
            try
            {
                return error.Message ?? "";
            }
            catch (Exception other)
            {
                return "<" + error.GetType().Name + " that throws " + other.GetType().Name + " when it is shown>";
            }
        }

        /// <summary>The inner exception of an AggregateException that has only one.</summary>
        public static Exception Inner(Exception error)
        {
            var several = error as AggregateException;
            while (several != null && several.InnerExceptions.Count == 1)
            {
                error = several.InnerExceptions[0];
                several = error as AggregateException;
            }
            return error;
        }

        /// <summary>The record of an exception that a call threw (`Raised`).</summary>
        public static Members Record(Exception thrown)
        {
            var error = Inner(thrown);
            Fatal.Look(error);
            return new Members
            {
                { "type_name", error.GetType().Name },
                { "message", Cut(MessageOf(error)) },
                { "traceback", Trace(error) },
                { "category", error is OperationCanceledException ? "cancelled" : "exception" },
            };
        }

        private static string Trace(Exception error)
        {
            var lines = new StringBuilder(error.GetType().FullName + ": " + Cut(MessageOf(error), 2000));
            foreach (var line in (error.StackTrace ?? "").Split('\n'))
            {
                if (!line.Contains("Aptix.Conformance.Host.") && !line.Contains("(wrapper "))
                {
                    lines.Append('\n').Append(line.TrimEnd());
                }
            }
            return Cut(lines.ToString());
        }
    }

    /// <summary>An exception that ends a .NET process, although Mono lets a tool catch it.</summary>
    internal static class Fatal
    {
        /// <summary>Ends the process with a message; the server sets it.</summary>
        public static Action<string> End { get; set; } = _ => { };

        /// <summary>End the process if the exception would end a .NET process.</summary>
        public static void Look(Exception error)
        {
            if (error is StackOverflowException)
            {
                End("the stack overflowed, which ends a process of .NET");
            }
        }
    }
}
