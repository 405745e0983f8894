// What makes an asset fail while its outputs are delivered: a code, and words for a person.
import { NotFoundError } from '../../api/errors.ts';
import type { OutputRef } from '../../plan/types.ts';

/** The list of a model's production files does not have it. */
export const sheetMissing = 'PRODUCTION_FILE_NOT_FOUND';

/** A render job that has completed shows none. */
export const noOutput = 'NO_OUTPUT';

/** The asset fails with this code, whatever becomes of others. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly code: string;
  /** How often the file was fetched. */
  readonly attempts: number;
  /** What it is about is not there. */
  readonly isMissing: boolean;

  constructor(code: string, message: string, attempts = 1, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.attempts = attempts;
    this.isMissing = options?.cause instanceof NotFoundError || code === sheetMissing;
  }
}

/** The bytes that came are not what was ordered; others may come when they are fetched again. */
export class OutputError extends Error {
  override name = 'OutputError';
  readonly code: string;

  constructor(code: string, output: OutputRef, problem: string) {
    super(`${outputWords(output)}: ${problem}`);
    this.code = code;
  }
}

export function outputWords({ id, name }: OutputRef): string {
  return `output "${name}" (${id})`;
}
