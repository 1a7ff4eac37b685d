"""Tools of the AI SDK: found in a module, called as generateText calls them, and what the SDK itself does for every tool."""

import json

import pytest
from tests.process.hosts.node.benches import JITI, called, result

from aptix_conformance.core.errors import TargetError
from aptix_conformance.core.model import CancellationPoint, Outcome
from aptix_conformance.hosts import Environment, Limits
from aptix_conformance.systems.pools import Systems
from aptix_conformance.targets import ToolSettings

MODULE = """
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonSchema, tool } from 'ai';
import { z } from 'zod';

const number = z.object({ number: z.number() });
const loose = jsonSchema({ type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] });
class NotFound extends Error {}

export const tools = {
  echo: tool({ description: 'Gives back what it is sent.', inputSchema: number, inputExamples: [{ input: { number: 1 } }], execute: async (input) => input }),
  unread: tool({ inputSchema: loose, execute: (input) => input }),
  counts: tool({ inputSchema: number, async *execute({ number }) { for (let n = 1; n <= number; n++) yield { n }; } }),
  asks: tool({ description: 'Asks a person.', inputSchema: number, outputSchema: z.string() }),
  'two words': tool({ inputSchema: number, execute: async () => 1 }),
  old: { description: 'Of AI SDK 4.', parameters: number, execute: async () => 1 },
};
export const fails = tool({
  inputSchema: z.object({ how: z.string() }),
  execute: async ({ how }, { toolCallId, messages }) => {
    if (how === 'own') throw new NotFound('Choose another way.');
    if (how === 'text') throw 'a text';
    if (how === 'bug') return how.missing.member;
    if (how === 'big') return { count: 1n };
    if (how === 'map') return { counts: new Map() };
    if (how === 'nothing') return undefined;
    return [typeof toolCallId, messages.length];
  },
});
export const shown = tool({
  inputSchema: z.object({ how: z.string() }),
  execute: async ({ how }) => how,
  toModelOutput: ({ output }) => {
    if (output === 'throw') throw new TypeError('no form');
    if (output === 'refuse') return { type: 'error-text', value: 'It is gone.' };
    return { type: 'text', value: `<${output}>` };
  },
});
export const waits = tool({ inputSchema: z.object({}), execute: async () => { await sleep(1500); return 'done'; } });
export const obeys = tool({
  inputSchema: z.object({}),
  execute: async (_input, { abortSignal }) => { await sleep(1500, 'done', { signal: abortSignal }); return 'done'; },
});
export const leaves = tool({
  inputSchema: z.object({}),
  execute: async (_input, { abortSignal }) => { setTimeout(() => {}, 4000); await sleep(1500, '', { signal: abortSignal }); },
});
export const blocks = tool({ inputSchema: z.object({}), execute: async () => { const { user } = process.cpuUsage(); while (process.cpuUsage().user < user + 300_000); } });
export class Agent { tools = { held: tools.echo, fetched: tool({ inputSchema: number, execute: async () => 'fetched' }) }; }
export const agent = new Agent();
export const makeTools = (key = 'k') => ({ made: tool({ inputSchema: number, execute: async () => key }) });
export default tools.echo;
"""


def test_objects_are_tools_also_those_of_a_toolset_and_an_agent(ai_sdk):
    """What is passed over says why."""
    tools, reasons = ai_sdk.listed()
    assert tools == (
        "blocks",
        "counts",
        "echo",
        "fails",
        "fetched",
        "leaves",
        "obeys",
        "shown",
        "unread",
        "waits",
    )
    assert reasons["tools.asks"].startswith("has no execute")
    assert reasons["tools.old"].startswith("has parameters and no inputSchema")
    assert reasons["makeTools"].startswith("may be a factory")
    assert reasons["tools.two"] == "words has a name that no target spec can hold"


def test_a_tool_is_found_in_its_object_and_in_what_a_factory_gives(opened):
    assert result(opened("tools.echo"), number=1).payload == '{"number":1}'
    assert result(opened("makeTools.made"), number=1).payload == "k"


def test_a_name_that_no_tool_has_is_answered_with_those_there_are(opened):
    with pytest.raises(TargetError, match=r"no tool of that name; those in the module are .*echo"):
        opened("nobody").describe()


def test_a_project_without_the_sdk_is_told_to_install_it(tmp_path):
    (tmp_path / "tools.mjs").write_text("export const t = { inputSchema: {}, execute() {} };")
    with (
        Systems(Environment(tmp_path, (), limits=Limits(start=20.0))) as systems,
        pytest.raises(TargetError, match="npm install ai"),
    ):
        systems.list_tools("ai-sdk", "./tools.mjs", ToolSettings())


