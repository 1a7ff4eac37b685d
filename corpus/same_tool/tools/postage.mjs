// Quotes the postage of a parcel, and has the faults that `fault` names: the tool behind both npm SDKs.

import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";

const PRICES = { home: 4.5, europe: 9.0, islands: 14.0, world: 22.0 };
const MOST_TO_ISLANDS = 1, HEAVY = 29;
const CARRIERS = 6, A_CARRIER = 50, A_LONG_TARIFF = 2200, A_SLICE = 20;
const locks = new Set();

/** A quote that cannot be made; its message is for the model. */
export class Refusal extends Error {}

/** The quote. `signal` says whether the caller wants it no more. */
export async function quote(zone, kilograms, fault, signal) {
  if (locks.has("quote")) throw new Refusal("Another quote is being made.");
  if (fault === "keeps-its-lock") locks.add("quote");
  if (zone === "islands") await toTheIslands(kilograms, fault);
  if (zone === "world") await carriersAnswer(kilograms, fault, signal);
  locks.delete("quote");
  const price = Math.round((PRICES[zone] + 1.25 * kilograms) * 100) / 100;
  const said = { found: true, success: true, zone, price, note: "VAT is included." };
  if (zone === "islands" && fault === "price-as-text") said.price = `${price} EUR`;
  if (zone === "islands" && fault === "failure-as-success") {
    Object.assign(said, { success: false, price: 0, note: "Error: the carrier does not answer." });
  }
  return said;
}

/** What is special about the islands: a limit of weight, and the faults that only some arguments show. */
async function toTheIslands(kilograms, fault) {
  if (fault === "shows-a-path") {
    try {
      await import("./islands.mjs");
    } catch (error) {
      throw new Refusal(`The tariff cannot be read: ${error.message}`);
    }
  }
  if (fault === "shows-a-credential") {
    throw new Refusal(`No answer from https://tariffs.example/islands?key=${process.env.OPENAI_API_KEY}`);
  }
  if (fault === "hangs") await new Promise(() => {});
  if (fault === "ends-the-process") process.exit(3);
  if (kilograms > MOST_TO_ISLANDS) throw new Refusal(`A parcel to the islands weighs ${MOST_TO_ISLANDS} kg at most.`);
}

/** Asks each carrier; ends early where the caller wants no answer any more. */
async function carriersAnswer(kilograms, fault, signal) {
  if (fault !== "computes-on" || kilograms <= HEAVY) {
    await sleep(CARRIERS * A_CARRIER, undefined, { signal });
    return;
  }
  const began = worked();
  while (worked() - began < 1000 * A_LONG_TARIFF) {
    for (const slice = Date.now() + A_SLICE; Date.now() < slice; );
    await turn();
  }
}

/** Processor time of the process, in microseconds. */
function worked() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What the SDKs register, with the SDK's own zod. */
export function definition(z) {
  const zone = z.enum(Object.keys(PRICES));
  return {
    description: "Quotes the postage of a parcel in euros. A parcel to the islands weighs 1 kg at most.",
    input: {
      zone: zone.describe("Where the parcel goes."),
      kilograms: z.number().min(0).max(30).describe("What it weighs."),
    },
    output: { found: z.boolean(), success: z.boolean(), zone, price: z.number(), note: z.string() },
  };
}

/** A result of MCP for the arguments. */
export async function answer({ zone, kilograms }, signal) {
  try {
    const said = await quote(zone, kilograms, process.argv[2], signal);
    return { content: [{ type: "text", text: JSON.stringify(said) }], structuredContent: said };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}
