// Cancels a call by its AbortSignal, and watches what it does until it has ended.
//
// JavaScript does not show where a call is suspended. So a call has one suspension at most: the first turn of the event loop at
// which it has not ended. Times exclude the time in which the process was ready but had no processor (Linux counts that).

import { readFileSync } from 'node:fs';

import { attempt, cut } from './values.mjs';

const later = setImmediate;
const timer = setTimeout;
const stopTimer = clearTimeout;
const repeat = setInterval;
const stopRepeat = clearInterval;
const PromiseOf = Promise;
const Controller = AbortController;
const { define, now } = { define: Object.defineProperty, now: performance.now.bind(performance) };
const { getOwnPropertyDescriptor } = Object;
const { apply } = Reflect;
const resources = process.getActiveResourcesInfo.bind(process);
const read = readFileSync;
const SIGNAL = AbortSignal.prototype;
const TARGET = EventTarget.prototype;
const POINT = /^(watch|before|token|delay|task)(?::([\d.]+))?((?:;\w+=[\d.]+)*)$/;
const TICK = 100; // milliseconds between two looks at the event loop
const PAUSE = 10; // milliseconds between two looks for what a call has left
const MOST_LEFT = 20;
const WAITING = 'where it waited first';
const NAMES = { Timeout: 'a timer', Immediate: 'a timer', ProcessWrap: 'a child process', TCPSocketWrap: 'a socket', TCPServerWrap: 'a server' };

/** The signal of a controller, with the number of times that somebody looked at it or listened to it. */
export function watchedSignal(controller) {
  const watched = { signal: controller.signal, consultations: 0 };
  const { signal } = watched;
  for (const [name, holder] of [['aborted', SIGNAL], ['reason', SIGNAL], ['onabort', SIGNAL]]) {
    const { get, set } = getOwnPropertyDescriptor(holder, name);
    const counted = (action) => (action === undefined ? undefined : (...given) => ((watched.consultations += 1), apply(action, signal, given)));
    define(signal, name, { configurable: true, get: counted(get), set: counted(set) });
  }
  for (const [name, holder] of [['throwIfAborted', SIGNAL], ['addEventListener', TARGET]]) {
    const method = holder[name];
    define(signal, name, { configurable: true, value: (...given) => ((watched.consultations += 1), apply(method, signal, given)) });
  }
  return watched;
}

/** One call that is watched, and cancelled at one point: `watch`, `before`, `token:1`, `delay:SECONDS`; `task:K` never comes. */
export class Disturbance {
  cancelled = null;
  place = '';
  suspensions = [];
  blocked = 0;
  after = 0;

  /** Throws where the text names no point. */
  constructor(text) {
    const [, kind, detail, options] = POINT.exec(text.replace(/^cancel:/, '')) ?? [];
    if (kind === undefined) throw new Error(`a call cannot be cancelled at ${cut(text, 100)}`);
    this.kind = kind;
    this.detail = Number(detail ?? 0);
    const limit = (name) => Number(new RegExp(`;${name}=([\\d.]+)`).exec(options)?.[1] ?? 0);
    this.within = limit('within') || 1;
    this.hold = limit('hold');
    this.controller = new Controller();
    this.signal = watchedSignal(this.controller);
  }

  /** Make the call and cancel it at its point; its result, or what it throws. */
  async run(call) {
    this.before = resources();
    const began = clock();
    let last = began;
    let ended = false;
    let alarm = null;
    const look = () => {
      const time = clock();
      if (time - last > this.blocked) this.blocked = time - last;
      last = time;
    };
    const ticking = repeat(look, TICK).unref();
    if (this.kind === 'watch' || this.kind === 'before') this.cancelled = began;
    if (this.kind === 'before') this.abort('before the call');
    if (this.kind === 'delay') alarm = timer(() => ended || this.abort(`after ${this.detail} s`, clock()), this.detail * 1000).unref();
    later(() => {
      if (ended) return;
      this.suspensions = [WAITING];
      if (this.kind !== 'token' || this.detail !== 1) return;
      if (this.hold === 0) this.abort(WAITING, clock());
      else alarm = timer(() => ended || this.abort(WAITING, clock()), this.hold * 1000).unref();
    });
    try {
      return await call();
    } finally {
      ended = true;
      look();
      if (this.cancelled !== null) this.after = last - this.cancelled;
      stopRepeat(ticking);
      stopTimer(alarm);
    }
  }

  abort(place, time) {
    this.place = place;
    if (time !== undefined) this.cancelled = time;
    attempt(() => this.controller.abort());
  }

  /** The members of `Disturbed`, once what the call left has had its time to end. */
  async record() {
    const until = clock() + this.within;
    let left = this.left();
    while (left.length > 0 && clock() < until) {
      await new PromiseOf((resolve) => timer(resolve, PAUSE).unref());
      left = this.left();
    }
    return {
      reached: this.cancelled !== null,
      place: this.place,
      suspensions: this.suspensions,
      after: this.after > 0 ? this.after : 0,
      left_running: left,
      blocked: this.blocked,
    };
  }

  /** What keeps the event loop alive now and did not before the call, as phrases. */
  left() {
    const before = [...this.before];
    const found = [];
    for (const name of resources()) {
      const index = before.indexOf(name);
      if (index >= 0) before.splice(index, 1);
      else if (found.length < MOST_LEFT) found.push(NAMES[name] ?? `the resource ${cut(name, 60)}`);
    }
    return found;
  }
}

/** Seconds, without those in which the process was ready and had no processor. */
function clock() {
  const [text] = attempt(() => read('/proc/self/schedstat', 'latin1'));
  return now() / 1000 - Number(text?.split(' ')[1] ?? 0) / 1e9;
}
