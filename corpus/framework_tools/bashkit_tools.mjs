// Two tools of bashkit, which need no Bun, on the files of this machine.

import { createLocalSandbox, createReadTool, createTodoWriteTool } from 'bashkit';

export const tools = {
  Read: createReadTool(createLocalSandbox()),
  TodoWrite: createTodoWriteTool({ todos: [] }),
};
