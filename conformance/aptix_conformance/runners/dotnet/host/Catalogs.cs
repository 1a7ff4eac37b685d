// The disturbance `catalog`: the mode catalog of agent_list_modes returns other modes, or none, or fails.
//
//     a name of a file in the folder of mode catalogs     its modes
//     many                                                10,000 modes
//     shared                                              the typical modes, always the same list, in two calls of one instance
//     changing                                            one mode for a first call of the instance, the typical ones for a second
//     returns_none, raises, hangs                         the catalog returns null, throws, or never answers; then the token is cancelled
//
// Modes have the class that the catalog's interface names, and their properties are set by name. After the call, the modes
// are compared with a snapshot.

using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

namespace Aptix.Conformance.Host
{
    internal sealed class Catalogs : Disturbance
    {
        private const int Many = 10000;
        private const int Grace = 2000; // milliseconds in which a call must ask the catalog, and then stop waiting for it
        private const int MostChanges = 20;

        private static readonly string[] Fields =
        {
            "Id", "Key", "DisplayName", "Description", "SystemPromptSummary", "IsDefault", "HumanRoleHints", "ExampleUtterances",
        };

        private readonly string what;
        private readonly string[] rounds;
        private readonly string folder;
        private readonly CancellationTokenSource source;
        private readonly CancellationTokenSource release = new CancellationTokenSource();
        private readonly List<KeyValuePair<IList, List<string>>> handed = new List<KeyValuePair<IList, List<string>>>();
        private int round;
        private string asked = "";
        private string fault;
        private IList shared;
        private readonly TaskCompletionSource<bool> waiting = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        private double after;
        private bool givenUp;

        public Catalogs(string what, CancellationTokenSource source, string folder)
        {
            this.what = what;
            this.source = source;
            this.folder = folder;
            rounds = what == "changing" ? new[] { "one_mode", "typical" } : what == "shared" ? new[] { "typical", "typical" } : new[] { what };
            if (!new[] { "many", "returns_none", "raises", "hangs" }.Contains(what) && !rounds.All(name => File.Exists(FileOf(name))))
            {
                throw new FormatException("there is no mode catalog '" + what + "'");
            }
        }

        public override object WrapService(ParameterInfo parameter, object service)
        {
            if (!parameter.ParameterType.IsInterface || service == null)
            {
                return service;
            }
            return StandIn.For(parameter.ParameterType, (method, arguments) =>
            {
                var mode = ModeOf(method.ReturnType);
                if (mode == null)
                {
                    return ToolFactory.Unwrapped(() => method.Invoke(service, arguments));
                }
                asked = parameter.Name + "." + method.Name + "()";
                return Answer(method.ReturnType, mode, arguments);
            });
        }

        public override async Task<Given> Run(Func<object> start)
        {
            if (what == "hangs")
            {
                return await Hang(start).ConfigureAwait(false);
            }
            var given = default(Given);
            for (round = 0; round < rounds.Length; round++)
            {
                given = await Finished(start()).ConfigureAwait(false);
            }
            return given;
        }

        public override Members Seen()
        {
            var changes = handed.SelectMany(each => Changes(each.Value, Snapshot(each.Key))).Take(MostChanges).ToList();
            return new Members
            {
                { "reached", asked != "" && fault == null },
                { "place", fault ?? asked },
                { "injected", what },
                { "after", after },
                { "given_up", givenUp },
                { "changed", changes },
            };
        }

        private string FileOf(string name)
        {
            return Path.Combine(folder, name + ".json");
        }

        /// <summary>The class of the modes that a method returns; null where it returns none.</summary>
        private static Type ModeOf(Type type)
        {
            var inner = type.IsGenericType && typeof(Task).IsAssignableFrom(type) ? type.GetGenericArguments()[0] : type;
            var mode = inner.IsArray ? inner.GetElementType() : inner.IsGenericType ? inner.GetGenericArguments()[0] : null;
            return mode != null && mode.GetProperty("Id") != null && mode.GetProperty("Key") != null ? mode : null;
        }

        private object Answer(Type type, Type mode, object[] arguments)
        {
            var isTask = typeof(Task).IsAssignableFrom(type);
            var inner = isTask ? type.GetGenericArguments()[0] : type;
            var name = rounds[Math.Min(round, rounds.Length - 1)];
            if (what == "hangs" && isTask)
            {
                var token = arguments.OfType<CancellationToken>().FirstOrDefault();
                waiting.TrySetResult(true);
                return Call("Never", inner, token, release.Token);
            }
            if (what == "raises")
            {
                var broken = new InvalidOperationException("the mode catalog is broken (" + Failing.Canary + ")");
                return isTask ? Call("Broken", inner, broken) : throw broken;
            }
            var modes = what == "returns_none" ? null : shared ?? Filled(inner, mode, name);
            if (what == "shared")
            {
                shared = modes;
            }
            if (modes != null)
            {
                handed.Add(new KeyValuePair<IList, List<string>>(modes, Snapshot(modes)));
            }
            return isTask ? Call("Ended", inner, modes) : modes;
        }

