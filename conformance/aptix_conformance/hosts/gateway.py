"""Connects a contained process with the hosts that its author names, and with no other.

The process finds each of them at an address of its own loopback network. The sockets that listen there are held by this
process, outside of the containment: a connection to one of them is passed on, byte for byte, to the one host and port it stands for.
Names are looked up here.
"""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

_MOST: Final = 64
"""Connections at a time; further ones are refused."""
_PATIENCE: Final = 10.0
"""Seconds that a host may take to answer, and that the end may take."""
_CHUNK: Final = 65_536
_NO_LINGERING: Final = struct.pack("ii", 1, 0)
"""The option that makes a socket send a reset when it is closed."""

Named = tuple[socket.socket, tuple[str, int]]
"""A listening socket, with the host and the port that it stands for."""


class Gateway:
    """Passes on the connections of one process, in a thread of its own, until it is closed."""

    def __init__(self, named: Sequence[Named]) -> None:
        self._named = named
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._ended = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="aptix-gateway", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections. Harmless when repeated."""
        with contextlib.suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
            self._loop.run_until_complete(_cancel_all())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        servers = [
            await asyncio.start_server(partial(self._begin, *place), sock=listener, limit=_CHUNK)
            for listener, place in self._named
        ]
        await self._ended.wait()
        for listener, _ in self._named:
            self._loop.remove_reader(listener)
        # A connection that is taken up by a server that has closed is left open by asyncio.
        await asyncio.sleep(0)
        for server in servers:
            server.close()

    def _begin(
        self, host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve a connection in a task of ours, which ends it in any case.

        asyncio's own task on Python 3.11 prints a traceback where it is cancelled, and leaves open what it had not begun to serve.
        """
        if len(self._open) >= _MOST:
            _reset(writer)
            return
        task = self._loop.create_task(_pass_on(host, port, reader, writer))
        self._open[task] = writer
        task.add_done_callback(lambda ended: _reset(self._open.pop(ended)))


async def _pass_on(host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection to its end. Where the host cannot be reached, it ends as if the host had refused."""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            far_reader, far_writer = await asyncio.open_connection(host, port, limit=_CHUNK)
        try:
            await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))
            writer.close()
            await writer.wait_closed()
        finally:
            _reset(far_writer)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection that has not ended in good order, so that the other side sees an error and no end."""
    if not writer.transport.is_closing():
        line: socket.socket = writer.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGERING)
        writer.transport.abort()


async def _cancel_all() -> None:
    """End all tasks, those of connections that are accepted meanwhile too."""
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Write what is read, to its end."""
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()
    writer.write_eof()
    await writer.drain()
