// Reads a tool's declaration by reflection: the members of a `Declaration`, by the names of the Python contract, which the
// rules use.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    internal static class Declaring
    {
        private const BindingFlags Own = BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.FlattenHierarchy;
        private const int Rounds = 20;

        public static Members Describe(ToolFactory tool, string module, string when)
        {
            var type = tool.Type;
            object instance = null;
            var fault = tool.Fault;
            if (fault == null)
            {
                try
                {
                    instance = tool.Create(new Recorder(_ => { }), (_, service) => service);
                }
                catch (Exception error)
                {
                    Missing.Blame(error);
                    fault = ErrorText.Format(error);
                }
            }
            var readings = when == "threads" ? ReadAtOnce(type) : new[] { ReadSchema(type), ReadSchema(type) };
            return new Members
            {
                { "class_name", type.Name },
                { "module", module },
                { "when", when },
                { "system", "aptix" },
                { "tool_name", Constant(type, "ToolName", "TOOL_NAME") },
                { "usage_text", Constant(type, "ToolUsageMetadata", "TOOL_USAGE_METADATA") },
                { "get_schema", Method(type, "GetSchema", "get_schema", GetSchema(type), null) },
                { "schema", readings[0] },
                { "schema_again", readings[1] },
                { "name", Property(type, instance, "Name", "name", fault) },
                { "is_tool_fully_executed_on_server", Property(type, instance, "IsToolFullyExecutedOnServer", "is_tool_fully_executed_on_server", fault) },
                { "execute", Method(type, "ExecuteAsync", "execute", tool.Execution.Method, tool.Execution.Declared) },
                { "constructor", tool.Parameters.Select(Parameter).ToList() },
                { "construction_error", fault },
                { "missing_services", tool.Missing },
                { "arguments_classes", ArgumentsClasses(type) },
                { "bases", Bases(type) },
                { "source", Loading.NameOf(type) },
            };
        }

        private static Members Constant(Type type, string own, string name)
        {
            var found = Nearest(type, own);
            var field = found as FieldInfo;
            var kind = "missing";
            object value = null;
            if (field != null && field.IsLiteral)
            {
                kind = "plain";
                value = field.GetRawConstantValue();
            }
            else if (field != null)
            {
                kind = field.IsStatic ? "static" : "instance";
            }
            else if (found is PropertyInfo)
            {
                kind = "property";
            }
            var holder = field == null || field.DeclaringType == type ? null : field.DeclaringType.Name;
            return new Members
            {
                { "name", name },
                { "kind", kind },
                { "value", value as string },
                { "type_name", field == null ? "" : Spoken(field.FieldType) },
                { "inherited_from", holder },
            };
        }

        /// <summary>The public field or property of a name that hides all others; null for none.</summary>
        private static MemberInfo Nearest(Type type, string name)
        {
            const BindingFlags Here = BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;
            for (var each = type; each != null; each = each.BaseType)
            {
                var found = (MemberInfo)each.GetField(name, Here) ?? each.GetProperty(name, Here);
                if (found != null)
                {
                    return found;
                }
            }
            return null;
        }

        private static Members Method(Type type, string own, string name, MethodInfo method, List<ParameterInfo> declared)
        {
            var kind = method == null ? "missing" : method.IsStatic ? "static_method" : "method";
            if (method == null && type.GetMember(own, Own).Length > 0)
            {
                kind = type.GetProperty(own, Own) != null ? "property" : "attribute";
            }
            var isTask = method != null && typeof(Task).IsAssignableFrom(method.ReturnType);
            var parameters = method == null ? new List<Members>() : (declared ?? method.GetParameters().ToList()).Select(Parameter).ToList();
            return Member(name, kind, isTask, parameters);
        }

        private static Members Property(Type type, object instance, string own, string name, string fault)
        {
            var property = type.GetProperty(own, Own)
                ?? type.GetInterfaces().Select(each => each.GetProperty(own)).FirstOrDefault(each => each != null);
            var field = property == null ? type.GetField(own, Own) : null;
            var kind = property != null ? "property" : field != null ? "attribute" : "missing";
            if (property == null && field == null && type.GetMethod(own, Own) != null)
            {
                kind = "method";
            }
            var member = Member(name, kind, false, new List<Members>());
            if (fault != null || kind == "missing" || kind == "method")
            {
                member["error"] = fault == null ? null : "no instance could be made: " + fault;
                return member;
            }
            try
            {
                var value = ToolFactory.Unwrapped(() => property != null ? property.GetValue(instance, null) : field.GetValue(instance));
                member["value"] = value is string ? ErrorText.Cut((string)value) : value is bool || value is int ? value : null;
                member["value_type"] = value == null ? "NoneType" : Spoken(value.GetType());
            }
            catch (Exception error)
            {
                Missing.Blame(error);
                member["error"] = ErrorText.Format(error);
            }
            return member;
        }

        private static Members Member(string name, string kind, bool isAsync, List<Members> parameters)
        {
            return new Members
            {
                { "name", name },
                { "kind", kind },
                { "is_async", isAsync },
                { "parameters", parameters },
                { "value", null },
                { "value_type", "" },
                { "error", null },
            };
        }

        private static Members Parameter(ParameterInfo parameter)
        {
            return new Members
            {
                { "name", Snake(parameter.Name) },
                { "kind", "positional" },
                { "required", !parameter.IsOptional },
                { "annotation", Spoken(parameter.ParameterType) },
            };
        }

        /// <summary>`argumentsJson` as `arguments_json`.</summary>
        private static string Snake(string name)
        {
            var text = new StringBuilder();
            foreach (var letter in name)
            {
                text.Append(char.IsUpper(letter) ? "_" + char.ToLowerInvariant(letter) : letter.ToString());
            }
            return text.ToString().TrimStart('_');
        }

        /// <summary>The name of a type; a type that Python has too gets its Python name.</summary>
        private static string Spoken(Type type)
        {
            return type == typeof(string) ? "str" : type == typeof(bool) ? "bool" : type == typeof(int) ? "int" : type.Name;
        }

        private static List<string> Bases(Type type)
        {
            var found = new List<string>();
            for (var each = type.BaseType; each != null && each != typeof(object); each = each.BaseType)
            {
                found.Add(each.Name);
            }
            found.AddRange(type.GetInterfaces().Select(each => each.Name));
            return found;
        }

        private static List<Members> ArgumentsClasses(Type type)
        {
            var found = new SortedDictionary<string, Members>(StringComparer.Ordinal);
            foreach (var each in Code.TypesUsedBy(type).Where(IsArgumentsClass))
            {
                found[each.Name] = new Members { { "name", each.Name }, { "public", each.IsPublic || each.IsNestedPublic } };
            }
            return found.Values.ToList();
        }

        private static bool IsArgumentsClass(Type type)
        {
            var name = type.Name;
            var named = name.EndsWith("Args", StringComparison.Ordinal) || name.EndsWith("Arguments", StringComparison.Ordinal);
            return named && !typeof(Exception).IsAssignableFrom(type) && !typeof(EventArgs).IsAssignableFrom(type);
        }

        /// <summary>The method GetSchema that can be called; null where there is none.</summary>
        private static MethodInfo GetSchema(Type type)
        {
            return Execution.Named(type, "GetSchema")
                .OrderBy(each => each.IsStatic ? 0 : 1)
                .ThenBy(each => each.GetParameters().Count(parameter => !parameter.IsOptional))
                .FirstOrDefault();
        }

        private static Members ReadSchema(Type type)
        {
            var method = GetSchema(type);
            if (method == null)
            {
                return Reading("not_callable", null, "there is no public GetSchema");
            }
            if (!method.IsStatic)
            {
                return Reading("not_callable", null, "GetSchema is not static");
            }
            var needed = method.GetParameters().Where(each => !each.IsOptional).Select(each => each.Name).ToList();
            if (needed.Count > 0)
            {
                return Reading("not_callable", null, "GetSchema needs " + string.Join(", ", needed));
            }
            object schema;
            try
            {
                var defaults = method.GetParameters().Select(each => each.DefaultValue).ToArray();
                schema = ToolFactory.Unwrapped(() => method.Invoke(null, defaults));
            }
            catch (Exception error)
            {
                Missing.Blame(error);
                return Reading("raised", null, ErrorText.Format(error));
            }
            if (schema is Task)
            {
                return Reading("not_callable", null, "GetSchema is async");
            }
            try
            {
                return Reading("returned", JsonNet.Serialise(type, schema), null);
            }
            catch (Exception error)
            {
                Missing.Blame(error);
                return Reading("not_json", null, ErrorText.Format(error));
            }
        }

        /// <summary>Two readings by two threads that start together, repeated several times. The first pair that differs from
        /// a single reading, else the last.</summary>
        private static Members[] ReadAtOnce(Type type)
        {
            var alone = Same(ReadSchema(type));
            var pair = new Members[2];
            for (var round = 0; round < Rounds; round++)
            {
                using (var start = new Barrier(2))
                {
                    var other = new Thread(() =>
                    {
                        start.SignalAndWait();
                        pair[1] = ReadSchema(type);
                    });
                    other.Start();
                    start.SignalAndWait();
                    pair[0] = ReadSchema(type);
                    other.Join();
                }
                if (Same(pair[0]) != alone || Same(pair[1]) != alone)
                {
                    break;
                }
            }
            return pair;
        }

        private static string Same(Members reading)
        {
            return reading.Text("outcome") + reading.Text("text") + reading.Text("error");
        }

        private static Members Reading(string outcome, string text, string error)
        {
            return new Members { { "outcome", outcome }, { "text", text }, { "error", error } };
        }
    }

    /// <summary>The Json.NET that the tool's assembly refers to, bound by name, because it may have any version.</summary>
    internal static class JsonNet
    {
        /// <exception cref="Exception">Any exception of the serialiser.</exception>
        public static string Serialise(Type tool, object value)
        {
            var named = tool.Assembly.GetReferencedAssemblies().FirstOrDefault(each => each.Name == "Newtonsoft.Json");
            var assembly = named != null ? Assembly.Load(named) : Assembly.Load("Newtonsoft.Json, Version=6.0.0.0, Culture=neutral, PublicKeyToken=b9a188c8922137c6");
            var serialise = assembly.GetType("Newtonsoft.Json.JsonConvert").GetMethod("SerializeObject", new[] { typeof(object) });
            return (string)ToolFactory.Unwrapped(() => serialise.Invoke(null, new[] { value }));
        }
    }
}
