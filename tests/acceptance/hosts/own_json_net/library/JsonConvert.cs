// Stands for a Json.NET of a project's own: a later version than any, which refuses a bad escape as version 6 does.

using System;
using System.Reflection;

[assembly: AssemblyVersion("99.0.0.0")]

namespace Newtonsoft.Json
{
    public static class JsonConvert
    {
        public static object DeserializeObject(string value)
        {
            if (value.Contains("\\u"))
            {
                throw new FormatException("Input string was not in a correct format.");
            }
            return value;
        }

        public static string SerializeObject(object value)
        {
            return "\"version 99\"";
        }
    }
}
