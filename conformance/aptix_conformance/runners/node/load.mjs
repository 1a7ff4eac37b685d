// Loads the tool of a target from files, packages and TypeScript, as the tool's own project resolves them.

import { existsSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { importTypeScript, versionOf } from './typescript.mjs';
import { attempt, audit, className, cut, isPromise, kindOf, serialised, safeText, formatError } from './values.mjs';

const TYPESCRIPT = ['.ts', '.mts', '.cts', '.tsx'];
const MODULES = ['.mjs', '.js', '.cjs', ...TYPESCRIPT];
const { getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf, keys, prototype: OBJECT } = Object;
const MOST_NAMES = 100;
const OTHER_METHODS = ['run()', 'call()', 'invoke()', '_call()', 'handler()', 'exec()', 'handle()', 'perform()'];
const SOURCE = Function.prototype.toString;
const { apply } = Reflect;
const CLASS = /^\s*class\b/;
const CLASS_TEST = RegExp.prototype.test;
/** A class whose instances get execute as a field, `execute = async (…) => …`, also as a compiler writes it. */
const EXECUTE_FIELD = /(?<![.\w$])execute\s*=(?!=)|\bthis\.execute\s*=(?!=)|\bthis\s*,\s*["']execute["']/;

/** Why a tool cannot be loaded, in a sentence for its author. */
export class TargetFault extends Error {}

/**
 * The module that a locator names: a path relative to the root directory, or a package of the project there. `before` gets its
 * file before any code of the module runs.
 */
export async function loadModule(locator, root, before) {
  const url = locate(locator, root);
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  const library = await before(file, root);
  try {
    const module = TYPESCRIPT.includes(extname(file)) ? await loadTypeScript(file, root) : await import(url);
    return { module, file, library };
  } catch (error) {
    if (error instanceof TargetFault) throw error;
    throw new TargetFault(`importing ${locator} raised ${formatError(error)}`);
  }
}

function locate(locator, root) {
  const isPath = locator.startsWith('.') || isAbsolute(locator) || MODULES.includes(extname(locator));
  if (isPath && (locator.startsWith('.') || isAbsolute(locator) || existsSync(join(root, locator)))) {
    const file = resolve(root, locator);
    if (!existsSync(file)) throw new TargetFault(`there is no file ${file}`);
    return pathToFileURL(file).href;
  }
  const url = resolveFrom(root, locator);
  if (url !== null) return url;
  throw new TargetFault(`there is no package ${locator} in ${join(root, 'node_modules')}: npm install it, or write ./ before a path`);
}

/** The URL by which the project in a directory finds a package; null where it has none. */
export function resolveFrom(directory, specifier) {
  const parent = pathToFileURL(join(directory, 'package.json')).href;
  const [url, fault] = attempt(() => import.meta.resolve(specifier, parent));
  return fault === null && existsSync(fileURLToPath(url)) ? url : null;
}

async function loadTypeScript(file, root) {
  const url = resolveFrom(dirname(file), 'jiti') ?? resolveFrom(root, 'jiti');
  if (url === null) {
    if (process.features.typescript) return importTypeScript(file, null);
    throw new TargetFault(`${file} is TypeScript, which takes jiti in its project: npm install --save-dev jiti`);
  }
  return importTypeScript(file, url);
}

/** The names of a module's exports, `default` last; what Node.js calls `module.exports` is `default` too. */
export function exportNames(module) {
  const hasDefault = 'default' in module;
  const names = keys(module).filter((name) => name !== 'default' && !(hasDefault && name === 'module.exports'));
  return hasDefault ? [...names, 'default'] : names;
}

/**
 * The exports of a module that are tools, and sentences about those that look like tools but are not. An export with
 * several names is listed once, as `default` only where it has no other name.
 */
export function listTools(module) {
  const tools = [];
  const passed_over = [];
  const seen = new Set();
  for (const name of exportNames(module)) {
    const value = module[name];
    const kind = exportedAs(value);
    if (seen.has(value)) continue;
    seen.add(value);
    if (kind === 'class' || kind === 'instance') tools.push(name);
    else if (kind === null && otherMethod(value) !== null) {
      passed_over.push(`${safeText(name, 60)} has ${otherMethod(value)} and no execute: the framework calls execute(input, context)`);
    }
    else if (kind === 'factory' && /^(make|create|build)/.test(name)) {
      passed_over.push(`${safeText(name, 60)} may be a factory of a tool: name it after the #, as in #${safeText(name, 60)}`);
    }
  }
  return { tools, passed_over };
}

/** The kind of an export: `class`, `instance` or `factory` (any other function), or null where it cannot be a tool. */
function exportedAs(value) {
  const kind = kindOf(value);
  if (kind === 'object' || kind === 'proxy') return hasExecute(value) ? 'instance' : null;
  if (kind !== 'function') return null;
  if (hasExecute(getOwnPropertyDescriptor(value, 'prototype')?.value)) return 'class';
  if (!isClass(value)) return 'factory';
  return hasExecuteField(value) ? 'class' : null;
}

function isClass(value) {
  return apply(CLASS_TEST, CLASS, [apply(SOURCE, value, [])]);
}

/** Whether a class, or one that it extends, sets execute on its instances, as far as its text shows. */
function hasExecuteField(value) {
  for (let cls = value; kindOf(cls) === 'function' && isClass(cls); cls = getPrototypeOf(cls)) {
    if (apply(CLASS_TEST, EXECUTE_FIELD, [apply(SOURCE, cls, [])])) return true;
  }
  return false;
}

function hasExecute(value) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return typeof attempt(() => value.execute)[0] === 'function';
}

/** The method of a class or an object with a schema that its author may have meant for execute; null where there is none. */
function otherMethod(value) {
  const holder = kindOf(value) === 'function' ? getOwnPropertyDescriptor(value, 'prototype')?.value : value;
  const names = kindOf(holder) === 'object' ? memberNames(holder) : [];
  const found = OTHER_METHODS.find((name) => names.includes(name));
  return found !== undefined && (kindOf(value) === 'function' || names.some((name) => /schema|definition/i.test(name))) ? found : null;
}

/** The export with a name. */
export function findExport(module, name, locator) {
  const value = attempt(() => module[name])[0];
  const kind = exportedAs(value);
  if (kind !== null) return { value, kind, name };
  const known = listTools(module).tools;
  const hint = known.length === 0 ? 'it exports no tool' : `its tools are ${known.join(', ')}`;
  const what = value === undefined ? 'is not exported' : `is ${kindOf(value)}, and has no execute`;
  throw new TargetFault(`${locator}#${name}: ${name} ${what}; ${hint}`);
}

/** A tool as in its registry: one instance for all calls. `fault` says why there is none. */
export async function makeTool({ value, kind }) {
  if (kind === 'instance') return { tool: value, fault: null, thrown: null };
  const made = attempt(() => (kind === 'class' ? new value() : value()));
  let [tool, fault] = made;
  if (fault === null && isPromise(tool)) {
    try {
      tool = await tool;
    } catch (error) {
      fault = { thrown: error };
    }
  }
  if (fault !== null) {
    const hint = kind === 'class' && value.length > 0 ? '; if it needs what only you can give, export a factory that makes it' : '';
    return { tool: null, fault: `making an instance raised ${formatError(fault.thrown)}${hint}`, thrown: fault.thrown };
  }
  if (!hasExecute(tool)) return { tool: null, fault: `it gave ${className(tool)}, which has no execute`, thrown: null };
  return { tool, fault: null, thrown: null };
}

/** The names, from their schemas, of the other tools that a module exports. */
export async function neighbours(module, own) {
  const names = [];
  for (const name of listTools(module).tools) {
    if (name === own || module[name] === module[own]) continue;
    const { tool } = await makeTool(findExport(module, name, ''));
    const [found] = attempt(() => tool.schema.name);
    if (typeof found === 'string') names.push(cut(found, 200));
  }
  return names;
}

/** The Ajv of the tool's project, version 8, or null: `{validator, compile}`. */
export async function projectAjv(root, file) {
  for (const from of [dirname(file), root]) {
    const url = resolveFrom(from, 'ajv');
    if (url === null) continue;
    const version = versionOf(fileURLToPath(url), 'ajv');
    if (!version.startsWith('8.')) continue;
    const { default: exported } = await import(url);
    const Ajv = exported.default ?? exported;
    return {
      validator: `ajv ${version}`,
      compile: (schema) => void new Ajv({ logger: false }).compile(schema),
    };
  }
  return null;
}

/** How the project's Ajv compiles a schema (`Compilation`); null where there is no Ajv or no schema. */
export function compiled(ajv, schema) {
  if (ajv === null || schema === undefined) return null;
  const [, fault] = attempt(() => ajv.compile(schema));
  return { validator: ajv.validator, fault: fault === null ? null : cut(formatError(fault.thrown), 2_000) };
}

/** A reading of a schema (`SchemaReading`), and its values that JSON cannot hold. */
export function readSchema(tool) {
  const [schema, fault] = attempt(() => tool.schema);
  if (fault !== null) return { schema: undefined, reading: { outcome: 'raised', error: formatError(fault.thrown) }, oddities: [] };
  if (schema === undefined) return { schema, reading: { outcome: 'not_callable', error: 'there is no schema' }, oddities: [] };
  const [text, why] = serialised(schema);
  const reading = text === null ? { outcome: 'not_json', error: why } : { outcome: 'returned', text };
  return { schema, reading, oddities: audit(schema) };
}

/** How a tool has a member: `attribute`, `property` for a getter, `method`, or `missing`. */
export function memberKind(tool, name) {
  for (let holder = tool; holder !== null && typeof holder === 'object'; holder = getPrototypeOf(holder)) {
    if (kindOf(holder) === 'proxy') return 'attribute';
    const slot = getOwnPropertyDescriptor(holder, name);
    if (slot !== undefined) return slot.get ? 'property' : typeof slot.value === 'function' ? 'method' : 'attribute';
  }
  return 'missing';
}

/** The names of what a tool has, its own and its classes', with `()` after those of functions. */
export function memberNames(tool) {
  const names = [];
  for (let holder = tool; holder !== null && typeof holder === 'object' && holder !== OBJECT; holder = getPrototypeOf(holder)) {
    if (kindOf(holder) === 'proxy') break;
    for (const name of getOwnPropertyNames(holder)) {
      if (name === 'constructor' || names.length >= MOST_NAMES) continue;
      const isMethod = typeof getOwnPropertyDescriptor(holder, name)?.value === 'function';
      names[names.length] = `${cut(name, 60)}${isMethod ? '()' : ''}`;
    }
  }
  return names;
}
