// Tools of the AI SDK: exported objects with inputSchema and execute, called as generateText calls them.
//
// The project's own `ai` says what a schema is, reads the arguments and words the errors; this file makes what a model is given
// of them. An exception that leaves execute is no end of a run: the SDK gives its message to the model as an error.

import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { constant, member } from './declared.mjs';
import { TargetFault, loadModule, memberKind, resolveFrom } from './load.mjs';
import { lostInJson } from './lost.mjs';
import { ValueError } from './sentinels.mjs';
import { listTools, open } from './toolsets.mjs';
import { versionOf } from './typescript.mjs';
import { attempt, className, cut, encoded, formatError, fromText, isAsyncFunction, kindOf, raised, safeText, serialised } from './values.mjs';

export { listTools, open };
export const TOOLS = 'AI SDK tools';
export const DISTURBANCES = ['disturb:cancel'];
const OLDEST = 6;
const RENAMED = 7; // the version in which experimental_context became context, and contextSchema came
const { stringify } = JSON;
const { entries } = Object;
const { apply } = Reflect;
const TRIM = String.prototype.trim;
const ITERATOR = Symbol.asyncIterator;
const MESSAGES = [{ role: 'user', content: 'Please use the tool.' }];

let calls = 0;

/** The functions of the project's AI SDK. Throws `TargetFault` where the project of a file has none, or an older one. */
export async function loadLibrary(file, root) {
  const [found] = [dirname(file), root].map((folder) => resolveFrom(folder, 'ai')).filter((url) => url !== null);
  if (found === undefined) throw new TargetFault(`there is no package ai for ${file}: npm install ai`);
  const folder = dirname(fileURLToPath(found));
  const version = versionOf(fileURLToPath(found), 'ai');
  const major = Number(version.split('.')[0]);
  if (!(major >= OLDEST)) {
    throw new TargetFault(`the suite examines tools of ai ${OLDEST} and later, and ${file} has ai ${version}: npm install ai@latest`);
  }
  const { asSchema, getErrorMessage, safeParseJSON, safeValidateTypes } = await import(resolveFrom(folder, '@ai-sdk/provider-utils'));
  const context = major >= RENAMED ? 'context' : 'experimental_context';
  return { name: `ai ${version}`, context, asSchema, getErrorMessage, safeParseJSON, safeValidateTypes };
}

// ---- the context

/**
 * Find the factory of the context that the application gives its tools: `{ context: 'MODULE:EXPORT' }`, by the name that the SDK gives
 * it. Throws `TargetFault` for another name, and for a factory that is none, throws, or makes what contextSchema refuses.
 */
export async function takeServices(loaded, services) {
  const { context, name: sdk } = loaded.library;
  for (const [name, spec] of entries(services)) {
    if (name !== context) throw new TargetFault(`${loaded.locator}: the service for '${name}' has no parameter to go to: ${sdk} gives a tool its ${context}`);
    const [place, exported] = [spec.slice(0, spec.lastIndexOf(':')), spec.slice(spec.lastIndexOf(':') + 1)];
    const { module } = await loadModule(place, loaded.root, () => null);
    const [make] = attempt(() => module[exported]);
    if (typeof make !== 'function') throw new TargetFault(`${loaded.locator}: the service for '${name}': ${place} exports no factory ${exported}`);
    loaded.factory = make;
    await contextOf(loaded);
  }
  if (loaded.made.fault === null && needsContext(loaded) && loaded.factory === undefined) {
    loaded.made.fault = `the SDK gives the tool a ${context} in a run, and no service is configured for it`;
  }
}

/** A context for one call; undefined where none is configured. */
export async function contextOf({ factory, library, locator, made }) {
  if (factory === undefined) return undefined;
  try {
    const value = await factory();
    if (!needsContext({ library, made })) return value;
    const read = await library.safeValidateTypes({ value, schema: library.asSchema(made.tool.contextSchema) });
    if (read.success) return read.value;
    throw read.error;
  } catch (error) {
    throw new TargetFault(`${locator}: the factory of the ${library.context} made none that the tool takes: ${formatError(error)}`);
  }
}