        private static object Call(string name, Type type, params object[] arguments)
        {
            var method = typeof(Catalogs).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static);
            return method.MakeGenericMethod(type).Invoke(null, arguments);
        }

        private static Task<T> Ended<T>(object value)
        {
            return Task.FromResult((T)value);
        }

        private static Task<T> Broken<T>(Exception error)
        {
            var source = new TaskCompletionSource<T>();
            source.SetException(error);
            return source.Task;
        }

        /// <summary>Waits for the token, as a correct catalog does, or for the timeout of the call.</summary>
        private static async Task<T> Never<T>(CancellationToken token, CancellationToken release)
        {
            using (var either = CancellationTokenSource.CreateLinkedTokenSource(token, release))
            {
                await Task.WhenAny(Task.Delay(Timeout.Infinite, either.Token)).ConfigureAwait(false);
            }
            token.ThrowIfCancellationRequested();
            throw new TimeoutException("the mode catalog did not answer");
        }

        private IList Filled(Type inner, Type mode, string name)
        {
            var documents = name == "many"
                ? Enumerable.Range(0, Many).Select(Numbered)
                : ((List<object>)((Members)JsonReader.Read(File.ReadAllText(FileOf(name))))["modes"]).Cast<Members>();
            var made = documents.Select(document => Mode(mode, document)).ToList();
            var array = Array.CreateInstance(mode, made.Count);
            for (var place = 0; place < made.Count; place++)
            {
                array.SetValue(made[place], place);
            }
            if (inner.IsArray)
            {
                return array;
            }
            var list = Activator.CreateInstance(typeof(List<>).MakeGenericType(mode), array);
            if (!inner.IsInstanceOfType(list))
            {
                fault = "no " + inner.Name + " of modes can be made";
                return null;
            }
            return (IList)list;
        }

        private static Members Numbered(int number)
        {
            return new Members
            {
                { "id", number.ToString("x32") },
                { "key", "mode_" + number },
                { "displayName", "General" },
                { "description", "The only mode there is." },
                { "isDefault", true },
            };
        }

        private static object Mode(Type type, Members document)
        {
            var mode = Activator.CreateInstance(type);
            foreach (var property in type.GetProperties().Where(each => each.CanWrite && Fields.Contains(each.Name)))
            {
                var name = char.ToLowerInvariant(property.Name[0]) + property.Name.Substring(1);
                var value = document.Get(name) ?? (name == "systemPromptSummary" ? "" : name == "isDefault" ? (object)false : null);
                var texts = value as List<object>;
                if (texts != null)
                {
                    var list = texts.Cast<string>().ToList();
                    value = property.PropertyType.IsArray ? (object)list.ToArray() : list;
                }
                property.SetValue(mode, value, null);
            }
            return mode;
        }

        private async Task<Given> Hang(Func<object> start)
        {
            var call = Finished(start());
            await Task.WhenAny(call, waiting.Task, Task.Delay(Grace)).ConfigureAwait(false);
            var struck = DateTime.UtcNow;
            var cancelling = Task.Run(() => source.Cancel());
            await Task.WhenAny(call, Task.Delay(Grace)).ConfigureAwait(false);
            after = (DateTime.UtcNow - struck).TotalSeconds;
            givenUp = !call.IsCompleted;
            await Task.WhenAny(cancelling, Task.Delay(Grace)).ConfigureAwait(false);
            release.Cancel();
            return await call.ConfigureAwait(false);
        }

        private static List<string> Snapshot(IList modes)
        {
            return modes.Cast<object>().Select(mode => mode == null ? "null" : string.Join(", ", mode.GetType().GetProperties().Select(
                property => property.Name + " = " + Value(property.GetValue(mode, null))))).ToList();
        }

        private static string Value(object value)
        {
            var texts = value as IEnumerable<string>;
            return texts != null ? "[" + string.Join("; ", texts) + "]" : value == null ? "null" : value.ToString();
        }

        private static IEnumerable<string> Changes(List<string> before, List<string> now)
        {
            if (before.Count != now.Count)
            {
                return new[] { before.Count + " modes became " + now.Count };
            }
            if (!before.SequenceEqual(now) && before.OrderBy(each => each).SequenceEqual(now.OrderBy(each => each)))
            {
                return new[] { "the modes stand in another order" };
            }
            return before.Select((was, place) => was == now[place] ? null : "modes[" + place + "] was " + ErrorText.Cut(was, 150) + " and is " + ErrorText.Cut(now[place], 150))
                .Where(change => change != null);
        }
    }
}
