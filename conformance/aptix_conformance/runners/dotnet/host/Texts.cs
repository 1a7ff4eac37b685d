// The texts in a tool's object, at any depth: in collections, public properties, and exceptions with their causes.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Aptix.Conformance.Host
{
    internal static class Texts
    {
        private const int Deepest = 8;
        private const int MostItems = 100;
        private const int MostTexts = 50;
        private const int MostObjects = 2000;

        /// <summary>The distinct texts of a value, cut.</summary>
        public static List<string> Of(object value)
        {
            var found = new List<string>();
            var seen = new List<object>();
            var waiting = new Queue<KeyValuePair<object, int>>();
            waiting.Enqueue(new KeyValuePair<object, int>(value, 0));
            while (waiting.Count > 0 && found.Count < MostTexts && seen.Count < MostObjects)
            {
                var next = waiting.Dequeue();
                var text = next.Key as string ?? (next.Key is Exception ? ErrorText.MessageOf((Exception)next.Key) : null);
                if (!string.IsNullOrEmpty(text) && !found.Contains(ErrorText.Cut(text)))
                {
                    found.Add(ErrorText.Cut(text));
                }
                if (next.Key == null || next.Key is string || next.Value > Deepest || seen.Any(known => ReferenceEquals(known, next.Key)))
                {
                    continue;
                }
                seen.Add(next.Key);
                foreach (var part in Parts(next.Key))
                {
                    waiting.Enqueue(new KeyValuePair<object, int>(part, next.Value + 1));
                }
            }
            return found;
        }

        private static List<object> Parts(object holder)
        {
            var exception = holder as Exception;
            if (exception != null)
            {
                return new List<object> { exception.InnerException, exception.Data };
            }
            try
            {
                var dictionary = holder as IDictionary;
                var items = dictionary == null ? holder as IEnumerable : dictionary.Values;
                if (items != null)
                {
                    return items.Cast<object>().Take(MostItems).ToList();
                }
            }
            catch (Exception)
            {
                return new List<object>(); // a collection that throws has no items
            }
            var type = holder.GetType();
            var isOfRuntime = type.Assembly == typeof(object).Assembly && !type.IsGenericType;
            return type.IsPrimitive || type.IsEnum || isOfRuntime ? new List<object>() : Properties(holder, type);
        }

        private static List<object> Properties(object holder, Type type)
        {
            var found = new List<object>();
            var properties = type.GetProperties(BindingFlags.Instance | BindingFlags.Public);
            foreach (var property in properties.Where(each => each.CanRead && each.GetIndexParameters().Length == 0).Take(MostItems))
            {
                try
                {
                    found.Add(property.GetValue(holder, null));
                }
                catch (Exception)
                {
                    continue; // a property that throws has no value
                }
            }
            return found;
        }
    }
}
