// The tool as one of the AI SDK: `make` gives it with a fault.

import { tool } from "ai";
import { z } from "zod";
import { definition, quote } from "./postage.mjs";

const { description, input } = definition(z);

export function make(fault) {
  return tool({
    description,
    inputSchema: z.strictObject(input),
    execute: ({ zone, kilograms }, { abortSignal }) => quote(zone, kilograms, fault, abortSignal),
  });
}
