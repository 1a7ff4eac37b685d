// A calculator that takes the trace's id for the call's, as the framework's own CalculatorTool does.

import { FixedSumTool } from './trace_for_call_fixed.mjs';

export class FaultySumTool extends FixedSumTool {
  idOf(context) {
    return context.traceId || 'calculator-call';
  }
}
