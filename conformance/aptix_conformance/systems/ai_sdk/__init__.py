"""The AI SDK: tools in JavaScript and TypeScript that are objects with inputSchema and execute."""
