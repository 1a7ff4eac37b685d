// Edits the text files of a workspace by exact replacement.
import { readFile, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const workspace = fileURLToPath(new URL("./workspace", import.meta.url));
const server = new McpServer({ name: "text-edit", version: "1.2.0" });
let queue = Promise.resolve();

const text = (value) => ({ content: [{ type: "text", text: value }] });
const normalize = (value) => value.replace(/\r\n/g, "\n");

async function pathOf(file) {
  const names = await readdir(workspace);
  if (!names.includes(file)) throw new Error(`file: there is no file ${JSON.stringify(file)}`);
  return join(workspace, file);
}

function applyEdits(content, edits) {
  let modified = content;
  for (const [number, edit] of edits.entries()) {
    const oldText = normalize(edit.oldText);
    const newText = normalize(edit.newText);
    const count = modified.split(oldText).length - 1;
    if (count === 0) throw new Error(`edits[${number}].oldText: not found`);
    if (count > 1) throw new Error(`edits[${number}].oldText: found ${count} times, has to be unique`);
    modified = modified.replace(oldText, newText);
  }
  return modified;
}

server.registerTool(
  "list_files",
  { description: "List the files of the workspace.", annotations: { readOnlyHint: true } },
  async () => text((await readdir(workspace)).sort().join("\n")),
);

server.registerTool(
  "read_file",
  {
    description: "Return the text of a file of the workspace.",
    inputSchema: { file: z.string().describe("Name of the file") },
    annotations: { readOnlyHint: true },
  },
  async ({ file }) => text(await readFile(await pathOf(file), "utf8")),
);

server.registerTool(
  "edit_file",
  {
    description:
      "Replace passages of a file. Each oldText has to occur exactly once and is replaced by newText, which is taken literally.",
    inputSchema: {
      file: z.string().describe("Name of the file"),
      edits: z
        .array(
          z.object({
            oldText: z.string().min(1).describe("Passage to replace"),
            newText: z.string().describe("Text to put in its place"),
          }),
        )
        .min(1)
        .describe("Edits, applied in this order"),
      dryRun: z.boolean().default(false).describe("Return the result without writing it"),
    },
  },
  ({ file, edits, dryRun }) => {
    const job = queue.then(async () => {
      const path = await pathOf(file);
      const modified = applyEdits(normalize(await readFile(path, "utf8")), edits);
      if (!dryRun) {
        await writeFile(`${path}.tmp`, modified, "utf8");
        await rename(`${path}.tmp`, path);
      }
      return text(modified);
    });
    queue = job.catch(() => undefined);
    return job;
  },
);

await server.connect(new StdioServerTransport());
process.stdin.on("end", () => process.exit(0));
