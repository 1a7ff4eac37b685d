// Reminders that become due while the server runs.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "reminders", version: "1.0.4" });
const reminders = new Map();
let nextId = 1;

const reply = (payload) => ({
  content: [{ type: "text", text: JSON.stringify(payload) }],
});

function sweep() {
  const now = Date.now();
  for (const reminder of reminders.values()) {
    if (!reminder.due && reminder.at <= now) {
      reminder.due = true;
      process.stderr.write(`due: ${reminder.text}\n`);
    }
  }
}

const view = (reminder) => ({
  id: reminder.id,
  text: reminder.text,
  at: new Date(reminder.at).toISOString(),
  due: reminder.due,
});

server.registerTool(
  "add_reminder",
  {
    description: "Add a reminder that becomes due after some seconds.",
    inputSchema: {
      text: z.string().min(1).describe("What to be reminded of"),
      seconds: z.number().int().min(1).max(86400).describe("Seconds from now"),
    },
  },
  async ({ text, seconds }) => {
    const reminder = { id: nextId++, text, at: Date.now() + seconds * 1000, due: false };
    reminders.set(reminder.id, reminder);
    return reply(view(reminder));
  },
);

server.registerTool(
  "list_reminders",
  {
    description: "List the reminders in the order of their time.",
    inputSchema: { dueOnly: z.boolean().default(false).describe("Only those that are due") },
    annotations: { readOnlyHint: true },
  },
  async ({ dueOnly }) => {
    sweep();
    const list = [...reminders.values()].sort((a, b) => a.at - b.at || a.id - b.id);
    return reply({ reminders: list.filter((item) => !dueOnly || item.due).map(view) });
  },
);

server.registerTool(
  "dismiss_reminder",
  {
    description: "Remove a reminder.",
    inputSchema: { id: z.number().int().describe("Id of the reminder") },
  },
  async ({ id }) => {
    const reminder = reminders.get(id);
    if (!reminder) throw new Error(`id: there is no reminder ${id}`);
    reminders.delete(id);
    return reply(view(reminder));
  },
);

const scheduler = setInterval(sweep, 1000);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    clearInterval(scheduler);
    process.exit(0);
  });
}

await server.connect(new StdioServerTransport());
