// Why a picture is not handed to a decoder, or did not come out of it.

/**
 * `FORMAT`: no PNG, JPEG or TIFF. `DAMAGED`: one that breaks off or contradicts itself. `TOO_LARGE`: more pixels, or more
 * beside its pixels, than whoever looks has use for; also what takes a decoder more time or memory than that.
 */
export type PictureFault = 'FORMAT' | 'DAMAGED' | 'TOO_LARGE';

export class PictureError extends Error {
  override name = 'PictureError';
  readonly fault: PictureFault;

  /** `problem` goes on where "it" stands before it. */
  constructor(fault: PictureFault, problem: string) {
    super(problem);
    this.fault = fault;
  }
}

export function breaksOff(what: string): PictureError {
  return new PictureError('DAMAGED', `breaks off: ${what} is cut`);
}
