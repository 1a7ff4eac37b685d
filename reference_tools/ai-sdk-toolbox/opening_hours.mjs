// A tool of the AI SDK that conforms, to copy from: it looks opening hours up, and ends early where its run is aborted.

import { setTimeout as sleep } from 'node:timers/promises';

import { jsonSchema, tool } from 'ai';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const HOURS = { saturday: { opens: '10:00', closes: '14:00' } };
const USUAL = { opens: '09:00', closes: '18:00' };

export const opening_hours = tool({
  description:
    'Tells when the shop opens and closes on a day of the week. Use it when the user asks for opening hours. Returns the day and both times. ' +
    'It fails on sunday, when the shop is closed.',
  inputSchema: jsonSchema(
    {
      type: 'object',
      properties: { day: { type: 'string', enum: [...DAYS, 'sunday'], description: 'The day of the week.' } },
      required: ['day'],
      additionalProperties: false,
    },
    // Without this function the SDK would take any arguments.
    {
      validate: (value) => {
        const fits = typeof value?.day === 'string' && [...DAYS, 'sunday'].includes(value.day) && Object.keys(value).length === 1;
        return fits ? { success: true, value } : { success: false, error: new Error('day has to be a day of the week, in lower case.') };
      },
    },
  ),
  inputExamples: [{ input: { day: 'monday' } }],
  execute: async ({ day }, { abortSignal }) => {
    await sleep(20, undefined, { signal: abortSignal }); // the register of the shop is elsewhere
    if (day === 'sunday') throw new Error('The shop is closed on sunday.'); // the model is told of it
    return { day, ...(HOURS[day] ?? USUAL) };
  },
});
