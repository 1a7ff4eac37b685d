// The tool of data_member_faulty.mjs, fixed.

const CAPITALS = new Map([['Norway', 'Oslo'], ['Italy', 'Rome']]);

export class FixedCapitalTool {
  schema = {
    name: 'find_capital',
    description: 'Finds the capital of a country. Use it when the user asks for a capital. Returns the country and its capital.',
    inputSchema: {
      type: 'object',
      properties: { country: { type: 'string', enum: ['Norway', 'Italy'], description: "The country's English name." } },
      required: ['country'],
    },
  };

  async execute(input, context) {
    const output = { country: input.country, capital: CAPITALS.get(input.country) };
    return { callId: context.callId, toolName: this.schema.name, status: 'success', output };
  }
}
