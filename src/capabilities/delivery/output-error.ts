// Errors that fail an asset while its outputs are delivered: a code, and words for a person.
import { NotFoundError } from '../../api/errors.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { productionFailures } from '../production/failures.ts';
import type { OutputRef } from '../renders/refs.ts';

/** The asset fails with this code, whatever becomes of others. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: Pick<KnownFailure, 'code'>;
  /** How often the file was fetched. */
  readonly attempts: number;
  /** The output or production file is not there. */
  readonly isMissing: boolean;

  constructor(
    failure: Pick<KnownFailure, 'code'>,
    message: string,
    attempts = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.failure = failure;
    this.attempts = attempts;
    this.isMissing =
      options?.cause instanceof NotFoundError ||
      failure === productionFailures.PRODUCTION_FILE_NOT_FOUND;
  }

  get code(): string {
    return this.failure.code;
  }
}

/** The bytes that came are not what was ordered; others may come when they are fetched again. */
export class OutputError extends Error {
  override name = 'OutputError';
  readonly failure: KnownFailure;

  constructor(failure: KnownFailure, output: OutputRef, problem: string) {
    super(`${outputWords(output)}: ${problem}`);
    this.failure = failure;
  }

  get code(): string {
    return this.failure.code;
  }
}

export function outputWords({ id, name }: Pick<OutputRef, 'id' | 'name'>): string {
  return `output "${name}" (${id})`;
}
