// The tool on @modelcontextprotocol/sdk: `node npm_1.mjs FAULT`.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { answer, definition } from "./postage.mjs";

const { description, input, output } = definition(z);
const server = new McpServer({ name: "postage", version: "1.0.0" });
server.registerTool("quote_postage", { description, inputSchema: input, outputSchema: output }, (given, extra) =>
  answer(given, extra.signal),
);
await server.connect(new StdioServerTransport());
