// An output is not what was ordered.
import type { OutputRef } from '../../plan/types.ts';

/** The asset fails with this code. */
export class OutputError extends Error {
  override name = 'OutputError';
  readonly code: string;

  constructor(code: string, output: OutputRef, problem: string) {
    super(`output "${output.name}" (${output.id}): ${problem}`);
    this.code = code;
  }
}
