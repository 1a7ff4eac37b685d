// Finds orders in an export of the shop.
import { readFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const source = readFileSync(new URL("./orders.json", import.meta.url), "utf8");
const orders = JSON.parse(source);
const server = new McpServer({ name: "orders", version: "0.7.2" });

function reply(payload) {
  return {
    content: [{ type: "text", text: JSON.stringify(payload) }],
    structuredContent: payload,
  };
}

const order = z.object({
  id: z.number(),
  customer: z.string(),
  total: z.string(),
  placed: z.string(),
});

server.registerTool(
  "find_orders",
  {
    description: "Find the orders of a customer, the newest first. The id is needed to ask the shop about an order.",
    inputSchema: {
      customer: z.string().min(1).describe("Name of the customer or a part of it"),
      limit: z.number().int().min(1).max(100).default(10).describe("Largest number of orders"),
    },
    outputSchema: { total: z.number().int(), orders: z.array(order) },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async ({ customer, limit }) => {
    const needle = customer.toLowerCase();
    const found = orders
      .filter((item) => item.customer.toLowerCase().includes(needle))
      .sort((a, b) => b.placed.localeCompare(a.placed));
    return reply({ total: found.length, orders: found.slice(0, limit) });
  },
);

server.registerTool(
  "customers",
  {
    description: "List the customers with the number of their orders.",
    outputSchema: { customers: z.record(z.string(), z.number().int()) },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async () => {
    const counts = {};
    for (const item of orders) counts[item.customer] = (counts[item.customer] ?? 0) + 1;
    return reply({ customers: counts });
  },
);

await server.connect(new StdioServerTransport());
process.stdin.on("end", () => process.exit(0));
