// The tools of bash-tool, on its simulated shell with files in memory.

import { createBashTool } from 'bash-tool';

export const { tools } = await createBashTool({ files: { 'notes.txt': 'first line\n', 'inner/more.txt': 'more\n' } });
