// What the command line of the host says.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Aptix.Conformance.Host
{
    /// <summary>CATALOGS [MODULE] [--references PATHS] [--more PATH] [--execute METHOD] [--adapter CLASS:METHOD].</summary>
    internal sealed class Options
    {
        private readonly Dictionary<string, string> named = new Dictionary<string, string>();

        public Options(string[] arguments)
        {
            var plain = new List<string>();
            for (var place = 0; place < arguments.Length; place++)
            {
                if (arguments[place].StartsWith("--", StringComparison.Ordinal) && place + 1 < arguments.Length)
                {
                    named[arguments[place]] = arguments[++place];
                }
                else
                {
                    plain.Add(arguments[place]);
                }
            }
            Catalogs = plain.ElementAtOrDefault(0) ?? "";
            Module = plain.ElementAtOrDefault(1);
        }

        /// <summary>The folder of the mode catalogs.</summary>
        public string Catalogs { get; }

        /// <summary>The assembly to use where no target names one; may be null.</summary>
        public string Module { get; }

        /// <summary>Assemblies to load where the tool refers to them.</summary>
        public string[] References
        {
            get { return (Named("--references") ?? "").Split(new[] { Path.PathSeparator }, StringSplitOptions.RemoveEmptyEntries); }
        }

        /// <summary>An assembly that holds adapters and factories of services besides the tool's own; may be null.</summary>
        public string More
        {
            get { return Named("--more"); }
        }

        /// <summary>The method that production calls: a name, or a name with the types of its parameters; may be null.</summary>
        public string Execute
        {
            get { return Named("--execute"); }
        }

        /// <summary>`Namespace.Class:Method`, which makes the tool's context; may be null.</summary>
        public string Adapter
        {
            get { return Named("--adapter"); }
        }

        private string Named(string name)
        {
            string value;
            return named.TryGetValue(name, out value) ? value : null;
        }
    }
}
