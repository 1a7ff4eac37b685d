// A tool that answers under `data`, as tools did until ART asked for `output`: the model then read "undefined".

import { FixedCapitalTool } from './data_member_fixed.mjs';

export class FaultyCapitalTool extends FixedCapitalTool {
  async execute(input, context) {
    const { output, ...rest } = await super.execute(input, context);
    return { ...rest, data: output };
  }
}
