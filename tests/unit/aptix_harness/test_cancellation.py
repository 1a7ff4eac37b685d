import asyncio
import threading

import pytest

from aptix_harness import CancellationToken, CancellationTokenSource, OperationCanceledError


class CountingToken(CancellationToken):
    """Remembers what was asked of it."""

    def __init__(self, state=None):
        super().__init__(state)
        self.consulted = []
        self.waited_for = asyncio.Event()

    def _on_consulted(self, member):
        self.consulted.append(member)
        if member == "wait":
            self.waited_for.set()


def test_token_of_nobody_is_not_cancelled():
    """The token none() says no and raises nothing."""
    token = CancellationToken.none()
    assert not token.is_cancellation_requested
    token.raise_if_cancellation_requested()


def test_token_of_nobody_hoards_no_callbacks():
    """A callback registered with none(), a default argument that lives as long as the process, is released."""
    callbacks_alive = []

    class Callback:
        def __call__(self):
            pass

        def __del__(self):
            callbacks_alive.append(False)

    CancellationToken.none().register(Callback())
    assert callbacks_alive == [False]


def test_token_is_cancelled_by_its_source():
    """After cancel() the token says yes and raises."""
    source = CancellationTokenSource()
    assert not source.token.is_cancellation_requested
    source.cancel()
    assert source.token.is_cancellation_requested
    with pytest.raises(OperationCanceledError):
        source.token.raise_if_cancellation_requested()


def test_callback_runs_once_however_often_the_source_cancels():
    """A second cancel() does not run callbacks again."""
    source, ran = CancellationTokenSource(), []
    source.token.register(lambda: ran.append(1))
    source.cancel()
    source.cancel()
    assert ran == [1]


def test_callback_runs_at_once_on_a_cancelled_token():
    """A callback registered too late is not lost."""
    source, ran = CancellationTokenSource(), []
    source.cancel()
    source.token.register(lambda: ran.append(1))
    assert ran == [1]


def test_unregistered_callback_does_not_run():
    """unregister() and leaving the with block both forget the callback."""
    source, ran = CancellationTokenSource(), []
    source.token.register(lambda: ran.append("unregistered")).unregister()
    with source.token.register(lambda: ran.append("with")):
        pass
    source.cancel()
    assert ran == []


def test_callback_that_raises_does_not_stop_the_others():
    """All callbacks run; then the errors come out of cancel() as a group."""
    source, ran = CancellationTokenSource(), []
    source.token.register(lambda: 1 / 0)
    source.token.register(lambda: ran.append(1))
    with pytest.raises(ExceptionGroup) as raised:
        source.cancel()
    assert ran == [1]
    assert [type(error) for error in raised.value.exceptions] == [ZeroDivisionError]
    assert source.token.is_cancellation_requested


async def test_wait_returns_without_suspending_on_a_cancelled_token():
    """The coroutine of wait() ends in its first step."""
    source = CancellationTokenSource()
    source.cancel()
    with pytest.raises(StopIteration):
        source.token.wait().send(None)


async def test_wait_returns_when_the_source_cancels():
    """A waiter that sleeps is woken by cancel()."""
    source = CancellationTokenSource(CountingToken)
    waiter = asyncio.create_task(source.token.wait())
    await source.token.waited_for.wait()
    assert not waiter.done()
    source.cancel()
    await waiter


async def test_wait_wakes_the_waiters_loop_from_another_thread():
    """cancel() in a thread without a loop wakes a waiter in this one."""
    source = CancellationTokenSource(CountingToken)
    waiter = asyncio.create_task(source.token.wait())
    await source.token.waited_for.wait()
    thread = threading.Thread(target=source.cancel)
    thread.start()
    await waiter
    thread.join()


async def test_cancelled_waiter_leaves_nothing_registered():
    """A waiter that gave up is not called when the token is cancelled."""
    source = CancellationTokenSource(CountingToken)
    waiter = asyncio.create_task(source.token.wait())
    await source.token.waited_for.wait()
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert source._state._callbacks == {}


def test_cancel_survives_a_waiter_whose_loop_is_gone():
    """cancel() raises nothing though a waiter's loop was closed before it woke."""
    source = CancellationTokenSource()
    loop = asyncio.new_event_loop()
    waiting = source.token.wait()

    async def begin():
        waiting.send(None)

    loop.run_until_complete(begin())
    loop.close()
    source.cancel()
    waiting.close()


async def test_subclass_sees_each_use_of_the_token_once():
    """_on_consulted is called once for each member that the holder uses, in order."""
    source = CancellationTokenSource(CountingToken)
    token = source.token
    assert not token.is_cancellation_requested
    token.raise_if_cancellation_requested()
    token.register(lambda: None)
    source.cancel()
    await token.wait()
    assert token.consulted == [
        "is_cancellation_requested",
        "raise_if_cancellation_requested",
        "register",
        "wait",
    ]
