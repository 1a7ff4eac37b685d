// The Node host: runs in the process of an ART tool, and implements the host protocol (docs/host-protocol.md).
//
// Plain ESM for Node 20 and later, without dependencies. It loads one tool, keeps one instance of it as ART's registry
// does, and runs calls in its event loop. An unhandled rejection, a late exception or process.exit ends the process
// and is the fault of the tool; the host reports it first. The host saves what it needs before it loads the tool, because the
// tool shares the process and may change anything.

import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { relative } from 'node:path';

import { TargetFault, compiled, findExport, listTools, loadModule, makeTool, memberKind, memberNames, neighbours, projectAjv, readSchema } from './load.mjs';
import { isNotFound, missingPackage } from './missing.mjs';
import { leftChanged, openDescriptors, processState, temporaryFiles } from './process_state.mjs';
import { SENTINELS } from './sentinels.mjs';
import { attempt, audit, className, cut, encoded, fromText, isAsyncFunction, isPromise, kindOf, raised, serialised, safeText, formatError, writtenInPart } from './values.mjs';

const VERSION = '1';
const OLDEST = 20;
const TARGET_FAULT = -32001;
const NO_METHOD = -32601;
const BAD_PARAMS = -32602;
const EXIT_BROKEN = 117;
const MOST_LOGS = 1_000;

const { stdout, stderr } = process;
const exit = process.exit.bind(process);
const handlers = process.listenerCount.bind(process);
const later = setImmediate;
const timer = setTimeout;
const activeResources = process.getActiveResourcesInfo.bind(process);
const PromiseOf = Promise;
const all = Promise.all.bind(Promise);
const fd = Number(process.env.APTIX_HOST_FD);
const channel = new Socket({ fd, readable: true, writable: true });

let root = '';
let loaded = null;
let handles = {};
let served = 0;
let leaving = false;

/** A message as one line of ASCII. */
const line = (message) => `${encoded({ jsonrpc: '2.0', ...message })}\n`;

const send = (message) => channel.write(line(message));

/** Report why the process is about to end. */
function incident(words) {
  if (leaving) return;
  leaving = true;
  if (channel.writableLength === 0) attempt(() => writeSync(fd, line({ method: 'incident', params: { words: cut(words, 2_000) } })));
}

process.on('uncaughtExceptionMonitor', (error, origin) => {
  if (handlers('uncaughtException') > 0) return; // the tool catches it, and the process goes on
  const what = origin === 'unhandledRejection' ? 'a rejection that nobody handled' : 'an exception that nobody caught';
  incident(`${what}: ${formatError(error)}`);
});
process.on('exit', (code) => incident(`the process was made to exit with status ${code}`));

async function initialize(params) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST) throw new TargetFault(`ART tools need Node.js ${OLDEST} or later; this is ${process.version}`);
  if (Object.keys(params.services ?? {}).length > 0) {
    throw new TargetFault('an ART tool takes no services from the configuration: export a factory that makes it with what it needs');
  }
  root = params.root;
  handles = params.handles ?? {};
  const { module, file } = await loadModule(params.module, root);
  loaded = { module, file, locator: params.module, exported: null, made: null };
  if (params.qualname) {
    loaded.exported = findExport(module, params.qualname, params.module);
    loaded.made = await makeTool(loaded.exported);
    checkPackages(saysMissing(loaded.made.thrown));
  }
  return { protocol: VERSION, host: 'node', capabilities: ['log', 'together'] };
}

async function describe() {
  const { tool, fault } = loaded.made;
  const { schema, reading, oddities } = readSchema(tool);
  const again = readSchema(tool);
  const own = (name) => attempt(() => schema[name])[0];
  const ajv = await projectAjv(root, loaded.file);
  const neighbouring = await neighbours(loaded.module, loaded.exported.name);
  const [execute] = attempt(() => tool.execute);
  return {
    class_name: loaded.exported.kind === 'factory' ? loaded.exported.name : tool === null ? loaded.exported.name : className(tool),
    module: loaded.locator,
    when: served > 0 ? 'after_calls' : 'start',
    system: 'art',
    tool_name: constant('name', own('name')),
    usage_text: constant('description', own('description')),
    get_schema: member('schema', memberKind(tool, 'schema'), 0),
    schema: asFunction(reading),
    schema_again: asFunction(again.reading),
    name: member('name', 'missing', 0),
    is_tool_fully_executed_on_server: member('is_tool_fully_executed_on_server', 'missing', 0),
    execute: {
      ...member('execute', memberKind(tool, 'execute'), attempt(() => execute.length)[0]),
      is_async: typeof execute === 'function' && isAsyncFunction(execute),
    },
    constructor: [],
    construction_error: fault,
    source: loaded.file.startsWith(`${root}/`) ? relative(root, loaded.file) : loaded.file,
    art: {
      exported: loaded.exported.kind,
      schema: reading,
      oddities,
      neighbours: neighbouring,
      input_compiled: compiled(ajv, own('inputSchema')),
      output_compiled: compiled(ajv, own('outputSchema')),
      members: memberNames(tool),
    },
  };
}

function constant(name, value) {
  const isText = typeof value === 'string';
  const kind = value === undefined ? 'missing' : 'plain';
  return { name, kind, value: isText ? value : null, type_name: value === undefined ? '' : isText ? 'str' : kindOf(value) };
}

function member(name, kind, count) {
  const parameters = ['input', 'context'].concat(Array.from({ length: 20 }, (_, index) => `parameter${index + 3}`));
  const taken = parameters.slice(0, typeof count === 'number' ? count : 0);
  return { name, kind, parameters: taken.map((each) => ({ name: each, kind: 'positional', required: true })) };
}

