// Tools of ART: classes, instances and factories with a schema and execute(input, context).

import { relative } from 'node:path';

import { constant, member } from './declared.mjs';
import { TargetFault, compiled, findExport, listTools, makeTool, memberKind, memberNames, neighbours, projectAjv, readSchema } from './load.mjs';
import { SENTINELS } from './sentinels.mjs';
import { attempt, audit, className, cut, encoded, fromText, isAsyncFunction, isPromise, kindOf, serialised, writtenInPart } from './values.mjs';

export { SENTINELS, listTools };
export const TOOLS = 'ART tools';
export const DISTURBANCES = [];

/** ART is no library of the tool's. */
export const loadLibrary = async () => null;

/** Find and make the tool of a loaded module. Throws `TargetFault` where there is none of that name. */
export async function open(loaded, qualname) {
  loaded.exported = findExport(loaded.module, qualname, loaded.locator);
  loaded.made = await makeTool(loaded.exported);
}

/** Throws `TargetFault` where the configuration names services. */
export async function takeServices(_loaded, services) {
  if (Object.keys(services).length === 0) return;
  throw new TargetFault('an ART tool takes no services from the configuration: export a factory that makes it with what it needs');
}

/** ART's context of a call is in its parameters. */
export const contextOf = async () => undefined;

/** The declaration of the loaded tool (`Declaration`). */
export async function describe(loaded, when) {
  const { root } = loaded;
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
    when,
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

/** A reading of ART's schema as a reading of the function schema that the model gets. */
function asFunction(reading) {
  if (reading.text === undefined) return reading;
  const schema = fromText(reading.text);
  if (kindOf(schema) !== 'object') return reading;
  const { name, description, inputSchema, ...rest } = schema;
  return { ...reading, text: encoded({ type: 'function', name, description, parameters: inputSchema, art: rest }) };
}

/** One call of a tool, and the record of its result (`Result`). Throws what the tool throws. */
export async function call(_loaded, tool, params, _signal, _context, given) {
  const promise = tool.execute(fromText(params.arguments), params.context ?? {}, ...given);
  return { ...read(await promise), awaited: isPromise(promise) };
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
