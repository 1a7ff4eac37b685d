"""ART tools, in JavaScript and TypeScript."""
