// Why a picture is not given to a decoder, or could not be decoded.

/**
 * `FORMAT`: no PNG, JPEG or TIFF. `DAMAGED`: cut off or contradictory. `TOO_LARGE`: more pixels, or more data beside them,
 * than the caller accepts, or more than a decoder may take of time or memory.
 */
export type PictureFault = 'FORMAT' | 'DAMAGED' | 'TOO_LARGE';

export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  /** @param problem a clause that follows the word "it" */
  constructor(fault: PictureFault, problem: string) {
    super(problem);
    this.fault = fault;
  }
}

export function breaksOff(what: string): PictureError {
  return new PictureError('DAMAGED', `breaks off: ${what} is cut`);
}
