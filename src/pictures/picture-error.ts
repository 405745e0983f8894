// The error that says why a picture is not decoded.

/**
 * `FORMAT`: a format that is not supported. `DAMAGED`: truncated or inconsistent. `TOO_LARGE`: more pixels, more
 * other data, or more decoding time or memory than allowed.
 */
export type PictureFault = 'FORMAT' | 'DAMAGED' | 'TOO_LARGE';

export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  /** @param problem a clause that continues the word "it" */
  constructor(fault: PictureFault, problem: string) {
    super(problem);
    this.fault = fault;
  }
}

export function truncatedError(what: string): PictureError {
  return new PictureError('DAMAGED', `ends too early: ${what} is incomplete`);
}
