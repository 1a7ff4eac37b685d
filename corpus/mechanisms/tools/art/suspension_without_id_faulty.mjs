// A blocking tool that suspends with an empty metadata and a placeholder for the call, as the example application's ConfirmationTool does.

import { FixedConfirmationTool } from './suspension_without_id_fixed.mjs';

export class FaultyConfirmationTool extends FixedConfirmationTool {
  metadata() {
    return {};
  }
}