/** A reading of ART's schema as a reading of the function schema that the model gets. */
function asFunction(reading) {
  if (reading.text === undefined) return reading;
  const schema = fromText(reading.text);
  if (kindOf(schema) !== 'object') return reading;
  const { name, description, inputSchema, ...rest } = schema;
  return { ...reading, text: encoded({ type: 'function', name, description, parameters: inputSchema, art: rest }) };
}

function checkPackages(text) {
  const fault = missingPackage(text, loaded.file);
  if (fault !== null) throw new TargetFault(fault);
}

/** What something thrown says of a module that is not there; null where it says nothing of one. */
const saysMissing = (error) => (attempt(() => isNotFound(error))[0] === true ? raised(error).message : null);

async function execute(params, log) {
  const kind = 'handle' in params ? handles[params.handle] : 'tool';
  const { tool, fault, thrown } = kind === 'tool' ? loaded.made : { tool: SENTINELS[kind](log), fault: null, thrown: null };
  if (fault !== null) return { outcome: 'not_constructed', incident: fault, ...(thrown === null ? {} : { raised: raised(thrown) }) };
  const given = kind === 'tool' ? [] : [params.arguments];
  const input = fromText(params.arguments);
  const context = params.context ?? {};
  let answer, said;
  try {
    const promise = tool.execute(input, context, ...given);
    const value = await promise;
    answer = { outcome: 'returned', result: { ...read(value), awaited: isPromise(promise) } };
    said = answer.result.successful === false ? answer.result.error_message : null;
  } catch (error) {
    answer = { outcome: 'raised', raised: raised(error) };
    said = saysMissing(error);
  }
  checkPackages(said);
  return answer;
}

/** The record of a call's result (`Result`), read member by member as the framework does. */
function read(value) {
  const kind = kindOf(value);
  const isObject = kind === 'object' || kind === 'proxy';
  const [whole, fault] = serialised(value);
  const [text, unwritten] = fault !== null && isObject ? writtenInPart(value) : [whole, []];
  const result = {
    type_name: className(value),
    is_invoke_result: false,
    art: { kind, text, fault, unwritten, oddities: kind === 'object' || kind === 'array' ? audit(value) : [] },
  };
  if (!isObject) return result;
  const [status] = attempt(() => value.status);
  const [output] = attempt(() => value.output);
  const [error] = attempt(() => value.error);
  result.is_invoke_result = status === 'success' || status === 'error' || status === 'suspended';
  if (!result.is_invoke_result) return result;
  result.successful = status !== 'error';
  result.payload = status === 'success' ? serialised(output)[0] : null;
  result.payload_type = kindOf(output);
  result.error_message = typeof error === 'string' ? cut(error) : null;
  result.errors = typeof error === 'string' ? [{ message: cut(error) }] : [];
  return result;
}

function logger(call, place) {
  let left = MOST_LOGS;
  return (record) => void (left-- > 0 && send({ method: 'log', params: { call, place, record } }));
}

/**
 * Wait for work that the call has scheduled for now, so that its failure is an incident of this call. Timers of the
 * shortest delay run in the order in which they were set, so those of the call run before one that is set now.
 */
async function settled() {
  await new PromiseOf((resolve) => later(resolve));
  if (activeResources().includes('Timeout')) await new PromiseOf((resolve) => timer(resolve, 1));
}

async function answer(id, method, params) {
  switch (method) {
    case 'initialize':
      return initialize(params);
    case 'tools/list':
      return listTools(loaded.module);
    case 'tools/describe':
      return describe();
    case 'tools/execute': {
      const [before] = attempt(processState);
      const [open] = attempt(openDescriptors);
      const [files] = attempt(temporaryFiles);
      const found = await execute(params, logger(id, 0));
      served += 1;
      await settled();
      const [changed, fault] = attempt(() => leftChanged(before));
      if (fault === null) found.left_changed = changed;
      const [stillOpen] = attempt(openDescriptors);
      if (open && stillOpen) found.descriptors = [open, stillOpen];
      const [filesNow] = attempt(temporaryFiles);
      if (files !== undefined && filesNow !== undefined) found.held = { 'temporary files': [files, filesNow] };
      return found;
    }
    case 'tools/execute_together': {
      const answers = await all(params.calls.map((call, place) => execute(call, logger(id, place))));
      served += answers.length;
      await settled();
      return { answers };
    }
    case 'shutdown':
      leaving = true;
      return {};
    default:
      throw { code: NO_METHOD, message: `there is no method ${safeText(method, 100)}` };
  }
}

async function serve({ id, method, params }) {
  try {
    const result = await answer(id, method, params);
    channel.write(line({ id, result }), () => leaving && exit(0));
  } catch (error) {
    const isFault = error instanceof TargetFault;
    const code = isFault ? TARGET_FAULT : (error?.code ?? BAD_PARAMS);
    const message = isFault || error?.code === NO_METHOD ? error.message : formatError(error);
    send({ id, error: { code: typeof code === 'number' ? code : BAD_PARAMS, message: safeText(message) } });
  }
}

let arrived = '';
channel.setEncoding('latin1');
channel.on('data', (data) => {
  arrived += data;
  const lines = arrived.split('\n');
  arrived = lines.pop();
  for (const text of lines) void serve(fromText(text));
});
channel.on('end', () => {
  leaving = true;
  exit(0);
});
channel.on('error', () => exit(EXIT_BROKEN));
for (const stream of [stdout, stderr]) stream.on('error', () => {});
