// Parts of a declaration that tools of each system in JavaScript have.

import { kindOf } from './values.mjs';

/** A text that a tool declares (`Constant`). */
export function constant(name, value) {
  const isText = typeof value === 'string';
  const kind = value === undefined ? 'missing' : 'plain';
  return { name, kind, value: isText ? value : null, type_name: value === undefined ? '' : isText ? 'str' : kindOf(value) };
}

/** A function of a tool (`Member`): `count` is how many parameters it takes, `taken` their names. */
export function member(name, kind, count) {
  const parameters = ['input', 'context'].concat(Array.from({ length: 20 }, (_, index) => `parameter${index + 3}`));
  const taken = parameters.slice(0, typeof count === 'number' ? count : 0);
  return { name, kind, parameters: taken.map((each) => ({ name: each, kind: 'positional', required: true })) };
}
