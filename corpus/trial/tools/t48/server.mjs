// Looks up values in a configuration file by JSON pointer.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const config = JSON.parse(readFileSync(new URL("./config.json", import.meta.url), "utf8"));
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const TOOLS = [
  {
    name: "get_value",
    description: "Return the configuration value at a JSON pointer such as /mail/port.",
    inputSchema: {
      type: "object",
      properties: {
        pointer: { type: "string", description: "JSON pointer; empty for the whole configuration" },
      },
      required: ["pointer"],
    },
  },
  {
    name: "list_keys",
    description: "List the keys of the object at a JSON pointer.",
    inputSchema: {
      type: "object",
      properties: {
        pointer: { type: "string", default: "", description: "JSON pointer; empty for the top" },
      },
    },
  },
];

class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function resolve(pointer) {
  if (pointer !== "" && !pointer.startsWith("/")) throw new Error("pointer: has to start with /");
  let value = config;
  for (const raw of pointer.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) {
      throw new Error(`pointer: nothing at ${pointer}`);
    }
    value = value[key];
  }
  return value;
}

function runTool(tool, args) {
  const pointer = args.pointer ?? (tool.inputSchema.required ? undefined : "");
  if (typeof pointer !== "string") throw new Error("pointer: a string is required");
  const value = resolve(pointer);
  if (tool.name === "get_value") return JSON.stringify(value);
  if (value === null || typeof value !== "object") throw new Error("pointer: this is not an object");
  return JSON.stringify(Object.keys(value));
}

function callTool(params) {
  const { name, arguments: args = {} } = params ?? {};
  if (typeof name !== "string") throw new RpcError(-32602, "name: a string is required");
  if (args === null || typeof args !== "object" || Array.isArray(args)) {
    throw new RpcError(-32602, "arguments: an object is required");
  }
  const tool = TOOLS.find((candidate) => candidate.name === name);
  if (!tool) throw new RpcError(-32602, `Unknown tool: ${name}`);
  try {
    return { content: [{ type: "text", text: runTool(tool, args) }], isError: false };
  } catch (error) {
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

function dispatch(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: VERSIONS.includes(params?.protocolVersion) ? params.protocolVersion : VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: "config-inspector", version: "2.0.3" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: TOOLS };
    case "tools/call":
      return callTool(params);
    default:
      throw new RpcError(-32601, `Method not found: ${method}`);
  }
}

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

function handle(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return send({ id: null, error: { code: -32700, message: "Parse error" } });
  }
  if (message === null || typeof message !== "object" || typeof message.method !== "string") {
    return send({ id: message?.id ?? null, error: { code: -32600, message: "Invalid request" } });
  }
  const { id, method, params } = message;
  if (id === undefined) return;
  if (id !== undefined && message.jsonrpc !== "2.0") {
    return send({ id, error: { code: -32600, message: "Invalid request: jsonrpc has to be 2.0" } });
  }
  try {
    send({ id, result: dispatch(method, params) });
  } catch (error) {
    send({ id, error: { code: error.code ?? -32603, message: error.code ? error.message : "Internal error" } });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => line.trim() && handle(line));
lines.on("close", () => process.exit(0));
