// Proxies of interfaces that forward each use to a function. So the host can implement the logger interface of any assembly
// that a tool was compiled with, and can watch how a tool uses its services.

using System;
using System.Reflection;
#if !NET
using System.Runtime.Remoting.Messaging;
using System.Runtime.Remoting.Proxies;
#endif

namespace Aptix.Conformance.Host
{
    /// <summary>Handles one use.</summary>
    internal delegate object Use(MethodInfo method, object[] arguments);

#if NET
    /// <summary>For current runtimes.</summary>
    public class StandIn : DispatchProxy
    {
        private Use use;

        internal static object For(Type contract, Use use)
        {
            var create = typeof(DispatchProxy).GetMethod("Create", 2, Type.EmptyTypes);
            var made = create.MakeGenericMethod(contract, typeof(StandIn)).Invoke(null, null);
            ((StandIn)made).use = use;
            return made;
        }

        protected override object Invoke(MethodInfo method, object[] arguments)
        {
            return use(method, arguments);
        }
    }
#else
    /// <summary>For Mono.</summary>
    internal sealed class StandIn : RealProxy
    {
        private readonly Use use;

        private StandIn(Type contract, Use use)
            : base(contract)
        {
            this.use = use;
        }

        public static object For(Type contract, Use use)
        {
            return new StandIn(contract, use).GetTransparentProxy();
        }

        public override IMessage Invoke(IMessage message)
        {
            var call = (IMethodCallMessage)message;
            var method = (MethodInfo)call.MethodBase;
            if (method.DeclaringType == typeof(object))
            {
                var own = method.Name == "GetType" ? (object)GetProxiedType() : Own(method, call.Args);
                return new ReturnMessage(own, null, 0, call.LogicalCallContext, call);
            }
            try
            {
                var given = use(method, call.Args);
                return new ReturnMessage(given, null, 0, call.LogicalCallContext, call);
            }
            catch (Exception error)
            {
                return new ReturnMessage(error, call);
            }
        }

        private object Own(MethodInfo method, object[] arguments)
        {
            switch (method.Name)
            {
                case "Equals":
                    return ReferenceEquals(arguments[0], GetTransparentProxy());
                case "GetHashCode":
                    return GetHashCode();
                default:
                    return GetProxiedType().FullName;
            }
        }
    }
#endif
}
