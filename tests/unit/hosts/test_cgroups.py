"""The limits of control groups, in both versions."""

import pytest

from aptix_conformance.hosts import cgroups


@pytest.fixture
def files(monkeypatch):
    """A function that returns the limits of memory, where some files have a text and no other file is there."""

    def limits(texts):
        def read(path, _encoding):
            if str(path) not in texts:
                raise FileNotFoundError(path)
            return texts[str(path)]

        monkeypatch.setattr(cgroups.Path, "read_text", read)
        return list(cgroups.limits("memory", "memory.max", "memory.limit_in_bytes"))

    return limits


def test_the_limit_of_an_enclosing_group_counts(files):
    second = "/sys/fs/cgroup/user/run"
    texts = {"/proc/self/cgroup": "0::/user/run\n", f"{second}/memory.max": "max\n"}
    assert files({**texts, "/sys/fs/cgroup/user/memory.max": "4096\n"}) == [4096]


@pytest.mark.parametrize("controllers", ["memory", "cpu,memory"])
def test_the_limit_of_the_first_version_counts(files, controllers):
    file = f"/sys/fs/cgroup/{controllers}/run/memory.limit_in_bytes"
    texts = {"/proc/self/cgroup": f"7:{controllers}:/run\n3:cpuset:/run\n"}
    assert files({**texts, file: "8192\n"}) == [8192]
    assert files({**texts, file: "9223372036854771712\n"}) == []


@pytest.mark.parametrize("text", ["", "no colons\n", "0::/run\n"])
def test_what_cannot_be_read_is_no_limit(files, text):
    assert files({"/proc/self/cgroup": text}) == []
