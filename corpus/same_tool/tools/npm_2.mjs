// The tool on @modelcontextprotocol/server: `node npm_2.mjs FAULT`.

import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { answer, definition } from "./postage.mjs";

const { description, input, output } = definition(z);
serveStdio(() => {
  const server = new McpServer({ name: "postage", version: "1.0.0" });
  const schemas = { inputSchema: z.object(input), outputSchema: z.object(output) };
  server.registerTool("quote_postage", { description, ...schemas }, (given, context) =>
    answer(given, context.mcpReq.signal),
  );
  return server;
});
