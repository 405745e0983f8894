import { NotFoundError } from '../../../api/errors/errors.ts';
import type { KnownFailure } from '../../../failures/define.ts';
import { productionFailures } from '../../production/failures.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';

/** Fails one asset with this code. Other assets continue. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  readonly failure: Pick<KnownFailure, 'code'>;
  readonly attempts: number;
  /** True if the output or production file does not exist on the platform. */
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

/** The downloaded bytes are not the requested output. A retry may return the right bytes. */
export class OutputError extends Error {
  override name = 'OutputError';
  readonly failure: KnownFailure;

  constructor(failure: KnownFailure, output: OutputRef, problem: string) {
    super(`${formatOutput(output)}: ${problem}`);
    this.failure = failure;
  }

  get code(): string {
    return this.failure.code;
  }
}

export function formatOutput({ id, name }: Pick<OutputRef, 'id' | 'name'>): string {
  return `output "${name}" (${id})`;
}
