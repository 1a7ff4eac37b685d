"""Tools of the AI SDK whose results, descriptions or places in a module are odd."""

import pytest
from tests.process.hosts.node.benches import called, result

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import Outcome

MODULE = """
import { tool } from 'ai';
import { z } from 'zod';

const nothing = z.object({});
const made = (parts) => tool({ inputSchema: nothing, execute: async () => 1, ...parts });
const stamp = (() => { let count = 0; return () => `Reading ${(count += 1)}.`; })();
const rows = () => Array.from({ length: 60 }, () => ({ at: undefined, day: new Date(0) }));
class Bag { items = new Map(); toJSON() { return { items: [] }; } }
const RESULTS = {
  rows: () => ({ rows: rows(), last: new Set() }),
  nested: () => ({ a: [1, { b: Promise.resolve(1) }] }),
  number: () => [1, NaN],
  response: () => new Response('x'),
  parameters: () => ({ query: new URLSearchParams('a=1') }),
  error: () => ({ failed: new Error('x') }),
  pattern: () => ({ pattern: /a/ }),
  bytes: () => new ArrayBuffer(8),
  iterator: () => ({ keys: new Map().keys() }),
  bag: () => ({ bag: new Bag() }),
  plain: () => ({ day: new Date(0), empty: {}, own: Object.assign(new Map(), { kept: 1 }) }),
  gone: () => ({ toJSON() {} }),
  big: () => 1n,
};
const OUTPUTS = {
  word: { type: 'json', value: 'hi' }, big: { type: 'json', value: { n: 1n } }, none: { type: 'json', value: undefined },
  map: { type: 'json', value: { n: new Map() } }, text: { type: 'text', value: 'hi' }, failed: { type: 'error-json', value: { code: 1 } },
};
const inputSchema = z.object({ how: z.string() });
export const gives = tool({ inputSchema, execute: async ({ how }) => RESULTS[how]() });
export const shows = tool({ inputSchema, execute: async ({ how }) => how, toModelOutput: ({ output }) => OUTPUTS[output] });
export const patches = tool({ inputSchema, execute: async ({ how }) => {
  Map.prototype.get = Map.prototype.set = Array.isArray = Object.keys = String.prototype.trim = () => { throw new Error('patched'); };
  return RESULTS[how]();
} });
export const weatherTool = made({ description: ({ context }) => `Tells the weather${context === undefined ? '' : ' elsewhere'}.` });
export const files = { 'files.read': made({}), get_weather: weatherTool };
export const db = { 'db.read': made({}), helper: 1 };
export const makeSet = () => ({ made: made({}) });
export const agent = { tools: { held: made({}) } };
export const stamped = made({ description: stamp });
export const aimed = made({ description: ({ context }) => context.user });
export const shielded = made({ execute: new Proxy(async () => 'shielded', { get() { throw new Error('no'); } }) });
export const keyed = made({ contextSchema: z.object({ key: z.string() }), execute: async (_input, { context }) => context.key });
export const greets = made({ contextSchema: z.object({ user: z.string() }), description: ({ context }) => `Greets ${context.user}.` });
export const makeUser = async () => ({ user: 'Ada' });
export const makeKey = () => ({ key: `k${(keysMade += 1)}` });
let keysMade = 0;
export const makeNothing = () => { throw new Error('no database'); };
export const bash = { ...made({}), type: 'provider', id: 'some.bash', args: {} };
const alias = made({});
export { alias as 'module.exports', alias as default };
export const thrower = { inputSchema: nothing, get execute() { throw new Error('not yet'); } };
"""


def test_a_key_of_a_toolset_is_a_name_and_what_no_model_can_call_here_has_a_reason(ai_sdk, opened):
    """The key stays whole, dots too, and goes before the name of an export."""
    tools, reasons = ai_sdk.listed()
    assert {"files.read", "db.read", "get_weather", "default"} < set(tools)
    assert set(tools).isdisjoint({"weatherTool", "module.exports", "bash", "thrower"})
    assert reasons["bash"].startswith("is of the type provider")
    assert reasons["thrower"] == "has an execute that throws when it is read: Error: not yet"
    for name, own in (
        ("files.read", "files.read"),
        ("db.db.read", "db.read"),
        ("weatherTool", "get_weather"),
    ):
        assert opened(name).describe().tool_name.value == own


@pytest.mark.parametrize(
    ("name", "text", "listed"),
    [
        ("route.mjs", "import 'ai'; export const runtime = 'edge'; export const POST = async () => {};", ()),
        (
            "one.cjs",
            "module.exports = { inputSchema: {}, execute() {} }; module.exports.own = 1;",
            ("default",),
        ),
        ("set.cjs", "exports.a = { inputSchema: {}, execute() {} };", ("a",)),
    ],
)
def test_a_module_says_what_it_exports(ai_sdk, name, text, listed):
    ai_sdk.write(name, text)
    tools, reasons = ai_sdk.listed(f"./{name}")
    assert tools == listed
    assert bool(listed) != any("inside a function cannot be reached" in why for why in reasons.values())