def test_typescript_is_loaded_by_the_jiti_of_the_project(ai_sdk, opened):
    if not JITI.is_dir():
        pytest.skip("reference_tools/art: npm install")
    ai_sdk.write("typed.ts", "import { tool } from 'ai';\nimport { z } from 'zod';\nconst word: string = 'typed';\n"
                "export const typed = tool({ inputSchema: z.object({}), execute: async () => word });")  # fmt: skip
    assert called(opened("typed", "./typed.ts")).result.payload == "typed"


@pytest.mark.clause("AIS.1.2", "AIS.1.3")
def test_a_zod_schema_refuses_before_the_tool_runs_and_a_json_schema_takes_anything(opened):
    """What the page says of the SDK: unknown members are dropped without a word."""
    declared = opened("echo").describe()
    assert json.loads(declared.schema.text)["parameters"]["additionalProperties"] is False
    assert [example.arguments for example in declared.facts.examples()] == [{"number": 1}]
    assert (declared.facts.validates, opened("unread").describe().facts.validates) == (True, False)
    assert result(opened("echo"), number=4, more=1).payload == '{"number":4}'
    for forbidden in ('{"number": "4"}', "{}", "null", '{"number": NaN}'):
        assert called(opened("echo"), forbidden).refused
    assert result(opened("unread"), number="x").payload == '{"number":"x"}'


def test_arguments_that_are_no_json_are_refused_without_the_names_of_classes(opened):
    """SDK 7 names the class of each error; to EXC006 that would look like words of the tool."""
    message = called(opened("echo"), '{"number": NaN}').result.error_message
    assert message.startswith("Invalid input for tool echo: JSON parsing failed")
    assert "SyntaxError" not in message


@pytest.mark.clause("AIS.2.1")
def test_the_model_reads_what_execute_throws(opened):
    """SDK 7 puts the name of the class before it, which is not the tool's word."""
    fails = opened("fails")
    assert result(fails, how="own").error_message == "Choose another way."
    assert result(fails, how="text").error_message == "a text"
    assert result(fails, how="bug").error_message.startswith("Cannot read properties of undefined")
    assert json.loads(result(fails, how="").payload) == ["string", 1]


@pytest.mark.clause("AIS.3.1", "AIS.3.2")
def test_a_result_is_json_and_one_without_a_form_in_json_is_none(opened):
    fails = opened("fails")
    big = result(fails, how="big")
    assert (big.is_invoke_result, "no JSON form" in big.type_name) == (False, True)
    assert result(fails, how="map").unserialisable == "class Map at counts"
    assert result(fails, how="nothing").payload == "null"
    assert result(opened("shown"), how="x").payload == "<x>"
    assert result(opened("shown"), how="refuse").error_message == "It is gone."
    assert called(opened("shown"), '{"how": "throw"}').raised.type_name == "TypeError"


@pytest.mark.clause("AIS.3.3")
def test_the_last_of_several_results_is_the_result(opened):
    assert result(opened("counts"), number=3).payload == '{"n":3}'


# ---- cancellation


def cancelled(host, kind="token", at=1.0):
    call = called(host, point=CancellationPoint(kind, at, within=0.2))
    return call, call.disturbed


@pytest.mark.clause("AIS.4.1")
def test_a_call_that_obeys_its_signal_ends_when_it_is_aborted(opened):
    call, disturbed = cancelled(opened("obeys"))
    assert (call.outcome, call.refused, disturbed.reached) == (Outcome.RETURNED, True, True)
    assert call.token_consultations > 0
    assert disturbed.left_running == ()


def test_a_call_that_never_looks_at_its_signal_goes_on(opened):
    call, disturbed = cancelled(opened("waits"))
    assert (call.succeeded, disturbed.reached, call.token_consultations) == (True, True, 0)


def test_what_a_cancelled_call_leaves_is_named(opened):
    _, disturbed = cancelled(opened("leaves"), "delay", 0.05)
    assert disturbed.left_running == ("a timer",)


def test_a_call_that_ends_at_once_has_no_place_to_be_cancelled_at(opened):
    host = opened("counts")
    call = called(host, '{"number": 2}', CancellationPoint("token", 1.0))
    assert (call.succeeded, call.disturbed.reached, call.disturbed.suspensions) == (True, False, ())


def test_a_signal_that_is_aborted_before_the_call_is_seen(opened):
    call, disturbed = cancelled(opened("obeys"), "before", 0.0)
    assert (call.refused, disturbed.place) == (True, "before the call")


def test_a_call_that_keeps_the_event_loop_is_seen(opened):
    call, disturbed = cancelled(opened("blocks"), "watch", 0.0)
    assert call.succeeded
    assert disturbed.blocked > 0.2
