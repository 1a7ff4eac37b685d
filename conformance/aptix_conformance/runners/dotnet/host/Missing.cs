// Assemblies that the tool's code refers to, and native libraries that it calls, which are not there: its set-up is at fault then, not the tool.
//
// An assembly that the tool names itself, such as a plugin named by an argument, is no reference, and its absence is the tool's to answer.
// So is a native library that the tool does without: only an exception that ends the call, or that the tool logs as one, counts there.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Aptix.Conformance.Host
{
    internal static class Missing
    {
        private static readonly object Gate = new object();
        private static readonly List<string> Noticed = new List<string>();
        private static string blamed;

        /// <summary>How often the runtime has looked for something in vain.</summary>
        public static int Count
        {
            get
            {
                lock (Gate)
                {
                    return Noticed.Count;
                }
            }
        }

        /// <summary>Notice from now on what is looked for in vain, also where the tool catches the exception.</summary>
        public static void Watch()
        {
            AppDomain.CurrentDomain.FirstChanceException += (_, thrown) => Notice(thrown.Exception);
        }

        /// <summary>Blame the set-up where an exception reports a missing reference, or where one was noticed after the first `before`: the
        /// tool may have caught that exception.</summary>
        /// <exception cref="TargetFault">A reference is missing; the message says what to do.</exception>
        public static void Blame(Exception error, int before = int.MaxValue)
        {
            string found = null;
            for (var each = error; each != null && found == null; each = each.InnerException)
            {
                found = Reference(each) ?? Native(each);
            }
            lock (Gate)
            {
                // Mono looks once for an assembly: what one call lacked, others that fail lack as well.
                found = found ?? (Noticed.Count > before ? Noticed.Last() : before < int.MaxValue ? blamed : null);
                blamed = found ?? blamed;
            }
            if (found != null)
            {
                throw new TargetFault(found);
            }
        }

        /// <summary>Note that the runtime has looked for an assembly in vain.</summary>
        public static void NotFound(string name)
        {
            Note(!isTrying && IsReferred(name) ? SetReferences(name) : null);
        }

        /// <summary>Note what an exception that the tool logs says of a native library.</summary>
        public static void Logged(Exception error)
        {
            for (var each = error; each != null; each = each.InnerException)
            {
                Note(Native(each));
            }
        }

        private static void Notice(Exception error)
        {
            Note(Reference(error));
        }

        private static void Note(string sentence)
        {
            if (sentence != null)
            {
                lock (Gate)
                {
                    Noticed.Add(sentence);
                }
            }
        }

        private static string SetReferences(string name)
        {
            return "set `references` or `runtime` in its table: its code refers to the assembly " + name + ", which is not there or does not fit";
        }

        /// <summary>What to do about a native library whose absence an exception reports; null where the runtime has not thrown it for a call of one.</summary>
        private static string Native(Exception error)
        {
            if (error.GetType() != typeof(DllNotFoundException))
            {
                return null;
            }
            var called = error.TargetSite as MethodInfo;
            var import = called == null ? null : called.GetCustomAttribute<DllImportAttribute>();
            var byMono = (error.StackTrace ?? "").TrimStart().StartsWith("at (wrapper managed-to-native)", StringComparison.Ordinal);
            var name = import != null ? import.Value : byMono ? error.Message.Split(' ')[0] : null;
            return name == null ? null : "install the native library " + name + ", or put it beside the assembly: its code calls it, and it is not there";
        }

        /// <summary>What to do about an assembly whose absence an exception reports; null where no loaded code refers to it or it can be loaded.</summary>
        private static string Reference(Exception error)
        {
            var absent = error as FileNotFoundException;
            var unfit = error as FileLoadException;
            var broken = error as BadImageFormatException;
            var wanted = absent != null ? absent.FileName : unfit != null ? unfit.FileName : broken != null ? broken.FileName : null;
            if (error is MissingMemberException || error is TypeLoadException)
            {
                return Older(ErrorText.MessageOf(error));
            }
            var name = NameIn(wanted);
            return name != null && IsReferred(name) && !CanBeLoaded(name) ? SetReferences(name) : null;
        }

        /// <summary>The same of a reference of which an older version is loaded, where a message speaks of it; null for none.</summary>
        private static string Older(string message)
        {
            var loaded = AppDomain.CurrentDomain.GetAssemblies().Where(each => !each.IsDynamic).ToList();
            var wanted = loaded.SelectMany(each => each.GetReferencedAssemblies()).Where(reference => message.Contains(reference.Name));
            return wanted.Where(reference => loaded.Any(each => each.GetName().Name == reference.Name && each.GetName().Version < reference.Version))
                .Select(reference => SetReferences(reference.FullName)).FirstOrDefault();
        }

        private static string NameIn(string wanted)
        {
            try
            {
                return string.IsNullOrEmpty(wanted) || !wanted.Contains(", Version=") ? null : new AssemblyName(wanted).FullName;
            }
            catch (Exception error) when (error is IOException || error is ArgumentException)
            {
                return null; // the tool has written that
            }
        }

        private static bool IsReferred(string name)
        {
            return AppDomain.CurrentDomain.GetAssemblies().Where(each => !each.IsDynamic).Any(
                each => each.GetReferencedAssemblies().Any(reference => reference.FullName == name));
        }

        [ThreadStatic]
        private static bool isTrying;

        private static bool CanBeLoaded(string name)
        {
            if (isTrying)
            {
                return true; // the exception is that of the attempt below
            }
            isTrying = true;
            try
            {
                return Assembly.Load(new AssemblyName(name)) != null;
            }
            catch (Exception error) when (error is IOException || error is BadImageFormatException)
            {
                return false;
            }
            finally
            {
                isTrying = false;
            }
        }
    }
}
