// Notices what a call changes in its process and leaves changed: in an agent, many tools share one process.
//
// A listener that the first call adds for all later ones is no change; one more with each call is.

import { readdirSync } from 'node:fs';

const PROTOTYPES = { 'Object.prototype': Object.prototype, 'Array.prototype': Array.prototype, 'String.prototype': String.prototype };
const MOST = 20;
const namesOf = Reflect.ownKeys;
const directory = process.cwd.bind(process);
const events = process.eventNames.bind(process);
const listeners = process.listenerCount.bind(process);
const { is } = Object;
const list = readdirSync;
const temporary = process.env.TMPDIR;

/** How often calls have left one more listener, by event. */
const grown = new Map();

/** What the tools of this process share now. */
export function processState() {
  const values = new Map([
    ['the working directory', where()],
    ['process.exitCode', process.exitCode],
    ['console.log', console.log],
    ['console.error', console.error],
    ['Math.random', Math.random],
    ['Date', globalThis.Date],
    ['JSON.parse', JSON.parse],
    ['JSON.stringify', JSON.stringify],
  ]);
  for (const [name, prototype] of Object.entries(PROTOTYPES)) values.set(`the members of ${name}`, namesOf(prototype).length);
  for (const [name, value] of Object.entries(process.env)) values.set(`the environment variable ${name}`, value);
  return { values, listeners: new Map(events().map((event) => [event, listeners(event)])) };
}

/** What is another since `before`, as phrases. */
export function leftChanged(before) {
  const after = processState();
  const names = [...new Set([...before.values.keys(), ...after.values.keys()])];
  const found = names.filter((name) => !is(before.values.get(name), after.values.get(name)));
  for (const [event, count] of after.listeners) {
    if (count <= (before.listeners.get(event) ?? 0)) continue;
    grown.set(event, (grown.get(event) ?? 0) + 1);
    if (grown.get(event) > 1) found.push(`the listeners of process for ${String(event)}`);
  }
  return found.slice(0, MOST).map((name) => name.slice(0, 200));
}

/** How many file descriptors the process has open; it throws where the platform does not list them. */
export function openDescriptors() {
  return list('/proc/self/fd').length;
}

/** How many files lie in the folder for temporary ones; it throws where there is none of its own. */
export function temporaryFiles() {
  return list(temporary).length;
}

/** The working directory; it may have been removed. */
function where() {
  try {
    return directory();
  } catch {
    return null;
  }
}
