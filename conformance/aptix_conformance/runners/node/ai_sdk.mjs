// Tools of the AI SDK: exported objects with inputSchema and execute, called as generateText calls them.
//
// The project's own `ai` says what a schema is, reads the arguments and words the errors; this file makes what a model is given
// of them. An exception that leaves execute is no end of a run: the SDK gives its message to the model as an error.

import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { constant, member } from './declared.mjs';
import { TargetFault, memberKind, resolveFrom } from './load.mjs';
import { ValueError } from './sentinels.mjs';
import { versionOf } from './typescript.mjs';
import { attempt, audit, className, cut, encoded, formatError, fromText, isAsyncFunction, kindOf, raised, safeText, serialised } from './values.mjs';

export const TOOLS = 'AI SDK tools';
export const DISTURBANCES = ['disturb:cancel'];
export const NO_SERVICES = 'a tool of the AI SDK takes no services from the configuration: export a factory that makes it with what it needs';
const OLDEST = 6;
const { keys } = Object;
const SetOf = Set;
const MapOf = Map;
const ITERATOR = Symbol.asyncIterator;
const SPACE = /[\s#]/;
const FACTORY = /^(make|create|build)/;
const MESSAGES = [{ role: 'user', content: 'Please use the tool.' }];

let calls = 0;

/** The functions of the project's AI SDK. Throws `TargetFault` where the project of a file has none, or an older one. */
export async function loadLibrary(file, root) {
  const [found] = [dirname(file), root].map((folder) => resolveFrom(folder, 'ai')).filter((url) => url !== null);
  if (found === undefined) throw new TargetFault(`there is no package ai for ${file}: npm install ai`);
  const folder = dirname(fileURLToPath(found));
  const version = versionOf(fileURLToPath(found), 'ai');
  if (!(Number(version.split('.')[0]) >= OLDEST)) {
    throw new TargetFault(`the suite examines tools of ai ${OLDEST} and later, and ${file} has ai ${version}: npm install ai@latest`);
  }
  const { asSchema, getErrorMessage, safeParseJSON, safeValidateTypes } = await import(resolveFrom(folder, '@ai-sdk/provider-utils'));
  return { name: `ai ${version}`, asSchema, getErrorMessage, safeParseJSON, safeValidateTypes };
}

// ---- finding tools

/** The tools of a module, those in its objects and agents too, and sentences about what looks like a tool but is none. */
export function listTools(module) {
  const { tools, passed_over } = search(module);
  return { tools: [...tools.keys()], passed_over };
}

/** An export of its own gives a tool its name before an object that holds it does, and an agent and `default` come last. */
function search(module) {
  const tools = new MapOf();
  const passed_over = [];
  const seen = new SetOf();
  const consider = (name, value, holder) => {
    if (!resembles(value) || seen.has(value)) return;
    seen.add(value);
    const path = holder === undefined ? name : `${holder}.${name}`;
    const fault = SPACE.test(name) ? 'has a name that no target spec can hold' : whyNone(value);
    if (fault !== null) passed_over.push(`${safeText(path, 120)} ${fault}`);
    else tools.set(tools.has(name) ? path : name, value);
  };
  const names = keys(module).filter((name) => name !== 'default');
  const isFactory = (name) => FACTORY.test(name) && kindOf(module[name]) === 'function';
  for (const name of names) consider(name, module[name]);
  if ('default' in module) names.push('default');
  for (const holdsAgents of [false, true]) {
    for (const name of names) {
      if ((ofAgent(module[name]) !== null) === holdsAgents) for (const [inner, value] of inside(module[name])) consider(inner, value, name);
    }
  }
  if ('default' in module) consider('default', module.default);
  for (const name of names.filter(isFactory)) {
    passed_over.push(`${safeText(name, 60)} may be a factory of a tool: name it after the #, as in #${safeText(name, 60)}`);
  }
  return { tools, passed_over };
}

const isObject = (value) => kindOf(value) === 'object' || kindOf(value) === 'proxy';
const has = (value, name) => isObject(value) && attempt(() => name in value)[0] === true;

/** Whether an object has a schema of input as tools of the AI SDK have it, or had it before version 5. */
const resembles = (value) => has(value, 'inputSchema') || (has(value, 'parameters') && has(value, 'execute'));

/** Why an object that resembles a tool cannot be called; null where it can. */
function whyNone(value) {
  if (!has(value, 'inputSchema')) return 'has parameters and no inputSchema, which is the name of that member since AI SDK 5';
  const isThere = typeof attempt(() => value.execute)[0] === 'function';
  return isThere ? null : 'has no execute: a client or the provider runs it, so that there is nothing to call';
}

/** The object of tools that an agent has; null where a value is none. */
function ofAgent(value) {
  const [inner] = isObject(value) && !resembles(value) ? attempt(() => value.tools) : [];
  return isObject(inner) && !resembles(inner) ? inner : null;
}

/** The members of an object that may hold tools, those of an agent first. */
function inside(value) {
  if (!isObject(value) || resembles(value)) return [];
  const entries = (holder) => attempt(() => keys(holder).map((name) => [name, holder[name]]))[0] ?? [];
  return [...entries(ofAgent(value) ?? {}), ...entries(value)];
}

/** Find the tool of a loaded module, by its name in a listing, as `holder.name`, or by the name of a factory. */
export async function open(loaded, qualname) {
  const { tools, passed_over } = search(loaded.module);
  const parts = qualname.split('.');
  loaded.name = parts.at(-1);
  loaded.made = { tool: tools.get(qualname) ?? null, fault: null, thrown: null };
  if (loaded.made.tool !== null) return;
  let [value] = attempt(() => loaded.module[parts[0]]);
  if (kindOf(value) === 'function') {
    try {
      value = await value();
    } catch (error) {
      loaded.made = { tool: null, fault: `calling ${safeText(parts[0], 60)}() raised ${formatError(error)}`, thrown: error };
      return;
    }
  }
  const found = parts.length === 1 ? value : inside(value).find(([name]) => name === parts.slice(1).join('.'))?.[1];
  if (resembles(found) && whyNone(found) === null) {
    loaded.made.tool = found;
    return;
  }
  const known = tools.size > 0 ? [...tools.keys()].join(', ') : ['none', ...passed_over].join('; ');
  throw new TargetFault(`${loaded.locator}#${qualname}: there is no tool of that name; those in the module are ${known}`);
}

// ---- the declaration

/** The declaration of the loaded tool (`Declaration`). */
export async function describe(loaded, when) {
  const { root, name, library } = loaded;
  const { tool, fault } = loaded.made;
  const own = (part) => attempt(() => tool[part])[0];
  const description = own('description');
  const text = typeof description === 'function' ? attempt(() => description({}))[0] : description;
  const [examples] = serialised(own('inputExamples'));
  const [schema] = attempt(() => library.asSchema(own('inputSchema')));
  return {
    class_name: name,
    module: loaded.locator,
    when,
    system: 'ai-sdk',
    tool_name: constant('name', name),
    usage_text: constant('description', text),
    get_schema: member('inputSchema', 'missing', 0),
    schema: await readSchema(library, name, text, own),
    schema_again: await readSchema(library, name, text, own),
    name: member('name', 'missing', 0),
    is_tool_fully_executed_on_server: member('is_tool_fully_executed_on_server', 'missing', 0),
    execute: {
      ...member('execute', memberKind(tool, 'execute'), own('execute')?.length),
      is_async: isAsyncFunction(own('execute')),
    },
    constructor: [],
    construction_error: fault,
    source: loaded.file.startsWith(`${root}/`) ? relative(root, loaded.file) : loaded.file,
    'ai-sdk': {
      library: library.name,
      is_async: isAsyncFunction(own('execute')),
      validates: typeof schema?.validate === 'function',
      input_examples: examples,
    },
  };
}

/** A reading of the function that a model is offered (`SchemaReading`). */
async function readSchema(library, name, description, own) {
  let parameters;
  try {
    parameters = await library.asSchema(own('inputSchema')).jsonSchema;
  } catch (error) {
    return { outcome: 'raised', error: formatError(error) };
  }
  const [text, why] = serialised(parameters);
  if (text === null) return { outcome: 'not_json', error: why };
  return { outcome: 'returned', text: encoded({ type: 'function', name, description, parameters: fromText(text) }) };
}

// ---- calls

/** One call of a tool, and the record of what a model is given (`Result`). Throws what ends a run of the SDK. */
export async function call(loaded, tool, params, signal, given) {
  const { library, name } = loaded;
  const schema = library.asSchema(tool.inputSchema);
  const text = params.arguments ?? '';
  const read = text === '' ? await library.safeValidateTypes({ value: {}, schema }) : await library.safeParseJSON({ text, schema });
  if (!read.success) {
    return refused(`Invalid input for tool ${name}: ${ownWords(library.getErrorMessage(read.error), read.error)}`, 'InvalidToolInputError');
  }
  const toolCallId = `call_${(calls += 1)}`;
  const input = read.value;
  let output;
  try {
    const made = tool.execute(input, { toolCallId, messages: MESSAGES, abortSignal: signal, context: undefined, experimental_context: undefined }, ...given);
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

/** A failure that the model is told of. */
function refused(text, typeName) {
  const message = cut(safeText(text));
  return { type_name: typeName, is_invoke_result: true, successful: false, error_message: message, errors: [{ message }], texts: [message], 'ai-sdk': {} };
}

/** A result as the SDK writes it for the model: a text as it is, anything else as JSON, and nothing as null. */
function asJson(output) {
  const record = { type_name: className(output), is_invoke_result: true, successful: true, payload_type: kindOf(output), 'ai-sdk': {} };
  if (typeof output === 'string') return { ...record, payload: output, payload_type: 'str' };
  if (output === undefined || typeof output === 'function' || typeof output === 'symbol') return { ...record, payload: 'null' };
  const [text, fault] = serialised(output);
  if (text === null) return { type_name: `${className(output)} that has no JSON form (${cut(fault, 200)})`, is_invoke_result: false, 'ai-sdk': {} };
  const [odd] = kindOf(output) === 'proxy' ? [] : audit(output).filter(({ what }) => isLost(what));
  return { ...record, payload: text, unserialisable: odd === undefined ? null : `${odd.what} at ${odd.place || 'the top'}` };
}

/** What toModelOutput made of a result: a text, JSON, parts of content, or an error. */
function asParts({ type, value, reason }) {
  const text = typeof value === 'string' ? value : (serialised(value)[0] ?? '');
  if (type === 'error-text' || type === 'error-json') return refused(text, safeText(type, 60));
  if (type === 'execution-denied') return refused(reason ?? 'The tool denied its execution.', type);
  return { type_name: safeText(type, 60), is_invoke_result: true, successful: true, payload: text, payload_type: type === 'text' ? 'str' : 'object', 'ai-sdk': {} };
}

/** Whether JSON silently makes something else of a value: null of a number that is none, {} of a Map. */
const isLost = (what) => what === 'NaN' || what.endsWith('Infinity') || /^class (?:Weak)?(?:Map|Set)$/.test(what);

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
