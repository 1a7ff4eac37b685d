// Inspects untrusted values of a tool before they are converted.
//
// A value may be a Proxy, have getters that throw, a toJSON of its own, be circular, sparse or endless. JSON.stringify
// silently changes most of these. So a value is first audited through its property descriptors, without running code of the
// tool, and then serialised. The host saves what it needs before it loads any tool.

import { types } from 'node:util';

const { stringify: toText, parse: fromText } = JSON;
const { getPrototypeOf, getOwnPropertyDescriptor, keys: keysOf, prototype: OBJECT } = Object;
const { ownKeys } = Reflect;
const { isArray, prototype: ARRAY } = Array;
const { is } = Object;
const { isProxy, isDate, isBoxedPrimitive, isPromise, isAsyncFunction } = types;
const { isFinite: isFiniteNumber } = Number;
const TextOf = String;
const SetOf = Set;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const { apply } = Reflect;
const TEST = RegExp.prototype.test;
const SLICE = String.prototype.slice;
const REPLACE = String.prototype.replace;
const BEYOND_ASCII = /[\u007f-\uffff]/g;

export const LONGEST_TEXT = 65_536; // characters of an error's text
const DEEPEST = 200; // levels of nesting that are audited, or written in part
const MOST_VALUES = 100_000; // values that are audited, or written in part
const MOST_ODDITIES = 50; // reported at most, and as many places that are not written

export { isPromise, isAsyncFunction, fromText };

/** The first characters of a text. */
export const cut = (text, length = LONGEST_TEXT) => apply(SLICE, text, [0, length]);

/** The result of `action` as `[value, null]`, or `[undefined, error]` where it threw. */
export function attempt(action) {
  try {
    return [action(), null];
  } catch (error) {
    return [undefined, { thrown: error }];
  }
}

/** `String(value)`, or a note where that throws. */
export function safeText(value, length = LONGEST_TEXT) {
  if (value !== null && typeof value === 'object' && isProxy(value)) return '<a Proxy>';
  const [text, fault] = attempt(() => TextOf(value));
  return fault === null ? cut(text, length) : '<a value that throws when it is shown>';
}

/** The kind of a value: the name of a type, `array`, `proxy`, or `object` for a plain one or an instance. */
export function kindOf(value) {
  if (value === null) return 'null';
  if (typeof value !== 'object' && typeof value !== 'function') return typeof value;
  if (isProxy(value)) return 'proxy';
  return typeof value === 'function' ? 'function' : isArray(value) ? 'array' : 'object';
}

/** The name of the class that a value is an instance of, `Object` for plain ones; read without running getters. */
export function className(value) {
  const kind = kindOf(value);
  if (kind !== 'object' && kind !== 'array') return kind;
  const prototype = getPrototypeOf(value);
  if (prototype === null) return 'Object';
  if (isProxy(prototype)) return 'proxy';
  const constructor = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  if (typeof constructor !== 'function' || isProxy(constructor)) return 'Object';
  const name = getOwnPropertyDescriptor(constructor, 'name')?.value;
  return typeof name === 'string' && name !== '' ? cut(name, 200) : '(anonymous)';
}

/** The record of an exception (`Raised`); `null` and `undefined` are types of their own. */
export function raised(value) {
  const kind = kindOf(value);
  if (value === null || value === undefined) return { type_name: kind, message: '', traceback: '', category: 'nothing' };
  if (kind !== 'object') return { type_name: kind, message: safeText(value), traceback: '' };
  const [message] = attempt(() => value.message);
  const [stack] = attempt(() => value.stack);
  return {
    type_name: className(value),
    message: typeof message === 'string' ? cut(message) : safeText(value),
    traceback: typeof stack === 'string' ? cut(stack) : '',
  };
}

/** An exception as one line of text. */
export function formatError(value) {
  const { type_name: name, message } = raised(value);
  return message === '' || message === name ? name : `${name}: ${cut(message, 2_000)}`;
}

/** The JSON text of a value by `JSON.stringify`; `[null, reason]` where it has none. */
export function serialised(value) {
  const [text, fault] = attempt(() => toText(value));
  if (fault !== null) return [null, formatError(fault.thrown)];
  return typeof text === 'string' ? [text, null] : [null, `${kindOf(value)} has no JSON form`];
}

/**
 * An object that JSON.stringify throws of, as JSON text with null for each value that cannot be written, and the places of
 * these: `[text, places]`; `[null, places]` where none of its members can be read. Getters and toJSON run, as in JSON.stringify.
 */
export function writtenInPart(value) {
  const writer = new PartWriter();
  const text = writer.write(value, '', 0);
  return [text === 'null' ? null : text, writer.unwritten];
}

class PartWriter {
  unwritten = [];
  above = new SetOf();
  left = MOST_VALUES;

  /** The text of a value; undefined for one that JSON leaves out of an object. */
  write(item, place, depth) {
    if (typeof item !== 'object' || item === null || isBoxedPrimitive(item) || isDate(item) || speaksForItself(item)) {
      const [text, fault] = attempt(() => toText(item));
      if (fault === null) return text;
    }
    if (typeof item !== 'object' || depth > DEEPEST || this.above.has(item)) return this.lost(place);
    this.above.add(item);
    const [text, fault] = attempt(() => (isArray(item) ? this.items(item, place, depth) : this.members(item, place, depth)));
    this.above.delete(item);
    return fault === null ? text : this.lost(place);
  }

