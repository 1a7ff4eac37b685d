// A calculator with `ans`, the result of the call before; its published example of it needs that call, and fails in a new process.

import { FixedAnswerTool } from './example_of_a_later_call_fixed.mjs';

export class FaultyAnswerTool extends FixedAnswerTool {
  published() {
    return [{ input: { operation: 'plus', right: 10 }, output: { result: 130 } }];
  }
}
