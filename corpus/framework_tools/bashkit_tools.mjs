// Tools of bashkit that start no program. Its sandbox reads and writes by Bun; this one does it by Node.js.

import { readFile, writeFile } from 'node:fs/promises';

import { createEditTool, createLocalSandbox, createPatchTool, createReadTool, createTodoWriteTool, createWriteTool } from 'bashkit';

const sandbox = { ...createLocalSandbox(), readFile: (path) => readFile(path, 'utf8'), writeFile };

export const tools = {
  Read: createReadTool(sandbox),
  Write: createWriteTool(sandbox),
  Edit: createEditTool(sandbox),
  Patch: createPatchTool(sandbox),
  TodoWrite: createTodoWriteTool({ todos: [] }),
};
