"""What a call leaves running is looked for without a trace of the look."""

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
