import asyncio
import dataclasses
import json
from collections.abc import Sequence

import pytest

from aptix_harness import AgentToolRegistry, CancellationTokenSource, OperationCanceledError
from aptix_reference_tools import AgentListModesTool, AgentModeSummary, InMemoryModeCatalog, make_catalog

MODE = AgentModeSummary(
    id="5f0c7a52d1b34e0f9a6c2b8e7d4f1a03",
    key="general",
    display_name="General",
    description="Everything else.",
    system_prompt_summary="Be brief.",
    is_default=True,
    human_role_hints=("developer",),
    example_utterances=("What can you do?",),
)


class Catalog:
    """A catalog that does whatever a function does."""

    def __init__(self, answer):
        self._answer = answer

    async def get_all_modes(self, cancellation_token):
        return self._answer()


@pytest.fixture
def listed(make):
    """Return a function that lists a catalog's modes and returns the parsed payload."""

    async def list_modes(catalog, arguments="{}"):
        result = await make(AgentListModesTool, catalog).execute(arguments, None)
        assert result.successful, result.error_message
        return json.loads(result.result)

    return list_modes


@pytest.fixture
def unavailable(make, logger):
    """Return a function that checks that a catalog is reported as unavailable, and returns what was logged."""

    async def check(catalog):
        result = await make(AgentListModesTool, catalog).execute("{}", None)
        assert (result.successful, result.result) == (False, None)
        (error,) = result.errors
        assert (error.code, error.message) == ("CATALOG_UNAVAILABLE", "The mode catalog is not available.")
        ((method, tag, exception),) = logger.calls
        assert (method, tag) == ("add_exception", "[AgentListModesTool_ExecuteAsync__Exception]")
        return exception

    return check


# The four tests that TUL-010.6.1 asks for.


@pytest.mark.clause("TUL-010.6.1")
def test_tul_010_6_schema_and_registration(logger):
    """Registering the class raises nothing and logs no error."""
    AgentToolRegistry(logger).register(AgentListModesTool)
    assert [call[0] for call in logger.calls] == ["trace"]


@pytest.mark.clause("TUL-010.6.1", "TUL-011.5.4")
async def test_tul_010_6_happy_path_with_catalog_data(listed):
    """Minimal arguments give all modes with their required fields."""
    payload = await listed(InMemoryModeCatalog([MODE]))
    assert payload == {
        "modes": [
            {
                "id": MODE.id,
                "key": "general",
                "displayName": "General",
                "description": "Everything else.",
                "systemPromptSummary": "Be brief.",
                "isDefault": True,
                "humanRoleHints": ["developer"],
                "exampleUtterances": None,
            }
        ]
    }


@pytest.mark.clause("TUL-010.6.1", "TUL-011.5.4")
async def test_tul_010_6_happy_path_with_include_examples(listed):
    """Asked for, the examples of the catalog are there."""
    payload = await listed(InMemoryModeCatalog([MODE]), '{"includeExamples": true}')
    assert payload["modes"][0]["exampleUtterances"] == ["What can you do?"]


@pytest.mark.clause("TUL-010.6.1")
async def test_tul_010_6_catalog_failure_path(unavailable):
    """A catalog that raises is a failed result with a message and without a payload, and is logged."""

    def explode():
        raise ConnectionError("secret")

    assert str(await unavailable(Catalog(explode))) == "secret"


async def test_modes_keep_the_order_of_the_catalog(listed):
    """The catalog decides what comes first."""
    modes = [dataclasses.replace(MODE, key=key) for key in ("b", "a", "c")]
    assert [mode["key"] for mode in (await listed(InMemoryModeCatalog(modes)))["modes"]] == ["b", "a", "c"]


@pytest.mark.parametrize("arguments", ['{"includeExamples": false}', '{"includeExamples": null}', "", "{}"])
async def test_examples_are_left_out_unless_asked_for(listed, arguments):
    """False, null and nothing at all are the same."""
    assert (await listed(InMemoryModeCatalog([MODE]), arguments))["modes"][0]["exampleUtterances"] is None


async def test_any_sequence_of_modes_will_do(listed):
    """A sequence of the catalog's own is fine."""

    class Modes(Sequence):
        def __len__(self):
            return 1

        def __getitem__(self, index):
            return [MODE][index]

    assert len((await listed(Catalog(Modes)))["modes"]) == 1


