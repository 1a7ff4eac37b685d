// The tool of suspension_without_id_faulty.mjs, fixed.

import { randomUUID } from 'node:crypto';

export class FixedConfirmationTool {
  schema = {
    name: 'confirm_action',
    description: 'Asks the user to approve an action before it is done. Returns whether they approved it.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', minLength: 1, maxLength: 200, description: 'What is to be done, such as "delete 5 files".' },
      },
      required: ['action'],
    },
    executionMode: 'blocking',
  };

  metadata(input) {
    return { suspensionId: randomUUID(), question: `Please confirm: ${input.action}` };
  }

  async execute(input, context) {
    return { callId: context.callId, toolName: this.schema.name, status: 'suspended', metadata: this.metadata(input) };
  }
}
