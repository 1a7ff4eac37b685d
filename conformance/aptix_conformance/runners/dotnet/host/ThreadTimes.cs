// The processor time of the current thread, as the kernel counts it.

using System;
using System.Globalization;
using System.IO;

namespace Aptix.Conformance.Host
{
    /// <summary>What a thread computed, and what it waited for a processor, in nanoseconds; zero where the kernel does not say.</summary>
    internal struct ThreadTimes
    {
        private const string Kernel = "/proc/thread-self/schedstat";

        public long Computed;
        public long Waited;

        public static ThreadTimes Now()
        {
            try
            {
                var counts = File.ReadAllText(Kernel).Split(' ');
                return new ThreadTimes
                {
                    Computed = long.Parse(counts[0], CultureInfo.InvariantCulture),
                    Waited = long.Parse(counts[1], CultureInfo.InvariantCulture),
                };
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException || error is FormatException || error is IndexOutOfRangeException)
            {
                return default(ThreadTimes);
            }
        }
    }
}
