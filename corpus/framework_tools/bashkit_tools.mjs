// The tools of bashkit, in a folder of this machine.

import { resolve } from 'node:path';

import { createAgentTools, createLocalSandbox, createTodoWriteTool } from 'bashkit';

const cwd = resolve('docs');
const made = await createAgentTools(createLocalSandbox({ cwd }), { patch: true });
const TodoWrite = createTodoWriteTool({ todos: [] });

export const tools = { ...made.tools, TodoWrite };
