// A functional tool in TypeScript: counts the words of a text. Exported as a factory, as one that needs services would be.

interface ExecutionContext {
  threadId: string;
  traceId: string;
  callId: string;
  userId?: string;
  sessionId?: string;
}

interface ToolResult {
  callId: string;
  toolName: string;
  status: 'success' | 'error' | 'suspended';
  output?: unknown;
  error?: string;
  metadata?: Record<string, unknown>;
}

interface Input {
  text: string;
  most?: number;
}

export interface Words {
  split(text: string): string[];
}

class WordFrequencyTool {
  readonly schema = {
    name: 'count_words',
    description:
      'Counts how often each word stands in a text. Use it when the user asks which words a text uses most. ' +
      'Returns the most frequent words with their counts, and the number of words in all.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', maxLength: 100_000, description: 'The text.' },
        most: { type: 'integer', minimum: 1, maximum: 100, description: 'How many words to return; 10 if left out.' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        total: { type: 'integer', description: 'The number of words.' },
        words: {
          type: 'array',
          items: {
            type: 'object',
            properties: { word: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
            required: ['word', 'count'],
          },
        },
      },
      required: ['total', 'words'],
    },
    executionMode: 'functional',
    examples: [
      {
        input: { text: 'to be or not to be', most: 2 },
        output: { total: 6, words: [{ word: 'be', count: 2 }, { word: 'to', count: 2 }] },
      },
    ],
  } as const;

  constructor(private readonly words: Words) {}

  async execute(input: Input, context: ExecutionContext): Promise<ToolResult> {
    const found = this.words.split(input.text);
    if (found.length === 0) {
      return { callId: context.callId, toolName: this.schema.name, status: 'error', error: 'The text has no words.' };
    }
    const counts = new Map<string, number>();
    for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
    const words = [...counts]
      .map(([word, count]) => ({ word: word.slice(0, 100), count }))
      .sort((one, other) => other.count - one.count || (one.word < other.word ? -1 : 1))
      .slice(0, input.most ?? 10);
    return { callId: context.callId, toolName: this.schema.name, status: 'success', output: { total: found.length, words } };
  }
}

/** The tool with the words of any language: letters, digits and what joins them. */
export function makeWordFrequencyTool(): WordFrequencyTool {
  return new WordFrequencyTool({ split: (text) => text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [] });
}
