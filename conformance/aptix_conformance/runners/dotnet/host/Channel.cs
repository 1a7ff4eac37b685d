// Lines of JSON over the descriptor that APTIX_HOST_FD names: Mono's classes cannot adopt this socket, so it
// is used by system calls. Any thread may write.

using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Aptix.Conformance.Host
{
    internal sealed class Channel
    {
        private const int Interrupted = 4;
        private const int Chunk = 1 << 16;

        private readonly object gate = new object();
        private readonly StringBuilder line = new StringBuilder();
        private readonly int descriptor;
        private readonly byte[] arrived = new byte[Chunk];
        private byte[] data = new byte[Chunk];
        private byte[] outgoing = new byte[Chunk];
        private int begin;
        private int end;
        private int searched;

        public Channel(int descriptor)
        {
            this.descriptor = descriptor;
        }

        /// <summary>The next line, null where the other side has closed the channel.</summary>
        public string Receive()
        {
            while (true)
            {
                var feed = Array.IndexOf(data, (byte)'\n', searched, end - searched);
                if (feed >= 0)
                {
                    var found = Encoding.ASCII.GetString(data, begin, feed - begin);
                    begin = searched = feed + 1;
                    return found;
                }
                searched = end;
                var count = Attempt(() => (int)read(descriptor, arrived, (IntPtr)Chunk));
                if (count <= 0)
                {
                    return null;
                }
                Keep(count);
            }
        }

        /// <summary>Write one message; false where the other side has closed the channel.</summary>
        public bool Send(Members message)
        {
            lock (gate)
            {
                line.Clear().Append("{\"jsonrpc\":\"2.0\"");
                foreach (var member in message)
                {
                    line.Append(",\"").Append(member.Key).Append("\":");
                    JsonWriter.Write(line, member.Value);
                }
                line.Append("}\n");
                if (outgoing.Length < line.Length)
                {
                    outgoing = new byte[line.Length];
                }
                for (var place = 0; place < line.Length; place += Chunk)
                {
                    var piece = line.ToString(place, Math.Min(Chunk, line.Length - place));
                    Encoding.ASCII.GetBytes(piece, 0, piece.Length, outgoing, place);
                }
                var length = line.Length;
                if (line.Capacity > 16 * Chunk)
                {
                    line.Clear();
                    line.Capacity = Chunk;
                }
                return WriteAll(length);
            }
        }

        private bool WriteAll(int length)
        {
            var sent = 0;
            while (sent < length)
            {
                var pinned = GCHandle.Alloc(outgoing, GCHandleType.Pinned);
                try
                {
                    var from = IntPtr.Add(pinned.AddrOfPinnedObject(), sent);
                    var left = (IntPtr)(length - sent);
                    var count = Attempt(() => (int)write(descriptor, from, left));
                    if (count <= 0)
                    {
                        return false;
                    }
                    sent += count;
                }
                finally
                {
                    pinned.Free();
                }
            }
            return true;
        }

        private void Keep(int count)
        {
            if (end + count > data.Length)
            {
                var kept = end - begin;
                var wanted = data.Length;
                while (wanted < kept + count)
                {
                    wanted *= 2;
                }
                var room = wanted == data.Length ? data : new byte[wanted];
                Buffer.BlockCopy(data, begin, room, 0, kept);
                data = room;
                searched -= begin;
                begin = 0;
                end = kept;
            }
            Buffer.BlockCopy(arrived, 0, data, end, count);
            end += count;
        }

        private static int Attempt(Func<int> call)
        {
            var count = call();
            while (count < 0 && Marshal.GetLastWin32Error() == Interrupted)
            {
                count = call();
            }
            return count;
        }

        [DllImport("libc", SetLastError = true)]
        private static extern IntPtr read(int descriptor, byte[] buffer, IntPtr count);

        [DllImport("libc", SetLastError = true)]
        private static extern IntPtr write(int descriptor, IntPtr buffer, IntPtr count);
    }
}
