// A blocking tool: suspends the call until a person has approved an expense or refused it.
//
// The framework completes the call with the person's answer as its output; the tool is not run again.

import { randomUUID } from 'node:crypto';

export class ApproveExpenseTool {
  schema = {
    name: 'approve_expense',
    description:
      'Asks the person in charge to approve an expense. Use it before money is spent that nobody has approved yet. ' +
      'Returns their decision and, if they gave one, their reason.',
    inputSchema: {
      type: 'object',
      properties: {
        amount: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000, description: 'The amount, in euros.' },
        purpose: { type: 'string', minLength: 1, maxLength: 500, description: 'What the money is for.' },
      },
      required: ['amount', 'purpose'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean', description: 'The decision.' },
        reason: { type: 'string', description: 'Why, if they said so.' },
      },
      required: ['approved'],
    },
    executionMode: 'blocking',
    blockingConfig: { timeout: 86_400_000 },
    examples: [{ input: { amount: 120, purpose: 'Train tickets to the customer.' } }],
  };

  async execute(input, context) {
    return {
      callId: context.callId,
      toolName: this.schema.name,
      status: 'suspended',
      metadata: {
        suspensionId: randomUUID(),
        question: `Approve ${input.amount} euros? ${input.purpose}`,
      },
    };
  }
}
