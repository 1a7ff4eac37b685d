"""The store on S3: results are created and never written over, also by two workers at the same time."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.unit.app.engine.test_store import REPORT
from tests.unit.app.engine.test_task import project, task  # noqa: F401 - fixtures

from aptix_conformance.app.engine.store import Store
from aptix_conformance.core.model.codec import replace

pytest.importorskip("s3fs", reason="s3fs is not installed")
moto = pytest.importorskip("moto.server", reason="moto[server] is not installed")


@pytest.fixture(scope="module")
def server():
    """The server of moto, as a worker finds it by its environment. s3fs keeps its connection, so there is one for all tests."""
    server = moto.ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    variables = {
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        yield
    server.stop()


@pytest.fixture
def url(server):
    """A folder in a bucket of its own."""
    bucket = f"bucket-{uuid.uuid4()}"
    Store.open(f"s3://{bucket}").files.mkdir(bucket)
    return f"s3://{bucket}/results"


def test_a_result_is_written_once(url, task):  # noqa: F811
    store = Store.open(url)
    assert store.addresses() == frozenset()
    store.write(task, REPORT)
    assert store.addresses() == {task.address}
    store.write(task, replace(REPORT, calls=99))
    with pytest.raises(FileExistsError, match="another result"):
        store.write(task, replace(REPORT, status="nonconforming"))
    assert store.read(task).report == REPORT


def test_of_two_workers_at_once_one_creates_the_result(url, task):  # noqa: F811
    """Both look at an empty place; only a write that S3 itself refuses keeps the first."""
    path = f"{Store.open(url).root}/results/00/x.json"

    def create(content):
        try:
            Store.open(url)._put(path, content)
        except FileExistsError:
            return None
        return content

    with ThreadPoolExecutor(2) as executor:
        first, second = executor.map(create, (b"one", b"two"))
    (kept,) = filter(None, (first, second))
    assert Store.open(url).files.cat_file(path) == kept


def test_a_bucket_that_is_not_there_is_one_line(url, task):  # noqa: F811
    with pytest.raises(OSError, match="bucket") as caught:
        Store.open("s3://no-such-bucket/results").write(task, REPORT)
    assert "\n" not in str(caught.value)
