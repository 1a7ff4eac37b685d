// Finds the tools of the AI SDK in a module: exported objects, those in ToolSets, those of agents, and those of a factory.

import { TargetFault, exportNames } from './load.mjs';
import { attempt, formatError, kindOf, safeText } from './values.mjs';

const { keys, values } = Object;
const { isArray } = Array;
const SetOf = Set;
const MapOf = Map;
const SPACE = /[\s#]/;
const FACTORY = /^(make|create|build)/;
const NONE = 'the module exports no object with inputSchema and execute: tools made inside a function cannot be reached, export them';

/** The tools of a module, those in its objects and agents too, and sentences about what looks like a tool but is none. */
export function listTools(module) {
  const { tools, passed_over } = search(module);
  return { tools: [...tools.keys()], passed_over };
}

/**
 * The tools by their names in a listing, each as `{ name, value, variable, keys }`: the name that the model reads, the export and
 * the members by which the tool is reached. The name is the key in a ToolSet, else the name of an export, else the key in another
 * object. `default` itself comes last.
 */
function search(module) {
  const tools = new MapOf();
  const passed_over = [];
  const seen = new SetOf();
  const consider = (name, value, variable, keys) => {
    if (!resembles(value) || seen.has(value)) return;
    seen.add(value);
    const path = keys.length === 0 ? name : `${variable}.${name}`;
    const listed = tools.has(name) ? path : name;
    const fault = SPACE.test(name) ? 'has a name that no target spec can hold' : tools.has(listed) ? 'has the name of another tool' : whyNone(value);
    if (fault !== null) passed_over.push(`${safeText(path, 120)} ${fault}`);
    else tools.set(listed, { name, value, variable, keys });
  };
  const names = exportNames(module);
  const exported = (name) => attempt(() => module[name])[0];
  const own = names.filter((name) => name !== 'default');
  const considerIn = (wanted) => {
    for (const name of names.filter((each) => rankOf(exported(each)) === wanted)) {
      for (const [inner, value, within] of inside(exported(name))) consider(inner, value, name, [...within, inner]);
    }
  };
  considerIn('toolset');
  considerIn('agent');
  for (const name of own) consider(name, exported(name), name, []);
  considerIn('other');
  if (own.length < names.length) consider('default', exported('default'), 'default', []);
  for (const name of own.filter((each) => FACTORY.test(each) && kindOf(exported(each)) === 'function')) {
    passed_over.push(`${safeText(name, 60)} may be a factory of a tool: name it after the #, as in #${safeText(name, 60)}`);
  }
  if (tools.size === 0 && passed_over.length === 0) passed_over.push(NONE);
  return { tools, passed_over };
}

const isObject = (value) => kindOf(value) === 'object' || kindOf(value) === 'proxy';
const has = (value, name) => isObject(value) && attempt(() => name in value)[0] === true;

/** Whether an object has a schema of input as tools of the AI SDK have it, or had it before version 5. */
const resembles = (value) => has(value, 'inputSchema') || (has(value, 'parameters') && has(value, 'execute'));

/** Why an object that resembles a tool cannot be called, or not as its model calls it; null where it can. */
function whyNone(value) {
  if (!has(value, 'inputSchema')) return 'has parameters and no inputSchema, which is the name of that member since AI SDK 5';
  const [execute, fault] = attempt(() => value.execute);
  if (fault !== null) return `has an execute that throws when it is read: ${formatError(fault.thrown)}`;
  if (attempt(() => value.type)[0] === 'provider') return 'is of the type provider: the provider defines its schema and its description';
  return typeof execute === 'function' ? null : 'has no execute: a client or the provider runs it, so that there is nothing to call';
}

/** The object of tools that an agent has; null where a value is none. */
function ofAgent(value) {
  const [inner] = isObject(value) && !resembles(value) ? attempt(() => value.tools) : [];
  return isObject(inner) && !resembles(inner) ? inner : null;
}

/** What an export holds: `toolset` for an object that holds tools alone, as generateText takes it, `agent`, or `other`. */
function rankOf(value) {
  if (ofAgent(value) !== null) return 'agent';
  const [members] = isObject(value) && !resembles(value) ? attempt(() => values(value)) : [];
  return isArray(members) && members.length > 0 && members.every(resembles) ? 'toolset' : 'other';
}

/** The members of an object that may hold tools, those of an agent first: the name, the value, and the members before it. */
function inside(value) {
  if (!isObject(value) || resembles(value)) return [];
  const entries = (holder, ...within) => attempt(() => keys(holder).map((name) => [name, holder[name], within]))[0] ?? [];
  return [...entries(ofAgent(value) ?? {}, 'tools'), ...entries(value)];
}

/** Find the tool of a loaded module, by its name in a listing, as `holder.name`, or by the name of a factory. */
export async function open(loaded, qualname) {
  const { tools, passed_over } = search(loaded.module);
  const listed = tools.get(qualname);
  if (listed !== undefined) return hold(loaded, listed);
  const [variable, ...rest] = qualname.split('.');
  let [value] = attempt(() => loaded.module[variable]);
  const holder = kindOf(value) === 'function' ? 'function' : '';
  const place = { name: rest.join('.') || variable, variable, holder };
  if (holder !== '') {
    try {
      value = await value();
    } catch (error) {
      hold(loaded, { ...place, value: null });
      loaded.made = { tool: null, fault: `calling ${safeText(variable, 60)}() raised ${formatError(error)}`, thrown: error };
      return;
    }
  }
  const name = rest.join('.');
  const [inner, found, within] = name === '' ? [null, value] : (inside(value).find(([key]) => key === name) ?? []);
  const fault = resembles(found) ? whyNone(found) : 'is none';
  const reached = name === '' ? [] : [...(within ?? []), inner];
  if (fault === null) return hold(loaded, [...tools.values()].find((each) => each.value === found) ?? { ...place, value: found, keys: reached });
  const known = tools.size > 0 ? [...tools.keys()].join(', ') : ['none', ...passed_over].join('; ');
  const why = resembles(found) ? ` ${fault}` : `: there is no tool of that name; those in the module are ${known}`;
  throw new TargetFault(`${loaded.locator}#${qualname}${why}`);
}

function hold(loaded, { name, value, variable, holder = '', keys = [] }) {
  loaded.name = name;
  loaded.place = { variable, holder, keys };
  loaded.made = { tool: value, fault: null, thrown: null };
}
