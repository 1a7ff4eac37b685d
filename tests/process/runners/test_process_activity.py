"""What a call leaves running is looked for without a trace of the look."""

import concurrent.futures
import gc
import threading
import weakref

from aptix_conformance.runners.python.disturb.cancel.process_activity import Surroundings


def test_looking_at_other_threads_leaves_no_variable_to_the_garbage_collector():
    """A cycle of frames would keep them; what the collector then finds crashes Python 3.12.1 if it is a buffer."""

    class Variable:
        """Something that a call holds."""

    def work():
        held = Variable()
        kept.append(weakref.ref(held))
        begun.set()
        ended.wait()

    kept, begun, ended, before = [], threading.Event(), threading.Event(), Surroundings()
    thread = threading.Thread(target=work)
    gc.disable()
    try:
        thread.start()
        begun.wait()
        assert len(list(Surroundings().beyond(before))) == 1
        ended.set()
        thread.join()
        assert kept[0]() is None
    finally:
        gc.enable()


def test_work_that_a_call_gives_to_an_idle_thread_of_a_pool_is_seen():
    """Such as asyncio.to_thread, after an earlier call has used the pool."""
    first, ended = Surroundings(), threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        try:
            pool.submit(int).result()
            while list(Surroundings().beyond(first)):
                pass  # the thread is about to be idle
            before, begun = Surroundings(), threading.Event()
            pool.submit(lambda: (begun.set(), ended.wait()))
            begun.wait()
            (left,) = Surroundings().beyond(before)
            assert left.startswith("the thread ThreadPoolExecutor")
        finally:
            ended.set()
