// Which method of a tool a call calls, and what it is given.
//
// A tool may have several ExecuteAsync: the contract's, and one that the application calls with a context of its own. The
// options name the one that production calls; else the one whose parameters are nearest to the contract's is taken. Where
// its context is of a type that the host cannot fill by the names of members, an adapter of the project makes it.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;
using System.Threading;

namespace Aptix.Conformance.Host
{
    internal sealed class Execution
    {
        private const BindingFlags Own = BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.FlattenHierarchy;
        private const string Standard = "ExecuteAsync";

        private static readonly Dictionary<string, string> Keywords = new Dictionary<string, string>
        {
            { "string", "String" }, { "object", "Object" }, { "bool", "Boolean" }, { "int", "Int32" }, { "long", "Int64" },
        };

        private readonly MethodInfo adapter;

        /// <exception cref="TargetFault">The method or the adapter is not there, or an adapter is needed.</exception>
        public Execution(Type type, Assembly[] assemblies, Options options)
        {
            var wanted = options.Execute ?? Standard;
            var name = wanted.Split('(')[0].Trim();
            var found = Named(type, name);
            Method = options.Execute == null
                ? found.OrderByDescending(Nearness).FirstOrDefault()
                : found.FirstOrDefault(each => !wanted.Contains("(") || Spelt(each) == Squeezed(wanted));
            if (options.Execute != null && Method == null)
            {
                var known = string.Join("; ", found.Select(Spelt).Distinct());
                throw new TargetFault(
                    Loading.NameOf(type) + " has no method " + wanted + (known == "" ? "" : "; it has " + known) + ": correct `execute` in the settings");
            }
            adapter = options.Adapter == null ? null : AdapterOf(assemblies, options.Adapter);
            var context = Parameters.FirstOrDefault(IsContext);
            if (adapter == null && context != null && context.ParameterType.IsAbstract)
            {
                throw new TargetFault(
                    Loading.NameOf(type) + ": " + Spelt(Method) + " takes a " + context.ParameterType.Name + ", which only your project can make. Name a static method "
                    + "that makes one of the contract's context: adapter = \"Namespace.Class:Method\", with its file in `sources`; or name another method by `execute`");
            }
            if (adapter != null && context != null && !context.ParameterType.IsAssignableFrom(adapter.ReturnType))
            {
                throw new TargetFault(
                    "the adapter " + options.Adapter + " returns a " + adapter.ReturnType.Name + ", and " + Spelt(Method) + " takes a " + context.ParameterType.Name);
            }
        }

        /// <summary>The method; null where the tool has none.</summary>
        public MethodInfo Method { get; }

        /// <summary>The parameters as the contract sees them: a token that the adapter puts into the context is one.</summary>
        public List<ParameterInfo> Declared
        {
            get
            {
                var declared = Parameters.ToList();
                var token = adapter == null ? null : adapter.GetParameters().FirstOrDefault(IsToken);
                return token == null || declared.Any(IsToken) ? declared : declared.Concat(new[] { token }).ToList();
            }
        }

        /// <summary>Whether the token reaches the tool in its context.</summary>
        public bool TokenIsInContext
        {
            get { return adapter != null && !Parameters.Any(IsToken); }
        }

        private ParameterInfo[] Parameters
        {
            get { return Method == null ? new ParameterInfo[0] : Method.GetParameters(); }
        }

        /// <summary>A function that makes the call.</summary>
        /// <exception cref="Exception">Any exception of the adapter.</exception>
        public Func<object> Call(Type type, object instance, string arguments, Members context, CancellationToken token)
        {
            if (Method == null)
            {
                throw new MissingMethodException(type.Name, Standard);
            }
            var given = Parameters.Select(each => Given(each, arguments, context, token)).ToArray();
            return () => ToolFactory.Unwrapped(() => Method.Invoke(instance, given));
        }