/** Whether the SDK runs the tool only with a context. */
function needsContext({ library, made }) {
  const [schema] = attempt(() => made.tool.contextSchema);
  return library.context === 'context' && schema !== undefined && schema !== null;
}

// ---- the declaration

/** The declaration of the loaded tool (`Declaration`). */
export async function describe(loaded, when) {
  const { root, name, library, place } = loaded;
  const { tool, fault } = loaded.made;
  const context = await contextOf(loaded);
  const own = (part) => attempt(() => tool[part])[0];
  const [length] = attempt(() => own('execute')?.length);
  const [examples] = serialised(own('inputExamples'));
  const [schema] = attempt(() => library.asSchema(own('inputSchema')));
  const missing = needsContext(loaded) && loaded.factory === undefined ? [library.context] : [];
  const { reading, usage } = await readSchema(library, name, tool, context);
  if (missing.length > 0 && reading.outcome === 'raised') {
    throw new TargetFault(`${loaded.locator}#${name} cannot be described without its context: name a factory for it, services = { context = "./contexts.mjs:make" }`);
  }
  const { reading: again } = await readSchema(library, name, tool, context);
  return {
    class_name: name,
    module: loaded.locator,
    when,
    system: 'ai-sdk',
    tool_name: constant('name', name),
    usage_text: usage,
    get_schema: member('inputSchema', 'missing', 0),
    schema: reading,
    schema_again: again,
    name: member('name', 'missing', 0),
    is_tool_fully_executed_on_server: member('is_tool_fully_executed_on_server', 'missing', 0),
    execute: {
      ...member('execute', memberKind(tool, 'execute'), length),
      is_async: isAsyncFunction(own('execute')),
    },
    constructor: [],
    construction_error: fault,
    missing_services: missing,
    source: loaded.file.startsWith(`${root}/`) ? relative(root, loaded.file) : loaded.file,
    'ai-sdk': {
      library: library.name,
      ...place,
      is_async: isAsyncFunction(own('execute')),
      validates: typeof schema?.validate === 'function',
      input_examples: examples,
    },
  };
}

/** A reading of the function that a model is offered (`SchemaReading`), and its description as a text of usage (`Constant`). */
async function readSchema(library, name, tool, context) {
  const [description, fault] = attempt(() => described(tool, context));
  if (fault !== null) return failedReading('raised', formatError(fault.thrown), { name: 'description', kind: 'property', value: null, type_name: '' });
  const usage = constant('description', description);
  let parameters;
  try {
    parameters = await library.asSchema(tool?.inputSchema).jsonSchema;
  } catch (error) {
    return failedReading('raised', formatError(error), usage);
  }
  const [text, why] = serialised(parameters);
  if (text === null) return failedReading('not_json', why, usage);
  const whole = { type: 'function', name, description, parameters: fromText(text) };
  return { reading: { outcome: 'returned', text: encoded(whole) }, usage };
}

const failedReading = (outcome, error, usage) => ({ reading: { outcome, error }, usage });

/** The description of a tool, as the SDK asks for it before each step. */
function described(tool, context) {
  const description = tool?.description;
  return typeof description === 'function' ? tool.description({ context, experimental_sandbox: undefined }) : description;
}

// ---- calls

