import dataclasses
import json
import pathlib

import pytest

from aptix_harness import CancellationToken
from aptix_reference_tools import (
    AgentListModesTool,
    InMemoryModeCatalog,
    JsonFileModeCatalog,
    ModeCatalogError,
    make_catalog,
)

FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures" / "mode_catalogs"
MODE = {
    "id": "5f0c7a52d1b34e0f9a6c2b8e7d4f1a03",
    "key": "general",
    "displayName": "General",
    "description": "Everything else.",
}


async def modes_of(catalog):
    """Return all modes of a catalog."""
    return await catalog.get_all_modes(CancellationToken.none())


@pytest.fixture
def catalog_of(tmp_path):
    """Return a function that writes a file and returns the catalog in it."""

    def write(content):
        path = tmp_path / "modes.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return JsonFileModeCatalog(path)

    return write


async def test_typical_catalog_has_one_default_and_distinct_keys():
    """make_catalog() gives what a real catalog looks like."""
    modes = await modes_of(make_catalog())
    assert sum(mode.is_default for mode in modes) == 1
    assert len({mode.key for mode in modes}) == len({mode.id for mode in modes}) == len(modes) > 1
    assert all(len(mode.id) == 32 for mode in modes)


async def test_mode_cannot_be_changed():
    """Who is handed a mode cannot change it for others."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        (await modes_of(make_catalog()))[0].key = "other"


async def test_catalog_in_memory_keeps_what_it_was_given():
    """A list that changes later changes nothing."""
    given = list(await modes_of(make_catalog()))
    catalog = InMemoryModeCatalog(given)
    given.clear()
    assert await modes_of(catalog) == await modes_of(make_catalog())


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("typical", 3),
        ("one_mode", 1),
        ("empty", 0),
        ("null_optional_fields", 2),
        ("unicode_rtl", 3),
        ("duplicates", 4),
    ],
)
async def test_catalog_of_a_file_is_listed_as_it_stands_in_the_file(make, name, count):
    """The tool shows each file's modes, members and order unchanged."""
    path = FIXTURES / f"{name}.json"
    result = await make(AgentListModesTool, JsonFileModeCatalog(path)).execute(
        '{"includeExamples": true}', None
    )
    shown = json.loads(result.result)["modes"]
    absent = {
        "systemPromptSummary": "",
        "isDefault": False,
        "humanRoleHints": None,
        "exampleUtterances": None,
    }
    assert shown == [absent | mode for mode in json.loads(path.read_text(encoding="utf-8"))["modes"]]
    assert len(shown) == count


async def test_every_fixture_is_tested():
    """A new fixture needs a line above."""
    assert len(list(FIXTURES.glob("*.json"))) == 6


async def test_file_is_read_anew_each_time(catalog_of):
    """A changed file shows at once."""
    catalog = catalog_of({"modes": []})
    assert await modes_of(catalog) == ()
    catalog_of({"modes": [MODE]})
    assert [mode.key for mode in await modes_of(catalog)] == ["general"]


async def test_byte_order_mark_of_an_editor_is_no_fault(catalog_of):
    """Files from Windows can be read."""
    assert await modes_of(catalog_of('\ufeff{"modes": []}')) == ()


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000], ids=["empty", "truncated", "deep"])
async def test_file_that_is_not_json_is_an_error_that_names_the_file(catalog_of, content):
    """So one knows where to look."""
    with pytest.raises(ModeCatalogError, match=r"modes\.json could not be read as JSON"):
        await modes_of(catalog_of(content))


async def test_missing_file_is_an_error_that_names_the_file(tmp_path):
    """A path may be given as text, too."""
    with pytest.raises(ModeCatalogError, match=r"nowhere\.json could not be read"):
        await modes_of(JsonFileModeCatalog(str(tmp_path / "nowhere.json")))


async def test_file_in_another_encoding_is_an_error(tmp_path):
    """Bytes that are no UTF-8 do not come out as UnicodeDecodeError."""
    path = tmp_path / "modes.json"
    path.write_bytes(b'{"modes": ["\xff"]}')
    with pytest.raises(ModeCatalogError):
        await modes_of(JsonFileModeCatalog(path))


@pytest.mark.parametrize("content", [[], {}, {"modes": None}, {"modes": {}}], ids=repr)
async def test_file_without_modes_is_an_error(catalog_of, content):
    """The message says what to add."""
    with pytest.raises(ModeCatalogError, match='not an object with an array "modes"'):
        await modes_of(catalog_of(content))


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("general", "is not an object"),
        ({key: value for key, value in MODE.items() if key != "key"}, "has no key"),
        (MODE | {"description": None}, "has no description"),
        (MODE | {"displayName": 7}, "has no displayName"),
        (MODE | {"systemPromptSummary": None}, "has no systemPromptSummary"),
        (MODE | {"id": "5f0c7a52-d1b3-4e0f-9a6c-2b8e7d4f1a03"}, "not a GUID without hyphens"),
        (MODE | {"id": MODE["id"] + "\n"}, "not a GUID without hyphens"),
        (MODE | {"isDefault": "yes"}, "neither true nor false"),
        (MODE | {"humanRoleHints": "developer"}, "has a humanRoleHints that is neither null nor an array"),
        (MODE | {"exampleUtterances": ["x", 7]}, "has a exampleUtterances that is neither null nor an array"),
    ],
)
async def test_entry_that_is_no_mode_is_an_error_that_says_where(catalog_of, entry, fault):
    """File, position and fault are named."""
    with pytest.raises(ModeCatalogError, match=rf"modes\.json: modes\[1\] .*{fault}"):
        await modes_of(catalog_of({"modes": [MODE, entry]}))