@pytest.mark.parametrize(
    "answer",
    [None, "modes", 7, {"modes": []}, iter([MODE]), [None], ["mode"], [{"id": "x"}]],
    ids=lambda answer: type(answer).__name__,
)
async def test_answer_that_is_no_sequence_of_modes_is_a_failure(unavailable, answer):
    """Null and everything else of the wrong type are logged and reported."""
    await unavailable(Catalog(lambda: answer))


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(AgentModeSummary)])
@pytest.mark.parametrize("value", [7, b"x", ["x", 7]], ids=repr)
async def test_field_of_the_wrong_type_is_a_failure_that_names_the_field(unavailable, field, value, make):
    """Each field of each mode is checked before it is shown."""
    catalog = InMemoryModeCatalog([dataclasses.replace(MODE, **{field: value})])
    if field == "example_utterances":
        assert (await make(AgentListModesTool, catalog).execute("{}", None)).successful
        result = await make(AgentListModesTool, catalog).execute('{"includeExamples": true}', None)
        assert result.errors[0].code == "CATALOG_UNAVAILABLE"
    else:
        assert f"A mode's {field} is " in str(await unavailable(catalog))


async def test_text_in_place_of_a_list_of_texts_is_a_failure(unavailable):
    """A str is a sequence of str, but not what is meant."""
    await unavailable(InMemoryModeCatalog([dataclasses.replace(MODE, human_role_hints="developer")]))


async def test_missing_catalog_is_a_failure(logger):
    """A tool that was wired up without a catalog still answers."""
    result = await AgentListModesTool(logger, None).execute("{}", None)
    assert result.errors[0].code == "CATALOG_UNAVAILABLE"
    assert logger.calls[0][0] == "add_exception"


async def test_catalog_with_its_own_time_out_is_a_failure(unavailable):
    """A TimeoutError of the catalog is not taken for a cancelled call."""

    def expire():
        raise TimeoutError("catalog")

    assert str(await unavailable(Catalog(expire))) == "catalog"


async def test_catalog_gets_the_token(make):
    """A catalog that heeds the token can do so."""
    seen = []

    class Heedful:
        async def get_all_modes(self, cancellation_token):
            seen.append(cancellation_token)
            return []

    source = CancellationTokenSource()
    await make(AgentListModesTool, Heedful()).execute("{}", None, source.token)
    assert seen == [source.token]


class TestCancellation:
    async def test_prompt_catalog_is_listed_although_the_token_is_cancelled(self, make, cancelled_token):
        """An answer that is there is given, and its shape is the published one."""
        result = await make(AgentListModesTool).execute("{}", None, cancelled_token)
        assert list(json.loads(result.result)) == ["modes"]
        assert len(json.loads(result.result)["modes"]) == len(
            await make_catalog().get_all_modes(cancelled_token)
        )

    async def test_late_cancellation_disturbs_nobody(self, make):
        """A token that is cancelled while the catalog answers, and takes effect after, goes unnoticed."""
        source, problems = CancellationTokenSource(), []
        asyncio.get_running_loop().set_exception_handler(lambda loop, problem: problems.append(problem))

        def answer():
            source.cancel()
            return [MODE]

        result = await make(AgentListModesTool, Catalog(answer)).execute("{}", None, source.token)
        await asyncio.create_task(asyncio.sleep(0))
        assert len(json.loads(result.result)["modes"]) == 1
        assert problems == []

    async def test_catalog_that_heeds_the_token_ends_the_call_as_cancelled(
        self, make, logger, cancelled_token
    ):
        """OperationCanceledError from the catalog is then the cancellation itself."""

        class Heedful:
            async def get_all_modes(self, cancellation_token):
                cancellation_token.raise_if_cancellation_requested()

        result = await make(AgentListModesTool, Heedful()).execute("{}", None, cancelled_token)
        assert json.loads(result.result) == {"modes": [], "cancelled": True}
        assert logger.calls == []

    async def test_cancellation_that_nobody_asked_for_is_a_failure(self, unavailable):
        """OperationCanceledError without a cancelled token is the catalog's fault."""

        def give_up():
            raise OperationCanceledError

        await unavailable(Catalog(give_up))
