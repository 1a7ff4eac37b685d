// Packages that the tool's code imports and that are not there: its set-up is at fault then, not the tool.
//
// Anybody can write the text of such an error. So it counts only where the importing file names the package, and no folder of packages
// above that file has it. A package that an argument names, and a part of one that is there, are the tool's to answer.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CODES = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];
const NOT_FOUND = /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w][\w.-]*)(?:\/[^']*)?'(?: imported from (\/.*)|\nRequire stack:\n- (\/.*))?/;
const LONGEST = 4 * 1024 * 1024;

/** Whether something thrown says by its code that a module is not there. */
export const isNotFound = (error) => CODES.includes(error?.code);

/**
 * A sentence for the author about a package that is missing, where the text of an error speaks of one; null where it does not. `file`
 * is the tool's, which counts as the importing one where the text names none.
 */
export function missingPackage(text, file) {
  const [, name, module, required] = NOT_FOUND.exec(text ?? '') ?? [];
  const importing = module ?? required ?? file;
  if (name === undefined || !names(importing, name) || isThere(dirname(importing), name)) return null;
  return `install the package '${name}' for ${importing}, or correct that name: its code imports it, and it is not there`;
}

function names(file, name) {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > LONGEST) return false;
    const source = readFileSync(file, 'utf8');
    return ["'", '"', '`'].some((quote) => [quote, '/'].some((end) => source.includes(quote + name + end)));
  } catch {
    return false;
  }
}

/** Whether a folder or one above it has the package, or is that package. */
function isThere(folder, name) {
  for (let place = folder; ; place = dirname(place)) {
    if (existsSync(join(place, 'node_modules', name)) || nameOf(join(place, 'package.json')) === name) return true;
    if (place === dirname(place)) return false;
  }
}

function nameOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).name;
  } catch {
    return undefined;
  }
}