/** One call of a tool, and the record of what a model is given (`Result`). Throws what ends a run of the SDK. */
export async function call(loaded, tool, params, signal, context, given) {
  const { library, name } = loaded;
  const schema = library.asSchema(tool.inputSchema);
  const text = params.arguments ?? '';
  const read = apply(TRIM, text, []) === '' ? await library.safeValidateTypes({ value: {}, schema }) : await library.safeParseJSON({ text, schema });
  if (!read.success) {
    return refused(`Invalid input for tool ${name}: ${ownWords(library.getErrorMessage(read.error), read.error)}`, 'InvalidToolInputError');
  }
  const toolCallId = `call_${(calls += 1)}`;
  const input = read.value;
  let output;
  try {
    const options = { toolCallId, messages: MESSAGES, abortSignal: signal, [library.context]: context };
    const made = tool.execute(input, options, ...given);
    if (typeof made?.[ITERATOR] === 'function') for await (const each of made) output = each;
    else output = await made;
  } catch (error) {
    return refused(ownWords(library.getErrorMessage(error), error), className(error));
  }
  if (typeof tool.toModelOutput !== 'function') return asJson(output);
  return asParts(await tool.toModelOutput({ toolCallId, input, output }));
}

/** What the SDK makes of an error, without the names of classes that SDK 7 puts before its message and that of its cause. */
function ownWords(text, error) {
  let words = text;
  for (const each of [error, attempt(() => error.cause)[0]]) {
    const { message } = raised(each);
    const named = `${safeText(attempt(() => each.name)[0], 200)}: ${message}`;
    if (message !== '' && words.endsWith(named)) words = words.slice(0, -named.length) + message;
  }
  return words;
}

/** A failure that the SDK reports to the model. */
function refused(text, typeName) {
  const message = cut(safeText(text));
  return { type_name: typeName, is_invoke_result: true, successful: false, error_message: message, errors: [{ message }], texts: [message], 'ai-sdk': {} };
}

/** A result as the SDK writes it for the model: a text as it is, anything else as JSON, and what JSON leaves out as null. */
function asJson(output) {
  if (typeof output === 'string') return taken(className(output), output, 'str');
  const [text, fault] = attempt(() => stringify(output));
  return fault === null ? taken(className(output), text ?? 'null', kindOf(output), output) : formless(className(output), fault.thrown);
}

/** What toModelOutput made of a result: a text, JSON, parts of content, or an error. */
function asParts({ type, value, reason }) {
  const kind = safeText(type, 60);
  if (type === 'execution-denied') return refused(reason ?? 'The tool denied its execution.', kind);
  const isText = (type === 'text' || type === 'error-text') && typeof value === 'string';
  const [text, fault] = isText ? [value, null] : attempt(() => stringify(value));
  if (typeof text !== 'string') return formless(kind, fault === null ? `${kindOf(value)} is no value of JSON` : fault.thrown);
  if (type === 'error-text' || type === 'error-json') return refused(text, kind);
  return taken(kind, text, isText ? 'str' : 'object', value);
}

/** A result that the model is given; of `value` JSON made its text. */
function taken(typeName, payload, payloadType, value) {
  const unserialisable = lostInJson(value);
  return { type_name: typeName, is_invoke_result: true, successful: true, payload, payload_type: payloadType, unserialisable, 'ai-sdk': {} };
}

/** What is no result, since it has no form in JSON. */
function formless(typeName, thrown) {
  const why = typeof thrown === 'string' ? thrown : formatError(thrown);
  return { type_name: `${typeName} that has no JSON form (${cut(why, 200)})`, is_invoke_result: false, 'ai-sdk': {} };
}

// ---- sentinels

const sentinel = (execute, toModelOutput) => ({ inputSchema: undefined, execute, toModelOutput });

/** As those of `sentinels.mjs`, as tools of the AI SDK. */
export const SENTINELS = {
  returns: (log) =>
    sentinel(async (input, _options, raw) => {
      log({ method: 'add_error', tag: '[Sentinel]', message: raw });
      return input;
    }),
  refuses: () =>
    sentinel(async (_input, _options, raw) => {
      throw new Error(raw);
    }),
  raises: () =>
    sentinel(
      async (_input, _options, raw) => raw,
      ({ output }) => {
        throw new ValueError(output);
      },
    ),
  prints: () =>
    sentinel(async (input, _options, raw) => {
      process.stdout.write(`${raw}\n`);
      return input;
    }),
  hangs: () => sentinel(() => new Promise(() => {})),
};
