// The tool of no_output_faulty.mjs, fixed.

const PHONES = { Ada: '2041', Grace: '2077' };

export class FixedPhoneTool {
  schema = {
    name: 'find_phone',
    description: 'Finds the internal number of a colleague by first name. Returns the name and the number, or null where nobody has it.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1, description: 'The first name, such as Ada.' } },
      required: ['name'],
    },
    examples: [{ input: { name: 'Ada' }, output: { name: 'Ada', phone: '2041' } }],
  };

  found(name) {
    return { name, phone: Object.hasOwn(PHONES, name) ? PHONES[name] : null };
  }

  async execute(input, context) {
    return { callId: context.callId, toolName: this.schema.name, status: 'success', output: this.found(input.name) };
  }
}
