"""Mode catalogs in place of the configured one, made of whatever class its author has."""

import json
from pathlib import Path

import pytest
from tests.stimuli import read_disturbance

from aptix_conformance.core.model import Outcome
from aptix_conformance.core.model.codec import replace
from aptix_conformance.runners.paths import RUNNERS
from aptix_conformance.runners.python.disturb.catalog.mode_catalogs import modes_of

FIXTURES = Path(__file__).parents[3] / "fixtures" / "mode_catalogs"
PACKAGED = RUNNERS / "mode_catalogs"

MODES = """
import collections, dataclasses, unittest.mock, uuid

FIELDS = dict(id="5f0c7a52d1b34e0f9a6c2b8e7d4f1a03", key="general", display_name="General", description="All.",
              system_prompt_summary="", is_default=True, human_role_hints=("developer",), example_utterances=None)

@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    id: str; key: str; display_name: str; description: str; system_prompt_summary: str; is_default: bool
    human_role_hints: tuple; example_utterances: tuple

class Plain:
    def __init__(self, **fields):
        vars(self).update(fields)

class Slotted:
    __slots__ = tuple(FIELDS)
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)

class Copied(Plain):
    def model_copy(self, update):
        return Copied(**{**vars(self), **update})

Tuple = collections.namedtuple("Tuple", FIELDS)

class Refusing(Plain):
    def __setattr__(self, name, value):
        raise TypeError("read-only")
    def __copy__(self):
        raise TypeError("no copies")

KINDS = {"frozen": Frozen, "plain": Plain, "slotted": Slotted, "copied": Copied, "tuple": Tuple, "dict": dict,
         "refusing": Refusing}
KIND = "frozen"

class Catalog:
    def __init__(self, modes): self.modes = modes
    async def _read(self): return self.modes
    async def get_all_modes(self, token): return await self._read()

def make(): return Catalog([KINDS[KIND](**FIELDS)])
def make_empty(): return Catalog([])
def make_bare(): return Catalog([{"id": "1", "key": "k"}])
def make_mock():
    mock = unittest.mock.AsyncMock()
    mock.get_all_modes.return_value = [Frozen(**FIELDS)]
    return mock
ONE = make()
def make_one(): return ONE

def described(mode):
    read = (lambda name: mode[name]) if isinstance(mode, dict) else (lambda name: getattr(mode, name))
    return {name: read(name) for name in FIELDS}
"""
BODY = """
try:
    modes = await self.catalog.get_all_modes(cancellation_token)
    return InvokeResult.create(json.dumps([described(mode) for mode in modes]))
except Exception as error:
    return InvokeResult.from_error(type(error).__name__)
"""


@pytest.fixture(scope="module")
def call(module_bench):
    """Makes one call of a tool that lists what its catalog gives."""
    bench = module_bench()

    def make(catalog, kind="frozen", factory="make", body=BODY):
        source = bench.tool("Listing", body).replace(
            "def __init__(self, logger):",
            "def __init__(self, logger, catalog):\n        self.catalog = catalog",
        )
        bench.added += 1
        module = f"listing{bench.added}"
        bench.write(module, MODES.replace('KIND = "frozen"', f'KIND = "{kind}"') + source)
        host = bench.open(f"{module}:Listing", services={"catalog": f"{module}:{factory}"})
        plan = replace(
            bench.plan(), disturbance=read_disturbance(f"catalog:{catalog}" if catalog else "nothing")
        )
        return host.execute(plan)

    return make


def listed(call):
    assert call.succeeded, call
    return json.loads(call.result.payload)


def test_the_catalogs_are_those_of_the_fixtures():
    """The suite carries a copy, so that an installed one has them too."""
    assert {p.name: p.read_text("utf-8") for p in PACKAGED.glob("*.json")} == {
        p.name: p.read_text("utf-8") for p in FIXTURES.glob("*.json")
    }


@pytest.mark.parametrize("kind", ["frozen", "plain", "slotted", "copied", "tuple", "dict"])
def test_modes_are_made_of_the_authors_own_class(call, kind):
    found = call("typical", kind)
    wanted = modes_of("typical")
    assert [mode["id"] for mode in listed(found)] == [mode["id"] for mode in wanted]
    assert listed(found)[1]["human_role_hints"] == ["architect", "product owner"]
    assert (found.disturbed.reached, found.disturbed.place) == (True, "catalog.get_all_modes()")
    assert found.disturbed.changed == ()


@pytest.mark.parametrize("factory", ["make_mock", "make_one"])
def test_a_mock_and_a_service_that_lives_on_are_replaced_and_left_as_they_were(call, factory):
    assert len(listed(call("typical", factory=factory))) == 3
    assert len(listed(call("", factory=factory))) == 1


def test_ten_thousand_modes_are_ten_thousand_different_ones(call):
    assert len({mode["id"] for mode in listed(call("many"))}) == 10_000


@pytest.mark.parametrize(("catalog", "error"), [("returns_none", "TypeError"), ("raises", "RuntimeError")])
def test_a_failing_catalog_fails_as_it_says(call, catalog, error):
    found = call(catalog)
    assert found.result.error_message == error
    assert found.disturbed.reached


def test_an_empty_catalog_can_be_had_of_an_empty_one_and_others_cannot(call):
    assert listed(call("empty", factory="make_empty")) == []
    found = call("typical", factory="make_empty")
    assert not found.disturbed.reached
    assert "no mode after which others could be made" in found.disturbed.place


@pytest.mark.parametrize(
    ("kind", "factory", "reason"),
    [("refusing", "make", "cannot be made: TypeError"), ("dict", "make_bare", "no field for displayName")],
)
def test_what_cannot_be_built_says_why(call, kind, factory, reason):
    found = call("typical", kind, factory)
    assert found.outcome is Outcome.RETURNED
    assert not found.disturbed.reached
    assert reason in found.disturbed.place


def test_a_hanging_catalog_heeds_the_token_that_it_is_given(call):
    found = call("hangs")
    assert found.result.error_message == "OperationCanceledError"
    assert not found.disturbed.given_up


def test_a_hanging_catalog_is_released_at_last_for_who_kept_the_token(call):
    found = call("hangs", body=BODY.replace("(cancellation_token)", "(None)"))
    assert found.result.error_message == "TimeoutError"
    assert found.disturbed.given_up


def test_what_is_done_to_the_list_that_is_handed_out_is_seen(call):
    body = BODY.replace("    return Invoke", "    modes.reverse()\n    return Invoke", 1)
    assert call("shared", body=body).disturbed.changed == ()  # the second call turned them back
    emptied = call("shared", body=body.replace("modes.reverse()", "shown = modes.pop()"))
    assert emptied.disturbed.changed[0] == "3 modes became 1"
    changed = call("shared", "plain", body=body.replace("modes.reverse()", "modes[0].key = 'x'"))
    assert "modes[0] was" in changed.disturbed.changed[0]


def test_a_changing_catalog_has_changed_at_the_second_call_of_the_instance(call):
    assert len(listed(call("changing"))) == 3
    kept = BODY.replace("modes = await", "modes = self.kept = getattr(self, 'kept', None) or await")
    assert len(listed(call("changing", body=kept))) == 1
