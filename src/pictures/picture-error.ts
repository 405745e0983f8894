// The error that explains why a picture is not decoded.

/**
 * `FORMAT`: a format that is not supported. `DAMAGED`: truncated or inconsistent. `TOO_LARGE`: more pixels, more
 * other data, or more decoding time or memory than allowed.
 */
export type PictureErrorKind = 'FORMAT' | 'DAMAGED' | 'TOO_LARGE';

export class PictureError extends Error {
  override name = 'PictureError';
  readonly errorKind: PictureErrorKind;

  /** @param problem a clause that follows the word "it" */
  constructor(errorKind: PictureErrorKind, problem: string) {
    super(problem);
    this.errorKind = errorKind;
  }
}

export function truncatedError(label: string): PictureError {
  return new PictureError('DAMAGED', `ends too early: ${label} is incomplete`);
}
