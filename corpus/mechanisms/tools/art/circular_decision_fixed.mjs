// The tool of circular_decision_faulty.mjs, fixed.

export class FixedDecisionTool {
  schema = {
    name: 'record_decision',
    description: 'Records what a person decided about a request. Returns the record with the decision.',
    inputSchema: {
      type: 'object',
      properties: {
        request: { type: 'string', minLength: 1, maxLength: 100, description: 'What was asked for.' },
        approved: { type: 'boolean', description: 'Whether it was approved.' },
      },
      required: ['request', 'approved'],
    },
    examples: [{ input: { request: 'a desk', approved: true }, output: { request: 'a desk', decision: { approved: true } } }],
  };

  record(input) {
    return { request: input.request, decision: { approved: input.approved } };
  }

  async execute(input, context) {
    return { callId: context.callId, toolName: this.schema.name, status: 'success', output: this.record(input) };
  }
}