        private object Given(ParameterInfo parameter, string arguments, Members context, CancellationToken token)
        {
            if (IsToken(parameter))
            {
                return token;
            }
            if (parameter.ParameterType == typeof(string) && parameter == Parameters.First(each => each.ParameterType == typeof(string)))
            {
                return arguments;
            }
            if (parameter != Parameters.FirstOrDefault(IsContext))
            {
                return parameter.IsOptional ? Type.Missing : null;
            }
            if (adapter == null)
            {
                return Context(parameter.ParameterType, context);
            }
            var parts = adapter.GetParameters().Select(each => IsToken(each) ? (object)token : Context(each.ParameterType, context));
            return ToolFactory.Unwrapped(() => adapter.Invoke(null, parts.ToArray()));
        }

        private static bool IsToken(ParameterInfo parameter)
        {
            return parameter.ParameterType == typeof(CancellationToken);
        }

        private static bool IsContext(ParameterInfo parameter)
        {
            var type = parameter.ParameterType;
            return type != typeof(string) && !type.IsValueType && !parameter.IsOut;
        }

        /// <summary>How near a method's parameters are to the contract's: text, context, token.</summary>
        private static int Nearness(MethodInfo method)
        {
            var parameters = method.GetParameters();
            var text = parameters.Length > 0 && parameters[0].ParameterType == typeof(string) ? 4 : 0;
            var token = parameters.Any(IsToken) ? 2 : 0;
            var context = parameters.FirstOrDefault(IsContext);
            var fillable = context != null && !context.ParameterType.IsAbstract ? 1 : 0;
            return (100 * (text + token + fillable)) - Math.Abs(parameters.Length - 3);
        }

        /// <summary>The methods of a name, those of interfaces that the class implements explicitly too.</summary>
        public static List<MethodInfo> Named(Type type, string name)
        {
            var own = type.GetMethods(Own).Where(method => method.Name == name).ToList();
            var behind = type.GetInterfaces().SelectMany(each => each.GetMethods()).Where(method => method.Name == name);
            var unlike = behind.Where(method => !own.Any(each => Spelt(each) == Spelt(method)));
            return own.Concat(unlike).OrderByDescending(method => method.GetParameters().Length).ToList();
        }

        private static string Spelt(MethodInfo method)
        {
            return method.Name + "(" + string.Join(", ", method.GetParameters().Select(each => Spelt(each.ParameterType))) + ")";
        }

        private static string Spelt(Type type)
        {
            var word = Keywords.FirstOrDefault(each => each.Value == type.Name && type.Namespace == "System").Key;
            return word ?? type.Name.Split('`')[0];
        }

        private static string Squeezed(string wanted)
        {
            var parts = wanted.Split('(', ')');
            var types = parts[1].Split(',').Select(each => each.Trim()).Where(each => each != "").Select(each => each.Split('.').Last().TrimEnd('?'));
            return parts[0].Trim() + "(" + string.Join(", ", types) + ")";
        }

        private static MethodInfo AdapterOf(Assembly[] assemblies, string spec)
        {
            var parts = spec.Split(':');
            var type = Loading.TypeNamed(assemblies, parts[0]);
            var method = type == null ? null : type.GetMethods(BindingFlags.Public | BindingFlags.Static).FirstOrDefault(each => each.Name == parts.Last());
            if (method == null)
            {
                throw new TargetFault("there is no adapter '" + spec + "'; write Namespace.Class:Method, a public static method, and name its file by `sources`");
            }
            return method;
        }

        /// <summary>A context of the tool's type, with its members set by name.</summary>
        private static object Context(Type type, Members data)
        {
            if (data == null || type == typeof(string) || type.IsValueType || type.IsAbstract)
            {
                return null;
            }
            // The constructor's parameters are unknown.
            var made = type.GetConstructor(Type.EmptyTypes) == null ? FormatterServices.GetUninitializedObject(type) : Activator.CreateInstance(type);
            foreach (var member in data)
            {
                var name = member.Key.Replace("_", "");
                var property = type.GetProperties().FirstOrDefault(
                    each => each.CanWrite && string.Equals(each.Name, name, StringComparison.OrdinalIgnoreCase));
                var inner = member.Value as Members;
                var value = property != null && inner != null ? Context(property.PropertyType, inner) : member.Value;
                if (property != null && (value == null || property.PropertyType.IsInstanceOfType(value)))
                {
                    property.SetValue(made, value, null);
                }
            }
            return made;
        }
    }
}
