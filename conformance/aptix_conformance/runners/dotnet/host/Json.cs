// JSON as the protocol needs it. The host has its own reader and writer, because a tool brings its own Json.NET, of any
// version, and may change its settings.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Aptix.Conformance.Host
{
    /// <summary>A JSON object that keeps the order of its members.</summary>
    internal sealed class Members : Dictionary<string, object>
    {
        public Members()
            : base(StringComparer.Ordinal)
        {
        }

        /// <summary>A member as text; null where it is missing or not a text.</summary>
        public string Text(string name)
        {
            return Get(name) as string;
        }

        /// <summary>A member; null where it is missing.</summary>
        public object Get(string name)
        {
            object value;
            return TryGetValue(name, out value) ? value : null;
        }
    }

    /// <summary>Writes values as ASCII: Members, lists, arrays, texts, whole numbers, doubles, booleans and null.</summary>
    internal static class JsonWriter
    {
        public static void Write(StringBuilder text, object value)
        {
            if (value == null)
            {
                text.Append("null");
            }
            else if (value is string)
            {
                WriteText(text, (string)value);
            }
            else if (value is bool)
            {
                text.Append((bool)value ? "true" : "false");
            }
            else if (value is double)
            {
                text.Append(((double)value).ToString("R", CultureInfo.InvariantCulture));
            }
            else if (value is int || value is long)
            {
                text.Append(Convert.ToInt64(value).ToString(CultureInfo.InvariantCulture));
            }
            else if (value is Members)
            {
                WriteMembers(text, (Members)value);
            }
            else
            {
                WriteItems(text, (System.Collections.IEnumerable)value);
            }
        }

        private static void WriteMembers(StringBuilder text, Members members)
        {
            text.Append('{');
            var first = true;
            foreach (var member in members)
            {
                if (!first)
                {
                    text.Append(',');
                }
                first = false;
                WriteText(text, member.Key);
                text.Append(':');
                Write(text, member.Value);
            }
            text.Append('}');
        }

        private static void WriteItems(StringBuilder text, System.Collections.IEnumerable items)
        {
            text.Append('[');
            var first = true;
            foreach (var item in items)
            {
                if (!first)
                {
                    text.Append(',');
                }
                first = false;
                Write(text, item);
            }
            text.Append(']');
        }

        private static void WriteText(StringBuilder text, string value)
        {
            text.Append('"');
            var plain = 0;
            for (var place = 0; place < value.Length; place++)
            {
                var letter = value[place];
                if (letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\')
                {
                    continue;
                }
                text.Append(value, plain, place - plain);
                plain = place + 1;
                if (letter == '"' || letter == '\\')
                {
                    text.Append('\\').Append(letter);
                }
                else
                {
                    text.Append("\\u").Append(((int)letter).ToString("x4"));
                }
            }
            text.Append(value, plain, value.Length - plain).Append('"');
        }
    }

    /// <summary>Reads one document of ASCII that the suite wrote.</summary>
    internal sealed class JsonReader
    {
        private readonly string text;
        private int place;

        private JsonReader(string text)
        {
            this.text = text;
        }

        /// <exception cref="FormatException">The text is not JSON.</exception>
        public static object Read(string text)
        {
            var reader = new JsonReader(text);
            var value = reader.Value();
            reader.Blank();
            if (reader.place != text.Length)
            {
                throw reader.Wrong();
            }
            return value;
        }

        private object Value()
        {
            Blank();
            switch (Peek())
            {
                case '{':
                    return Object();
                case '[':
                    return Array();
                case '"':
                    return Text();
                case 't':
                    return Word("true", true);
                case 'f':
                    return Word("false", false);
                case 'n':
                    return Word("null", null);
                default:
                    return Number();
            }
        }

        private Members Object()
        {
            var members = new Members();
            place++;
            Blank();
            while (Peek() != '}')
            {
                Blank();
                var name = Text();
                Blank();
                Take(':');
                members[name] = Value();
                Blank();
                if (Peek() != '}')
                {
                    Take(',');
                }
            }
            place++;
            return members;
        }

        private List<object> Array()
        {
            var items = new List<object>();
            place++;
            Blank();
            while (Peek() != ']')
            {
                items.Add(Value());
                Blank();
                if (Peek() != ']')
                {
                    Take(',');
                }
            }
            place++;
            return items;
        }

        private string Text()
        {
            Take('"');
            var end = text.IndexOfAny(new[] { '"', '\\' }, place);
            if (end >= 0 && text[end] == '"')
            {
                var whole = text.Substring(place, end - place);
                place = end + 1;
                return whole;
            }
            var made = new StringBuilder();
            while (end >= 0 && text[end] == '\\')
            {
                made.Append(text, place, end - place);
                place = end + 1;
                made.Append(Escaped());
                end = text.IndexOfAny(new[] { '"', '\\' }, place);
            }
            if (end < 0)
            {
                throw Wrong();
            }
            made.Append(text, place, end - place);
            place = end + 1;
            return made.ToString();
        }

        private char Escaped()
        {
            var letter = Peek();
            place++;
            if (letter == 'u' && place + 4 <= text.Length)
            {
                place += 4;
                return (char)int.Parse(text.Substring(place - 4, 4), NumberStyles.AllowHexSpecifier);
            }
            var known = "\"\\/bfnrt".IndexOf(letter);
            if (known < 0)
            {
                throw Wrong();
            }
            return "\"\\/\b\f\n\r\t"[known];
        }

        private object Number()
        {
            var start = place;
            while (place < text.Length && "+-0123456789.eE".IndexOf(text[place]) >= 0)
            {
                place++;
            }
            var digits = text.Substring(start, place - start);
            long whole;
            if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole))
            {
                return whole;
            }
            double number;
            if (double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out number))
            {
                return number;
            }
            throw Wrong();
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, place, word, 0, word.Length) != 0)
            {
                throw Wrong();
            }
            place += word.Length;
            return value;
        }

        private void Blank()
        {
            while (place < text.Length && " \t\r\n".IndexOf(text[place]) >= 0)
            {
                place++;
            }
        }

        private char Peek()
        {
            if (place >= text.Length)
            {
                throw Wrong();
            }
            return text[place];
        }

        private void Take(char wanted)
        {
            if (Peek() != wanted)
            {
                throw Wrong();
            }
            place++;
        }

        private FormatException Wrong()
        {
            return new FormatException("no JSON at character " + place);
        }
    }
}
