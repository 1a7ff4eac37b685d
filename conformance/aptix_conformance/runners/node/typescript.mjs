// Loads TypeScript by the jiti of the tool's own project, with the `paths` of its tsconfig.json.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { attempt, formatError, safeText } from './values.mjs';

const FIRST_WITH_PATHS = [2, 7]; // the jiti that reads a tsconfig.json
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const PATH = /"path"\s*:\s*"([^"]+)"/g;

/** The module in a TypeScript file; `jiti` is the file of the package, null where the project has none. */
export async function importTypeScript(file, jiti) {
  if (jiti === null) return import(pathToFileURL(file).href); // what Node.js itself strips of types
  const { createJiti } = await import(jiti);
  const options = { fsCache: join(tmpdir(), 'jiti'), moduleCache: true };
  // A tsconfig.json that cannot be read is no reason not to load a tool: it may not need it.
  const [loader, unread] = attempt(() => createJiti(file, { ...options, tsconfigPaths: tsconfigOf(file) }));
  try {
    return await (loader ?? createJiti(file, options)).import(file);
  } catch (error) {
    const hint = whyNotFound(error, fileURLToPath(jiti), unread);
    if (hint === null) throw error;
    throw new Error(`${safeText(error.message).split('\n')[0]}; ${hint}`);
  }
}

/**
 * The tsconfig for jiti: `true` lets it find the nearest. Where that one only refers to others, as Vite's does, it is a file
 * that extends the one of them with paths: jiti takes no other name than tsconfig.json.
 */
function tsconfigOf(file) {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'tsconfig.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const [text] = attempt(() => readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  if (text === undefined || !text.includes('"references"') || text.includes('"paths"')) return true;
  const others = Array.from(text.matchAll(PATH), ([, path]) =>
    resolve(folder, path.endsWith('.json') ? path : join(path, 'tsconfig.json')),
  );
  const holds = (word) => (named) => attempt(() => readFileSync(named, 'utf8'))[0]?.includes(word);
  const meant = others.find(holds('"paths"')) ?? others.find(holds('"extends"'));
  if (meant === undefined) return true;
  const made = join(mkdtempSync(join(tmpdir(), 'tsconfig-')), 'tsconfig.json');
  writeFileSync(made, JSON.stringify({ extends: meant }));
  return made;
}

/** What an author can do where a module was not found; null where nothing is known. */
function whyNotFound(error, jiti, unread) {
  if (!NOT_FOUND.includes(attempt(() => error.code)[0])) return null;
  if (unread !== null) return `tsconfig.json cannot be read: ${formatError(unread.thrown)}`;
  const version = versionOf(jiti, 'jiti');
  const [major, minor] = version.split('.').map(Number);
  const isOld = major < FIRST_WITH_PATHS[0] || (major === FIRST_WITH_PATHS[0] && minor < FIRST_WITH_PATHS[1]);
  return isOld
    ? `if it stands in the paths of tsconfig.json: jiti ${version} does not read them, npm install --save-dev jiti@^${FIRST_WITH_PATHS.join('.')}`
    : null;
}

/** The version of a package, from the package.json above one of its files. */
export function versionOf(file, name) {
  for (let place = dirname(file); place !== dirname(place); place = dirname(place)) {
    const [data] = attempt(() => JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')));
    if (data?.name === name) return safeText(data.version, 40);
  }
  return '';
}
