// The permissions that the Json.NET of Debian asks for before it generates code. It is built for the .NET Framework; CoreCLR
// has no permissions, so everything is granted. Where a project brings its own Json.NET, this is not used.

using System.Reflection;

[assembly: AssemblyVersion("4.0.3.0")]

namespace System.Security
{
    /// <summary>A permission that is always granted.</summary>
    public abstract class CodeAccessPermission
    {
        /// <summary>Does nothing.</summary>
        public void Demand()
        {
        }
    }
}

namespace System.Security.Permissions
{
    /// <summary>What a permission to reflect is about.</summary>
    [Flags]
    public enum ReflectionPermissionFlag
    {
        NoFlags = 0,
        TypeInformation = 1,
        MemberAccess = 2,
        ReflectionEmit = 4,
        RestrictedMemberAccess = 8,
    }

    /// <summary>See `CodeAccessPermission`.</summary>
    public sealed class ReflectionPermission : CodeAccessPermission
    {
        public ReflectionPermission(ReflectionPermissionFlag flag)
        {
        }
    }

    /// <summary>See `CodeAccessPermission`.</summary>
    public sealed class SecurityPermission : CodeAccessPermission
    {
        public SecurityPermission(PermissionState state)
        {
        }

        public SecurityPermission(SecurityPermissionFlag flag)
        {
        }
    }
}
