// The tool of trace_for_call_faulty.mjs, fixed.

export class FixedSumTool {
  schema = {
    name: 'add_numbers',
    description: 'Adds numbers. Use it when the user wants a sum of several numbers. Returns the sum.',
    inputSchema: {
      type: 'object',
      properties: {
        numbers: {
          type: 'array', items: { type: 'number', minimum: -1e9, maximum: 1e9 }, maxItems: 100, description: 'What to add.',
        },
      },
      required: ['numbers'],
    },
    examples: [{ input: { numbers: [2, 3] }, output: { sum: 5 } }],
  };

  idOf(context) {
    return context.callId;
  }

  async execute(input, context) {
    const sum = input.numbers.reduce((total, each) => total + each, 0);
    return { callId: this.idOf(context), toolName: this.schema.name, status: 'success', output: { sum } };
  }
}
