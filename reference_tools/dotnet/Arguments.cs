// Reads the argument text of a call, which may be anything at all, into checked values.
//
// A missing property and a null one are the same (AGN-005 3), unknown properties are nobody's business, and a number
// without a fraction is an integer, as JSON Schema has it. Messages name the argument and what is wrong with it; they
// never repeat a value, which could be long, hostile or secret.

using System;
using System.IO;
using System.Linq;
using System.Numerics;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Aptix.ReferenceTools
{
    /// <summary>The arguments are not what the tool takes; the message is for the model to read.</summary>
    internal sealed class ArgumentFault : Exception
    {
        public const string Code = "INVALID_ARGUMENTS";

        public ArgumentFault(string message)
            : base(message)
        {
        }
    }

    /// <summary>The JSON object that a call was given. Each reader throws ArgumentFault where a value is not of its kind.</summary>
    internal sealed class Arguments
    {
        private const int Deepest = 200;

        private readonly JObject given;

        private Arguments(JObject given)
        {
            this.given = given;
        }

        /// <summary>The object in a text; null, empty and blank are an object without properties.</summary>
        public static Arguments Parse(string argumentsJson)
        {
            if (string.IsNullOrWhiteSpace(argumentsJson))
            {
                return new Arguments(new JObject());
            }
            JToken token;
            try
            {
                using (var reader = new JsonTextReader(new StringReader(argumentsJson)))
                {
                    reader.DateParseHandling = DateParseHandling.None;
                    reader.MaxDepth = Deepest;
                    token = JToken.ReadFrom(reader);
                    while (reader.Read())
                    {
                        if (reader.TokenType != JsonToken.Comment)
                        {
                            throw new JsonReaderException("more than one document");
                        }
                    }
                }
            }
            catch (Exception error) when (error is JsonException || error is OverflowException || error is FormatException
                || error is ArgumentException || error is InvalidCastException)
            {
                throw new ArgumentFault("The arguments are not valid JSON. Send one JSON object.");
            }
            var found = token as JObject;
            if (found == null)
            {
                throw new ArgumentFault("The arguments are JSON, but not an object. Send one JSON object.");
            }
            return new Arguments(found);
        }

        /// <summary>A string that is not blank.</summary>
        public string RequiredText(string name)
        {
            var text = OptionalText(name);
            if (string.IsNullOrWhiteSpace(text))
            {
                throw new ArgumentFault("'" + name + "' is required and must not be empty.");
            }
            return text;
        }

        /// <summary>One of the choices, spelt exactly so.</summary>
        public string RequiredChoice(string name, string[] choices)
        {
            var text = OptionalText(name);
            if (!choices.Contains(text))
            {
                throw new ArgumentFault("'" + name + "' is required and must be one of: " + string.Join(", ", choices) + ".");
            }
            return text;
        }

        /// <summary>A finite number that fits the range of a double; integers stay exact.</summary>
        public Number RequiredNumber(string name)
        {
            var value = Value(name);
            if (value == null)
            {
                throw new ArgumentFault("'" + name + "' is required and must be a number.");
            }
            return ReadNumber(name, value, "a number");
        }

        /// <summary>A string, or null.</summary>
        public string OptionalText(string name)
        {
            var value = Value(name);
            if (value != null && value.Type != JTokenType.String)
            {
                throw new ArgumentFault("'" + name + "' must be a string.");
            }
            return value == null ? null : (string)value;
        }

        /// <summary>An integer that fits the range of a double, or null.</summary>
        public BigInteger? OptionalInteger(string name)
        {
            var value = Value(name);
            if (value == null)
            {
                return null;
            }
            var number = ReadNumber(name, value, "an integer");
            if (!number.IsWhole)
            {
                throw new ArgumentFault("'" + name + "' must be an integer.");
            }
            return number.Whole;
        }

        /// <summary>True or false, or null.</summary>
        public bool? OptionalBoolean(string name)
        {
            var value = Value(name);
            if (value != null && value.Type != JTokenType.Boolean)
            {
                throw new ArgumentFault("'" + name + "' must be true or false.");
            }
            return value == null ? (bool?)null : (bool)value;
        }

        private static Number ReadNumber(string name, JToken value, string kind)
        {
            if (value.Type != JTokenType.Integer && value.Type != JTokenType.Float)
            {
                throw new ArgumentFault("'" + name + "' must be " + kind + ".");
            }
            var plain = ((JValue)value).Value;
            var number = plain is BigInteger ? new Number((BigInteger)plain)
                : value.Type == JTokenType.Integer ? new Number(new BigInteger(Convert.ToInt64(plain)))
                : new Number(Convert.ToDouble(plain));
            if (!number.IsFinite)
            {
                throw new ArgumentFault("'" + name + "' is too large.");
            }
            return number;
        }

        private JToken Value(string name)
        {
            JToken value;
            return given.TryGetValue(name, StringComparison.Ordinal, out value) && value.Type != JTokenType.Null ? value : null;
        }
    }

    /// <summary>Payloads as JSON text.</summary>
    internal static class Payload
    {
        // Half a surrogate pair can stand in a string, and only as an escape in JSON.
        private static readonly JsonSerializerSettings Settings = new JsonSerializerSettings
        {
            StringEscapeHandling = StringEscapeHandling.EscapeNonAscii,
        };

        public static string Of(object result)
        {
            return JsonConvert.SerializeObject(result, Settings);
        }
    }
}
