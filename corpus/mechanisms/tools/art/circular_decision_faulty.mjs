// A tool whose output refers to itself: what a person decided is kept beside the record that it belongs to.

import { FixedDecisionTool } from './circular_decision_fixed.mjs';

export class FaultyDecisionTool extends FixedDecisionTool {
  record(input) {
    const record = super.record(input);
    record.decision.of = record;
    return record;
  }
}