  items(list, place, depth) {
    let text = '';
    for (let index = 0; index < list.length && this.left >= 0; index++) {
      text += `${index === 0 ? '' : ','}${this.read(list, index, `${place}[${index}]`, depth) ?? 'null'}`;
    }
    return `[${text}]`;
  }

  members(object, place, depth) {
    let text = '';
    for (const key of keysOf(object)) {
      if (this.left < 0) break;
      const item = this.read(object, key, place === '' ? key : `${place}.${key}`, depth);
      if (item !== undefined) text += `${text === '' ? '' : ','}${toText(key)}:${item}`;
    }
    return `{${text}}`;
  }

  read(holder, key, place, depth) {
    if (--this.left < 0) return this.lost(place);
    const [item, fault] = attempt(() => holder[key]);
    return fault === null ? this.write(item, place, depth + 1) : this.lost(place);
  }

  lost(place) {
    if (this.unwritten.length < MOST_ODDITIES) this.unwritten[this.unwritten.length] = cut(place, 300);
    return 'null';
  }
}

const hex = (char) => `\\u${apply(SLICE, `000${char.charCodeAt(0).toString(16)}`, [-4])}`;

/** The JSON text of the host's own plain data, in ASCII, even where the tool has changed prototypes. */
export function encoded(data) {
  if (data === null || typeof data !== 'object') return apply(REPLACE, toText(data) ?? 'null', [BEYOND_ASCII, hex]);
  let text = '';
  if (isArray(data)) {
    for (let index = 0; index < data.length; index++) text += `${index === 0 ? '' : ','}${encoded(data[index])}`;
    return `[${text}]`;
  }
  for (const key of ownKeys(data)) {
    if (data[key] !== undefined) text += `${text === '' ? '' : ','}${encoded(key)}:${encoded(data[key])}`;
  }
  return `{${text}}`;
}

/** Everything in a value that JSON cannot hold or changes: a list of `{place, what}`; `root` begins each place. */
export function audit(value, root = '') {
  const auditor = new Auditor();
  auditor.look(value, root, 0);
  if (auditor.left < 0) auditor.note(root, 'too many');
  return auditor.found;
}

class Auditor {
  found = [];
  above = new SetOf();
  left = MOST_VALUES;

  look(item, place, depth) {
    if (--this.left < 0) return;
    const odd = oddityOf(item);
    if (odd !== null) this.note(place, odd);
    if (item === null || typeof item !== 'object' || odd === 'proxy') return;
    if (this.above.has(item)) return this.note(place, 'cycle');
    if (depth >= DEEPEST) return this.note(place, 'too deep');
    this.above.add(item);
    if (speaksForItself(item)) this.note(place, 'toJSON');
    if (isArray(item)) this.lookThrough(item, place, depth);
    else for (const key of ownKeys(item)) this.member(item, key, place, depth);
    this.above.delete(item);
  }

  lookThrough(list, place, depth) {
    for (let index = 0; index < list.length && this.left > 0; index++) {
      const here = `${place}[${index}]`;
      const slot = getOwnPropertyDescriptor(list, index);
      if (slot === undefined) {
        this.left--;
        this.note(here, 'hole');
      } else if (slot.get || slot.set) this.note(here, 'getter');
      else this.look(slot.value, here, depth + 1);
    }
  }

  member(object, key, place, depth) {
    if (typeof key === 'symbol') return this.note(place, 'symbol');
    const slot = getOwnPropertyDescriptor(object, key);
    if (!slot?.enumerable) return;
    const here = place === '' ? key : `${place}.${key}`;
    if (slot.get || slot.set) this.note(here, 'getter');
    else this.look(slot.value, here, depth + 1);
  }

  note(place, what) {
    if (this.found.length < MOST_ODDITIES) this.found[this.found.length] = { place: cut(place, 300), what };
  }
}

/** Why JSON cannot hold a value or changes it; null where it holds it. */
function oddityOf(value) {
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return typeof value;
    case 'bigint':
      return 'BigInt';
    case 'string':
      return apply(TEST, LONE, [value]) ? 'lone surrogate' : null;
    case 'number':
      return is(value, -0) ? '-0' : isFiniteNumber(value) ? null : TextOf(value);
    case 'object':
      return value === null ? null : isProxy(value) ? 'proxy' : foreignClass(value);
    default:
      return null;
  }
}

function foreignClass(value) {
  const prototype = getPrototypeOf(value);
  const isPlain = prototype === null || prototype === OBJECT || (isArray(value) && prototype === ARRAY);
  return isPlain ? null : `class ${className(value)}`;
}

/** Whether an object has a custom toJSON; that of a Date does not count. */
function speaksForItself(value) {
  let holder = isDate(value) ? null : value;
  while (holder !== null && !isProxy(holder)) {
    const slot = getOwnPropertyDescriptor(holder, 'toJSON');
    if (slot !== undefined) return slot.get !== undefined || typeof slot.value === 'function';
    holder = getPrototypeOf(holder);
  }
  return false;
}
