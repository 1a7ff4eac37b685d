// The sentinels: tools of the suite with known behaviour. They run beside a tool under test and verify this host.

export class ValueError extends Error {}

const result = (context, rest) => ({ callId: context?.callId, toolName: 'sentinel', ...rest });

/** By kind: a function that creates the tool, given a function that logs a record. `raw` is the text of the arguments. */
export const SENTINELS = {
  returns: (log) => ({
    execute: async (input, context, raw) => {
      log({ method: 'add_error', tag: '[Sentinel]', message: raw });
      return result(context, { status: 'success', output: input });
    },
  }),
  refuses: () => ({ execute: async (_input, context, raw) => result(context, { status: 'error', error: raw }) }),
  raises: () => ({
    execute: async (_input, _context, raw) => {
      throw new ValueError(raw);
    },
  }),
  prints: () => ({
    execute: async (input, context, raw) => {
      process.stdout.write(`${raw}\n`);
      return result(context, { status: 'success', output: input });
    },
  }),
  hangs: () => ({ execute: () => new Promise(() => {}) }),
};