def test_a_description_is_made_for_each_reading(opened):
    """One that throws is no missing one, and ends no describing; neither does an execute that nobody can look at."""
    stamped = opened("stamped").describe()
    assert "Reading 1." in stamped.schema.text
    assert "Reading 2." in stamped.schema_again.text
    assert stamped.usage_text.value == "Reading 1."
    aimed = opened("aimed").describe()
    assert (aimed.schema.outcome, aimed.usage_text.kind) == ("raised", "property")
    assert "Tells the weather." in opened("weatherTool").describe().schema.text
    shielded = opened("shielded")
    assert (shielded.describe().execute.parameters, called(shielded).result.payload) == ((), "shielded")


@pytest.mark.parametrize(
    ("how", "lost"),
    [
        ("rows", "class Set at last"),
        ("nested", "class Promise at a[1].b"),
        ("number", "NaN at [1]"),
        ("response", "class Response at the top"),
        ("parameters", "class URLSearchParams at query"),
        ("error", "class Error at failed"),
        ("pattern", "class RegExp at pattern"),
        ("bytes", "class ArrayBuffer at the top"),
        ("iterator", "an iterator at keys"),
        ("bag", None),
        ("plain", None),
    ],
)
def test_what_json_empties_is_found_wherever_it_is(opened, how, lost):
    """JSON.stringify is asked itself, so a toJSON counts as what it gives."""
    assert result(opened("gives"), how=how).unserialisable == lost


def test_a_tool_cannot_change_what_looks_for_losses(opened):
    patched = opened("patches")
    assert result(patched, how="nested").unserialisable == "class Promise at a[1].b"


def test_a_result_that_json_leaves_out_is_null_as_for_the_sdk(opened):
    given = result(opened("gives"), how="gone")
    assert (given.successful, given.payload) == (True, "null")


@pytest.mark.parametrize(
    ("how", "payload", "lost"),
    [
        ("word", '"hi"', None),
        ("text", "hi", None),
        ("map", '{"n":{}}', "class Map at n"),
        ("big", None, None),
        ("none", None, None),
    ],
)
def test_what_to_model_output_gives_is_read_by_its_type(opened, how, payload, lost):
    """What has no form in JSON is no result."""
    given = result(opened("shows"), how=how)
    assert (given.payload, given.unserialisable, given.is_invoke_result) == (
        payload,
        lost,
        payload is not None,
    )


def test_the_model_reads_an_error_of_to_model_output_as_json(opened):
    assert result(opened("shows"), how="failed").error_message == '{"code":1}'


def test_blank_arguments_are_none_as_for_the_sdk(opened):
    assert called(opened("stamped"), " \n").result.payload == "1"


def test_a_tool_with_a_context_schema_needs_a_factory(opened):
    """Without one it is not called; one whose description needs the context cannot be described either."""
    keyed = opened("keyed")
    assert keyed.describe().missing_services == ("context",)
    assert called(keyed).outcome is Outcome.NOT_CONSTRUCTED
    with pytest.raises(TargetError, match=r"services = \{ context"):
        opened("greets").describe()


def test_each_call_has_a_context_of_its_own(opened):
    keyed = opened("keyed", context="./tools.mjs:makeKey")
    assert keyed.describe().missing_services == ()
    first, second = (called(keyed).result.payload for _ in range(2))
    assert int(first[1:]) < int(second[1:])
    greets = opened("greets", context="./tools.mjs:makeUser").describe()
    assert greets.usage_text.value == "Greets Ada."
    assert (greets.facts.variable, greets.facts.holder, greets.facts.keys) == ("greets", "", ())


@pytest.mark.parametrize(
    ("services", "fault"),
    [
        ({"deps": "./tools.mjs:makeKey"}, "gives a tool its context"),
        ({"context": "./tools.mjs:makeNobody"}, "exports no factory makeNobody"),
        ({"context": "./tools.mjs:makeNothing"}, "no database"),
        ({"context": "./tools.mjs:makeUser"}, "made none that the tool takes"),
    ],
)
def test_a_service_that_cannot_be_the_context_is_refused(opened, services, fault):
    with pytest.raises(TargetError, match=fault):
        opened("keyed", **services).describe()


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("files.read", ("files", "", ("files.read",))),
        ("db.db.read", ("db", "", ("db.read",))),
        ("weatherTool", ("files", "", ("get_weather",))),
        ("makeSet.made", ("makeSet", "function", ("made",))),
        ("held", ("agent", "", ("tools", "held"))),
    ],
)
def test_a_declaration_says_where_the_module_has_the_tool(opened, name, place):
    facts = opened(name).describe().facts
    assert (facts.variable, facts.holder, facts.keys) == place
