// From a compiled assembly to a tool: which of its classes are tools, and how to create instances.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Aptix.Conformance.Host
{
    /// <summary>The tool cannot be loaded. The message is a sentence for its author that says why.</summary>
    internal sealed class TargetFault : Exception
    {
        public TargetFault(string message)
            : base(message)
        {
        }
    }

    internal static class Loading
    {
        private const BindingFlags Everywhere =
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.FlattenHierarchy;

        private static readonly string[] Marks = { "ToolName", "ToolUsageMetadata", "GetSchema", "IsToolFullyExecutedOnServer" };

        /// <summary>Load an assembly. Its references are searched beside it, also its own Json.NET, and then among those that the
        /// options name.</summary>
        /// <exception cref="TargetFault">The file is not an assembly, or cannot be loaded.</exception>
        public static Assembly Load(string path, Options options)
        {
            var folder = Path.GetDirectoryName(Path.GetFullPath(path));
            AppDomain.CurrentDomain.AssemblyResolve += (_, wanted) =>
            {
                var file = new AssemblyName(wanted.Name).Name + ".dll";
                var beside = Path.Combine(folder, file);
                var found = File.Exists(beside) ? beside : options.References.FirstOrDefault(each => Path.GetFileName(each) == file);
                if (found == null)
                {
                    Missing.NotFound(wanted.Name);
                    return null;
                }
                return Assembly.LoadFrom(found);
            };
            try
            {
                return Assembly.LoadFrom(path);
            }
            catch (Exception error) when (error is IOException || error is BadImageFormatException)
            {
                throw new TargetFault(path + " cannot be loaded: " + ErrorText.Format(error));
            }
        }

        /// <summary>The answer to `tools/list`: the tools of an assembly, and the classes that look like tools but are not.</summary>
        public static Members List(Assembly assembly)
        {
            var tools = new List<string>();
            var passedOver = new List<string>();
            foreach (var type in TypesOf(assembly).Where(LooksLikeTool))
            {
                var reason = type.IsAbstract ? "is abstract" : IsReachable(type) ? null : "is not public";
                if (reason == null)
                {
                    tools.Add(NameOf(type));
                }
                else
                {
                    passedOver.Add(NameOf(type) + " " + reason);
                }
            }
            tools.Sort(string.CompareOrdinal);
            return new Members { { "tools", tools }, { "passed_over", passedOver } };
        }

        /// <summary>The class of a tool by its full name.</summary>
        /// <exception cref="TargetFault">The class is missing, or is not a tool.</exception>
        public static Type Find(Assembly assembly, string name)
        {
            var types = TypesOf(assembly);
            var found = types.FirstOrDefault(type => NameOf(type) == name)
                ?? types.Where(type => type.Name == name).OrderByDescending(LooksLikeTool).FirstOrDefault();
            var tools = string.Join(", ", types.Where(LooksLikeTool).Select(NameOf).OrderBy(each => each));
            var hint = tools == "" ? "; it defines no tool" : "; its tools are " + tools;
            var where = assembly.GetName().Name;
            if (found == null)
            {
                throw new TargetFault(where + " has no class " + name + hint);
            }
            if (!LooksLikeTool(found))
            {
                throw new TargetFault(name + " of " + where + " is no tool: it has neither ExecuteAsync nor ToolName" + hint);
            }
            if (found.IsAbstract || found.ContainsGenericParameters)
            {
                throw new TargetFault(name + " of " + where + " cannot be made: it is abstract or generic" + hint);
            }
            return found;
        }

        /// <summary>A class's name with its namespace and its outer classes, separated by dots.</summary>
        public static string NameOf(Type type)
        {
            return (type.FullName ?? type.Name).Replace('+', '.');
        }

        /// <summary>A class of one of some assemblies by its full name, null where there is none.</summary>
        public static Type TypeNamed(Assembly[] assemblies, string name)
        {
            return assemblies.Select(each => each.GetType(name)).FirstOrDefault(each => each != null)
                ?? assemblies.SelectMany(TypesOf).FirstOrDefault(each => NameOf(each) == name);
        }

        private static List<Type> TypesOf(Assembly assembly)
        {
            try
            {
                return assembly.GetTypes().ToList();
            }
            catch (ReflectionTypeLoadException error)
            {
                // Other classes of the assembly may need what a tool does not.
                var read = error.Types.Where(each => each != null).ToList();
                if (read.Any(LooksLikeTool))
                {
                    return read;
                }
                var reason = error.LoaderExceptions.FirstOrDefault(each => each != null) ?? error;
                throw new TargetFault(
                    assembly.GetName().Name + " cannot be read: " + ErrorText.Format(reason) + "; name the assemblies that it needs by `references`");
            }
        }

        private static bool LooksLikeTool(Type type)
        {
            if (!type.IsClass || type.Name.StartsWith("<", StringComparison.Ordinal))
            {
                return false;
            }
            HashSet<string> names;
            try
            {
                names = new HashSet<string>(type.GetMembers(Everywhere).Select(member => member.Name.Split('.').Last()));
            }
            catch (Exception error) when (error is IOException || error is TypeLoadException)
            {
                return false; // a class that needs an assembly that is not there
            }
            return names.Contains("ToolName") || (names.Contains("ExecuteAsync") && Marks.Any(names.Contains));
        }

        private static bool IsReachable(Type type)
        {
            return type.IsVisible || (!type.IsNested && type.IsNotPublic);
        }
    }

    /// <summary>Creates instances of a tool by its constructor with the most parameters, with a logger and services.</summary>
    internal sealed class ToolFactory
    {
        private readonly ConstructorInfo constructor;
        private readonly Lazy<bool> readsToken;
        private readonly Dictionary<string, Func<object>> services = new Dictionary<string, Func<object>>();

        /// <summary>Its factories are searched in `assemblies`.</summary>
        /// <exception cref="TargetFault">A service has no parameter, or its factory is missing or throws.</exception>
        public ToolFactory(Type type, Assembly[] assemblies, Members wanted, Execution execution)
        {
            Type = type;
            Execution = execution;
            readsToken = new Lazy<bool>(() => Code.ReadsToken(type, execution));
            constructor = type.GetConstructors().OrderByDescending(each => each.GetParameters().Length).FirstOrDefault();
            Parameters = constructor == null ? new ParameterInfo[0] : constructor.GetParameters();
            foreach (var service in wanted)
            {
                var parameter = Parameters.FirstOrDefault(each => each.Name == service.Key);
                var where = Loading.NameOf(type) + ": the service for '" + service.Key + "'";
                if (parameter == null)
                {
                    var known = string.Join(", ", Parameters.Select(each => each.Name));
                    throw new TargetFault(where + " has no parameter to go to: the constructor takes " + (known == "" ? "nothing" : known));
                }
                services[service.Key] = Factory(assemblies, service.Value as string ?? "", where, parameter.ParameterType);
            }
        }

        public Type Type { get; }

        /// <summary>The method that calls call.</summary>
        public Execution Execution { get; }

        public ParameterInfo[] Parameters { get; }

        /// <summary>Whether its code reads the cancellation token (`Code.ReadsToken`).</summary>
        public bool ReadsToken
        {
            get { return readsToken.Value; }
        }

        /// <summary>The factory of a sentinel.</summary>
        public static ToolFactory OfSentinel(Type type)
        {
            return new ToolFactory(type, new Assembly[0], new Members(), new Execution(type, new Assembly[0], new Options(new string[0])));
        }

        /// <summary>Parameters for which there is neither a service nor a default.</summary>
        public List<string> Missing
        {
            get
            {
                return Parameters
                    .Where(each => !WantsLogger(each) && !each.IsOptional && !services.ContainsKey(each.Name))
                    .Select(each => each.Name)
                    .ToList();
            }
        }

        /// <summary>Why no instance can be created, if that is known in advance; else null.</summary>
        public string Fault
        {
            get
            {
                if (constructor == null)
                {
                    return "it has no public constructor";
                }
                var names = string.Join(", ", Missing.Select(name => "'" + name + "'"));
                return names == "" ? null : "no service is configured for the constructor parameter " + names;
            }
        }

        /// <summary>Whether a parameter is for the admin logger: by its name, or by that of its type.</summary>
        public static bool WantsLogger(ParameterInfo parameter)
        {
            return parameter.Name.EndsWith("ogger", StringComparison.Ordinal)
                || parameter.ParameterType.Name.EndsWith("Logger", StringComparison.Ordinal);
        }

        /// <summary>A new instance, with new services, each wrapped by `wrapService`.</summary>
        /// <exception cref="Exception">Any exception of the constructor or a factory.</exception>
        public object Create(Recorder recorder, Func<ParameterInfo, object, object> wrapService)
        {
            var given = new object[Parameters.Length];
            for (var place = 0; place < given.Length; place++)
            {
                var parameter = Parameters[place];
                Func<object> factory;
                if (WantsLogger(parameter) && parameter.ParameterType.IsInterface)
                {
                    given[place] = StandIn.For(parameter.ParameterType, recorder.Use);
                }
                else if (services.TryGetValue(parameter.Name, out factory))
                {
                    given[place] = wrapService(parameter, factory());
                }
                else
                {
                    given[place] = parameter.IsOptional ? parameter.DefaultValue : null;
                }
            }
            return Unwrapped(() => constructor.Invoke(given));
        }

        /// <summary>The result of a call by reflection; it throws the original exception.</summary>
        public static object Unwrapped(Func<object> call)
        {
            try
            {
                return call();
            }
            catch (TargetInvocationException error) when (error.InnerException != null)
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(error.InnerException).Throw();
                throw;
            }
        }

        /// <summary>A static method without parameters, as `Namespace.Class:Method`, or a class of which to create an instance.</summary>
        private static Func<object> Factory(Assembly[] assemblies, string spec, string where, Type wanted)
        {
            var parts = spec.Split(':');
            var type = Loading.TypeNamed(assemblies, parts[0]);
            var method = type == null || parts.Length < 2
                ? null
                : type.GetMethod(parts[1], BindingFlags.Public | BindingFlags.Static, null, Type.EmptyTypes, null);
            if (type == null || (parts.Length > 1 && method == null))
            {
                throw new TargetFault(where + ": there is no factory '" + spec + "'; write Namespace.Class:Method, a public static method without parameters");
            }
            Func<object> factory = () => Unwrapped(() => method == null ? Activator.CreateInstance(type) : method.Invoke(null, null));
            object made;
            try
            {
                made = factory();
            }
            catch (Exception error)
            {
                throw new TargetFault(where + ": the factory '" + spec + "' threw " + ErrorText.Format(error));
            }
            if (!wanted.IsInstanceOfType(made))
            {
                var what = made == null ? "null" : "a " + made.GetType().Name;
                throw new TargetFault(where + ": the factory '" + spec + "' gave " + what + ", where a " + wanted.Name + " is wanted");
            }
            return factory;
        }
    }
}
