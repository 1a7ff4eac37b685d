// Inspects compiled code: which types it names, and whether it reads its cancellation token.
//
// A CancellationToken is a type of the runtime, so accesses cannot be counted. But the compiled code shows whether it reads
// the token at all: a parameter that is never read has no effect.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Aptix.Conformance.Host
{
    internal static class Code
    {
        private const BindingFlags All =
            BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

        private static readonly Lazy<OpCode?[]> Short = new Lazy<OpCode?[]>(() => Table(1));
        private static readonly Lazy<OpCode?[]> Long = new Lazy<OpCode?[]>(() => Table(2));

        /// <summary>Whether the tool's method reads its token; true where that is unknown.</summary>
        public static bool ReadsToken(Type tool, Execution execution)
        {
            var execute = execution.Method;
            if (execute == null || execute.DeclaringType != tool || execution.TokenIsInContext)
            {
                return true;
            }
            var place = Array.FindIndex(execute.GetParameters(), each => each.ParameterType == typeof(CancellationToken));
            var isStub = execute.GetCustomAttributes(typeof(AsyncStateMachineAttribute), false).Length > 0;
            if (!isStub && Instructions(execute).Any(each => each.LoadsArgument(place + 1)))
            {
                return true;
            }
            return Around(tool).Where(type => type != tool).SelectMany(Bodies).SelectMany(Instructions).Any(each => each.LoadsToken());
        }

        /// <summary>The types of the tool's own assembly that its code names, or creates by a generic method.</summary>
        public static IEnumerable<Type> TypesUsedBy(Type tool)
        {
            var named = Around(tool).SelectMany(Bodies).SelectMany(Instructions).SelectMany(each => each.Types());
            return named.Where(type => type.Assembly == tool.Assembly).Distinct();
        }

        private static IEnumerable<Type> Around(Type type)
        {
            return new[] { type }.Concat(type.GetNestedTypes(All).SelectMany(Around));
        }

        private static IEnumerable<MethodBase> Bodies(Type type)
        {
            return type.GetMethods(All).Cast<MethodBase>().Concat(type.GetConstructors(All));
        }

        private static List<Instruction> Instructions(MethodBase method)
        {
            var found = new List<Instruction>();
            var body = method.GetMethodBody();
            var bytes = body == null ? new byte[0] : body.GetILAsByteArray();
            for (var place = 0; place < bytes.Length;)
            {
                var known = bytes[place] == 0xfe ? Long.Value[bytes[++place]] : Short.Value[bytes[place]];
                place++;
                if (known == null)
                {
                    break;
                }
                found.Add(new Instruction(method, known.Value, bytes, place));
                place += Size(known.Value, bytes, place);
            }
            return found;
        }

        private static int Size(OpCode code, byte[] bytes, int place)
        {
            switch (code.OperandType)
            {
                case OperandType.InlineNone:
                    return 0;
                case OperandType.ShortInlineBrTarget:
                case OperandType.ShortInlineI:
                case OperandType.ShortInlineVar:
                    return 1;
                case OperandType.InlineVar:
                    return 2;
                case OperandType.InlineI8:
                case OperandType.InlineR:
                    return 8;
                case OperandType.InlineSwitch:
                    return 4 + (4 * BitConverter.ToInt32(bytes, place));
                default:
                    return 4;
            }
        }

        private static OpCode?[] Table(int size)
        {
            var table = new OpCode?[256];
            foreach (var field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
            {
                var code = (OpCode)field.GetValue(null);
                if (code.Size == size)
                {
                    table[code.Value & 0xff] = code;
                }
            }
            return table;
        }

        /// <summary>One instruction of a method.</summary>
        private struct Instruction
        {
            private readonly MethodBase method;
            private readonly OpCode code;
            private readonly byte[] bytes;
            private readonly int place;

            public Instruction(MethodBase method, OpCode code, byte[] bytes, int place)
            {
                this.method = method;
                this.code = code;
                this.bytes = bytes;
                this.place = place;
            }

            /// <summary>Whether it loads the argument with a number; the instance is number 0.</summary>
            public bool LoadsArgument(int number)
            {
                var name = code.Name;
                if (name == "ldarg.s" || name == "ldarga.s")
                {
                    return bytes[place] == number;
                }
                return name == "ldarg." + number || ((name == "ldarg" || name == "ldarga") && BitConverter.ToInt16(bytes, place) == number);
            }

            /// <summary>Whether it loads a field that holds a token: a parameter of an async method is one.</summary>
            public bool LoadsToken()
            {
                var field = code.Name == "ldfld" || code.Name == "ldflda" ? Resolved() as FieldInfo : null;
                return field != null && field.FieldType == typeof(CancellationToken);
            }

            public IEnumerable<Type> Types()
            {
                var member = code.OperandType == OperandType.InlineMethod || code.OperandType == OperandType.InlineTok
                    || code.OperandType == OperandType.InlineType ? Resolved() : null;
                var called = member as MethodInfo;
                if (called != null && called.IsGenericMethod)
                {
                    return called.GetGenericArguments();
                }
                var type = member as Type ?? (member == null ? null : member.DeclaringType);
                return type == null ? new Type[0] : new[] { type };
            }

            private MemberInfo Resolved()
            {
                try
                {
                    var ofType = method.DeclaringType.IsGenericType ? method.DeclaringType.GetGenericArguments() : null;
                    var ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
                    return method.Module.ResolveMember(BitConverter.ToInt32(bytes, place), ofType, ofMethod);
                }
                catch (Exception)
                {
                    return null; // the assembly of the name is missing
                }
            }
        }
    }
}
