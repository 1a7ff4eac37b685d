// A functional tool: converts a length from one unit to another.

const METRES = { metre: 1, kilometre: 1000, foot: 0.3048, mile: 1609.344 };
const UNITS = Object.keys(METRES);

export class UnitConverterTool {
  schema = {
    name: 'convert_length',
    description:
      'Converts a length from one unit to another. Use it when the user gives a length in one unit and wants it in ' +
      'another. Returns the converted length and the units.',
    inputSchema: {
      type: 'object',
      properties: {
        length: { type: 'number', description: 'The length to convert.' },
        from: { type: 'string', enum: UNITS, description: 'The unit that the length is in.' },
        to: { type: 'string', enum: UNITS, description: 'The unit that is wanted.' },
      },
      required: ['length', 'from', 'to'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        length: { type: 'number', description: 'The converted length.' },
        unit: { type: 'string', description: 'Its unit.' },
      },
      required: ['length', 'unit'],
      additionalProperties: false,
    },
    executionMode: 'functional',
    examples: [{ input: { length: 5, from: 'kilometre', to: 'metre' }, output: { length: 5000, unit: 'metre' } }],
  };

  async execute(input, context) {
    const answer = { callId: context.callId, toolName: this.schema.name };
    const length = (input.length * METRES[input.from]) / METRES[input.to];
    if (!Number.isFinite(length)) return { ...answer, status: 'error', error: 'The length is too large to be converted.' };
    return { ...answer, status: 'success', output: { length, unit: input.to } };
  }
}
