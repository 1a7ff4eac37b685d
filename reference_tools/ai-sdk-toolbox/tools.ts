// A tool of the AI SDK that conforms, to copy from: it converts lengths.

import { tool } from 'ai';
import { z } from 'zod';

const METRES = { m: 1, km: 1000, ft: 0.3048, mi: 1609.344 };
const unit = z.enum(['m', 'km', 'ft', 'mi']);

export const tools = {
  convert_length: tool({
    description:
      'Converts a length from one unit to another. It knows metres (m), kilometres (km), feet (ft) and miles (mi). Use it for lengths ' +
      'only, not for areas. Returns the value and its unit.',
    inputSchema: z.strictObject({
      value: z.number().min(0).max(1e12).describe('The length, from 0 to 1e12.'),
      unit: unit.describe('The unit of the length.'),
      to: unit.describe('The unit of the result.'),
    }),
    inputExamples: [{ input: { value: 5, unit: 'km', to: 'm' } }],
    execute: async ({ value, unit: from, to }) => ({ value: (value * METRES[from]) / METRES[to], unit: to }),
  }),
};
