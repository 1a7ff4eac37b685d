// The Node host: runs in the process of a tool in JavaScript, and implements the host protocol (docs/host-protocol.md).
//
// Plain ESM for Node 20 and later, without dependencies. Its argument names the tool's system, which is a module beside this one.
// It loads one tool, keeps one instance of it for all calls, and runs calls in its event loop. An unhandled rejection, a late
// exception or process.exit ends the process and is the fault of the tool; the host reports it first. The host saves what it
// needs before it loads the tool, because the tool shares the process and may change anything.

import { writeSync } from 'node:fs';
import { Socket } from 'node:net';

import { Disturbance, watchedSignal } from './cancel.mjs';
import { TargetFault, loadModule } from './load.mjs';
import { isNotFound, missingPackage } from './missing.mjs';
import { leftChanged, openDescriptors, processState, temporaryFiles } from './process_state.mjs';
import { attempt, cut, encoded, fromText, raised, safeText, formatError } from './values.mjs';

const VERSION = '1';
const OLDEST = 20;
const TARGET_FAULT = -32001;
const NO_METHOD = -32601;
const BAD_PARAMS = -32602;
const EXIT_BROKEN = 117;
const MOST_LOGS = 1_000;
const NOTHING = 'nothing'; // the disturbance of a call that is not disturbed

const { stdout, stderr } = process;
const exit = process.exit.bind(process);
const handlers = process.listenerCount.bind(process);
const later = setImmediate;
const timer = setTimeout;
const activeResources = process.getActiveResourcesInfo.bind(process);
const PromiseOf = Promise;
const all = Promise.all.bind(Promise);
const Controller = AbortController;
const fd = Number(process.env.APTIX_HOST_FD);
const channel = new Socket({ fd, readable: true, writable: true });

const system = await import(`./${process.argv[2].replaceAll('-', '_')}.mjs`);

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
  if (major < OLDEST) throw new TargetFault(`${system.TOOLS} need Node.js ${OLDEST} or later; this is ${process.version}`);
  handles = params.handles ?? {};
  const { root } = params;
  const { module, file, library } = await loadModule(params.module, root, system.loadLibrary);
  loaded = { module, file, locator: params.module, root, library, exported: null, made: null };
  if (params.qualname) {
    await system.open(loaded, params.qualname);
    checkPackages(saysMissing(loaded.made.thrown));
    await system.takeServices(loaded, params.services ?? {});
  }
  return { protocol: VERSION, host: 'node', capabilities: ['log', 'together', ...system.DISTURBANCES] };
}

function checkPackages(text) {
  const fault = missingPackage(text, loaded.file);
  if (fault !== null) throw new TargetFault(fault);
}

/** What something thrown says of a module that is not there; null where it says nothing of one. */
const saysMissing = (error) => (attempt(() => isNotFound(error))[0] === true ? raised(error).message : null);

async function execute(params, log) {
  const kind = 'handle' in params ? handles[params.handle] : 'tool';
  const { tool, fault, thrown } = kind === 'tool' ? loaded.made : { tool: system.SENTINELS[kind](log), fault: null, thrown: null };
  if (fault !== null) return { outcome: 'not_constructed', incident: fault, ...(thrown === null ? {} : { raised: raised(thrown) }) };
  const given = kind === 'tool' ? [] : [params.arguments];
  const disturbance = (params.disturbance ?? NOTHING) === NOTHING ? null : new Disturbance(params.disturbance);
  const signal = disturbance?.signal ?? watchedSignal(new Controller());
  const context = await system.contextOf(loaded);
  const call = () => system.call(loaded, tool, params, signal.signal, context, given);
  let answer, said;
  try {
    const result = await (disturbance === null ? call() : disturbance.run(call));
    answer = { outcome: 'returned', result };
    said = result.successful === false ? result.error_message : null;
  } catch (error) {
    answer = { outcome: 'raised', raised: raised(error) };
    said = saysMissing(error);
  }
  checkPackages(said);
  if (signal.consultations > 0) answer.token_consultations = signal.consultations;
  if (disturbance !== null) answer.disturbed = await disturbance.record();
  return answer;
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
      return system.listTools(loaded.module);
    case 'tools/describe':
      return system.describe(loaded, served > 0 ? 'after_calls' : 'start');
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
