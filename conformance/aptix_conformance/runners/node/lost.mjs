// Finds what JSON.stringify changes in a value without an error: {} of a Map or a promise, null of NaN.
//
// JSON.stringify itself is asked, so a toJSON counts as what it gives. What it throws on is not looked for here.

import { types } from 'node:util';

import { attempt, className, cut, kindOf } from './values.mjs';

const { stringify } = JSON;
const { getPrototypeOf, keys } = Object;
const { isArray } = Array;
const { isFinite: isFiniteNumber } = Number;
const TextOf = String;
const MapOf = Map;
const { apply } = Reflect;
const { get: placeOf, set: setPlace } = MapOf.prototype;
const { isProxy, isMap, isSet, isWeakMap, isWeakSet, isPromise, isGeneratorObject, isNativeError, isRegExp } = types;
const { isAnyArrayBuffer, isDataView, isMapIterator, isSetIterator } = types;
const HOLDERS = [isMap, isSet, isWeakMap, isWeakSet, isPromise, isNativeError, isRegExp, isAnyArrayBuffer, isDataView];
const ITERATORS = [isGeneratorObject, isMapIterator, isSetIterator];
/** Classes of Node.js that keep their content out of members. By name: to touch Response here costs each process 50 ms. */
const WEB = ['Response', 'Request', 'Headers', 'FormData', 'URLSearchParams', 'Blob', 'File', 'ReadableStream'];

/** The first value that JSON changes without an error, as `WHAT at PLACE`; null where there is none. */
export function lostInJson(value) {
  const places = new MapOf();
  let found = null;
  const look = function (key, item) {
    if (found !== null) return undefined; // nothing more is looked at
    const above = apply(placeOf, places, [this]) ?? '';
    const place = isArray(this) ? `${above}[${key}]` : above === '' ? key : `${above}.${key}`;
    const what = lossOf(item);
    if (what !== null) found = `${what} at ${cut(place, 300) || 'the top'}`;
    if (item !== null && typeof item === 'object') apply(setPlace, places, [item, place]);
    return item;
  };
  attempt(() => stringify(value, look));
  return found;
}

/** What JSON makes {} or null of, in words; null for a value that it keeps. */
function lossOf(value) {
  if (typeof value === 'number') return isFiniteNumber(value) ? null : TextOf(value);
  if (kindOf(value) !== 'object' || keys(value).length > 0) return null;
  if (holds(ITERATORS, value)) return 'an iterator';
  return holds(HOLDERS, value) || isOfWeb(value) ? `class ${className(value)}` : null;
}

function holds(tests, value) {
  for (let index = 0; index < tests.length; index++) if (tests[index](value)) return true;
  return false;
}

function isOfWeb(value) {
  for (let holder = value; holder !== null && !isProxy(holder); holder = getPrototypeOf(holder)) {
    const name = className(holder);
    for (let index = 0; index < WEB.length; index++) if (WEB[index] === name) return true;
  }
  return false;
}
