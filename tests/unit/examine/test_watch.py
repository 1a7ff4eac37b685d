"""The steps of an examination, counted and timed."""

from aptix_conformance.examine import Watch


def test_calls_and_seconds_belong_to_the_step_that_they_fall_into():
    times = iter([0.0, 2.0, 2.0, 5.0, 5.0, 6.0])
    heard = []
    watch = Watch(lambda *said: heard.append(said), clock=lambda: next(times))
    with watch.during("declaration"):
        pass
    with watch.during("valid"):
        watch.made_call()
        watch.made_call()
    with watch.during("declaration"):
        watch.made_call()
    assert watch.seconds == {"declaration": 3.0, "valid": 3.0}
    assert watch.calls == {"declaration": 1, "valid": 2}
    assert heard == [
        ("declaration", 0, ""),
        ("valid", 0, ""),
        ("valid", 1, ""),
        ("valid", 2, ""),
        ("declaration", 2, ""),
        ("declaration", 3, ""),
    ]


def test_the_first_must_that_is_seen_broken_is_told_at_once_and_kept():
    heard = []
    watch = Watch(lambda *said: heard.append(said), gate={"ARG005", "EXC001"})
    with watch.during("valid"):
        for code in ("LOG001", "EXC001", "ARG005"):
            watch.saw_broken(code)
        watch.made_call()
    assert heard == [("valid", 0, ""), ("valid", 0, "EXC001"), ("valid", 1, "EXC001")]
