// The tool of example_of_a_later_call_faulty.mjs, fixed.

const OPERATIONS = { plus: (left, right) => left + right, times: (left, right) => left * right };

export class FixedAnswerTool {
  results = new Map();
  schema = {
    name: 'calculate_step',
    description:
      'Calculates one step. Use it for sums and products. Without left, the result of the step before is taken, ' +
      'and it is an error where there is none yet. Returns the result.',
    inputSchema: {
      type: 'object',
      properties: {
        operation: { type: 'string', enum: ['plus', 'times'], description: 'What to do.' },
        right: { type: 'number', minimum: -1e6, maximum: 1e6, description: 'The second number.' },
        left: { type: 'number', minimum: -1e6, maximum: 1e6, description: 'The first number; left out, the result before.' },
      },
      required: ['operation', 'right'],
    },
    examples: this.published(),
  };

  published() {
    return [{ input: { operation: 'plus', left: 120, right: 10 }, output: { result: 130 } }];
  }

  async execute(input, context) {
    const answer = { callId: context.callId, toolName: this.schema.name };
    const left = input.left ?? this.results.get(context.threadId);
    if (left === undefined) {
      return { ...answer, status: 'error', error: 'There is no result before this step: send left.' };
    }
    const result = OPERATIONS[input.operation](left, input.right);
    if (!Number.isFinite(result)) return { ...answer, status: 'error', error: 'The result is too large: send a smaller left.' };
    this.results.set(context.threadId, result);
    return { ...answer, status: 'success', output: { result } };
  }
}
