// One call of a tool, from its arguments to the record of its result.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    /// <summary>The result of a call, and whether it was awaited.</summary>
    internal struct Given
    {
        public Given(object value, bool awaited)
        {
            Value = value;
            Awaited = awaited;
        }

        public object Value { get; }

        public bool Awaited { get; }
    }

    /// <summary>A disturbance of a call. The base class does nothing.</summary>
    internal class Disturbance
    {
        /// <summary>An injected service as the tool gets it.</summary>
        public virtual object WrapService(ParameterInfo parameter, object service)
        {
            return service;
        }

        /// <summary>Start the call and wait for its end.</summary>
        /// <exception cref="Exception">Any exception of the call.</exception>
        public virtual Task<Given> Run(Func<object> start)
        {
            return Finished(start());
        }

        /// <summary>The members of the observation `Disturbed`.</summary>
        public virtual Members Seen()
        {
            return null;
        }

        /// <summary>The result of a call that was started, after its end.</summary>
        protected static async Task<Given> Finished(object started)
        {
            var task = started as Task;
            if (task == null)
            {
                return new Given(started, false);
            }
            await task.ConfigureAwait(false);
            var result = task.GetType().IsGenericType ? task.GetType().GetProperty("Result") : null;
            return new Given(result == null ? null : result.GetValue(task, null), true);
        }
    }

    internal static class Calls
    {
        private const int MostErrors = 100;

        /// <summary>Make one call with a new instance. Whatever the tool does, the result is the members of a `Call`.</summary>
        public static async Task<Members> Execute(
            ToolFactory tool, string arguments, Members context, CancellationTokenSource source, Recorder recorder, Disturbance disturbance)
        {
            if (tool.Fault != null)
            {
                return new Members { { "outcome", "not_constructed" }, { "incident", tool.Fault } };
            }
            var missing = Missing.Count;
            object instance;
            try
            {
                instance = tool.Create(recorder, disturbance.WrapService);
            }
            catch (Exception error)
            {
                Missing.Blame(error, missing);
                var incident = "making an instance threw " + ErrorText.Format(error);
                return new Members { { "outcome", "not_constructed" }, { "incident", incident }, { "raised", ErrorText.Record(error) } };
            }
            var answer = new Members();
            try
            {
                var start = tool.Execution.Call(tool.Type, instance, arguments, context, source.Token);
                var given = await disturbance.Run(start).ConfigureAwait(false);
                var result = Read(given.Value);
                if (!true.Equals(result.Get("successful")))
                {
                    Missing.Blame(null, missing);
                }
                result["awaited"] = given.Awaited;
                answer["outcome"] = "returned";
                answer["result"] = result;
            }
            catch (Exception error)
            {
                Missing.Blame(error, missing);
                answer["outcome"] = "raised";
                answer["raised"] = ErrorText.Record(error);
            }
            answer["token_consultations"] = tool.ReadsToken ? 1 : 0;
            answer["disturbed"] = disturbance.Seen();
            return answer;
        }

        /// <summary>The record of a call's result (`Result`).</summary>
        private static Members Read(object given)
        {
            var type = given == null ? null : given.GetType();
            var isResult = type != null && type.IsGenericType && type.Name == "InvokeResult`1";
            var result = new Members { { "type_name", Name(given) }, { "is_invoke_result", isResult } };
            if (!isResult)
            {
                return result;
            }
            var payload = Value(given, "Result");
            var errors = Value(given, "Errors") as IEnumerable;
            result["successful"] = Value(given, "Successful") as bool? ?? (object)null;
            result["payload"] = Sendable(payload as string);
            result["payload_type"] = Name(payload);
            result["error_message"] = Text(Value(given, "ErrorMessage"));
            result["errors"] = errors == null ? new List<Members>() : errors.Cast<object>().Take(MostErrors).Select(Error).ToList();
            if (false.Equals(result["successful"]))
            {
                result["texts"] = Texts.Of(given);
            }
            return result;
        }

        /// <summary>A payload as it leaves a process of .NET, in UTF-8: a lone surrogate becomes U+FFFD.</summary>
        private static string Sendable(string payload)
        {
            return payload == null ? null : Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(payload));
        }

        private static Members Error(object error)
        {
            return new Members
            {
                { "message", error is string ? Text(error) : Text(Value(error, "Message")) },
                { "code", Text(Value(error, "ErrorCode") ?? Value(error, "Code")) },
                { "details", Text(Value(error, "Details")) },
            };
        }

        private static string Name(object value)
        {
            return value == null ? "NoneType" : value is string ? "str" : value.GetType().Name.Split('`')[0];
        }

        private static string Text(object value)
        {
            return value == null ? null : ErrorText.SafeString(value);
        }

        private static object Value(object holder, string name)
        {
            try
            {
                var property = holder == null ? null : holder.GetType().GetProperty(name);
                return property == null ? null : property.GetValue(holder, null);
            }
            catch (TargetInvocationException)
            {
                return null; // a property that throws has no value
            }
        }
    }
}
