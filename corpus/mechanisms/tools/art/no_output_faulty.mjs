// A tool whose success carries nothing where it found nothing; the framework then failed on the text of undefined.

import { FixedPhoneTool } from './no_output_fixed.mjs';

export class FaultyPhoneTool extends FixedPhoneTool {
  found(name) {
    const found = super.found(name);
    return found.phone === null ? undefined : found;
  }
}
