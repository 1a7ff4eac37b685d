// A display tool: lays out a bar chart for people to look at. The model gets no more than a summary.

const WIDEST = 40;

export class BarChartTool {
  schema = {
    name: 'show_bar_chart',
    description:
      'Shows named amounts as a bar chart. Use it when the user should see how amounts compare. ' +
      'Returns the bars as they are drawn.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200, description: 'What stands above the chart.' },
        bars: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          description: 'The bars, from top to bottom.',
          items: {
            type: 'object',
            properties: {
              label: { type: 'string', maxLength: 60, description: 'What the bar stands for.' },
              amount: { type: 'number', minimum: 0, maximum: 1e12, description: 'How long it is.' },
            },
            required: ['label', 'amount'],
            additionalProperties: false,
          },
        },
      },
      required: ['title', 'bars'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        component: { const: 'bar-chart', description: 'Which component renders it.' },
        title: { type: 'string' },
        bars: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              label: { type: 'string' },
              amount: { type: 'number' },
              cells: { type: 'integer', minimum: 0, maximum: WIDEST },
            },
            required: ['label', 'amount', 'cells'],
          },
        },
      },
      required: ['component', 'title', 'bars'],
    },
    executionMode: 'display',
    displayConfig: { component: 'bar-chart' },
    examples: [
      {
        input: { title: 'Rain in mm', bars: [{ label: 'May', amount: 60 }, { label: 'June', amount: 30 }] },
        output: {
          component: 'bar-chart',
          title: 'Rain in mm',
          bars: [{ label: 'May', amount: 60, cells: 40 }, { label: 'June', amount: 30, cells: 20 }],
        },
      },
    ],
  };

  async execute(input, context) {
    const longest = Math.max(...input.bars.map((bar) => bar.amount), Number.MIN_VALUE);
    const bars = input.bars.map((bar) => ({ ...bar, cells: Math.round((bar.amount / longest) * WIDEST) }));
    return {
      callId: context.callId,
      toolName: this.schema.name,
      status: 'success',
      output: { component: 'bar-chart', title: input.title, bars },
    };
  }
}
