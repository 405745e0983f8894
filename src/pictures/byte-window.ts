// Random access to the bytes of a file through a window.
import type { ByteSource } from '../glb/byte-source.ts';
import { truncatedError } from './picture-error.ts';

const windowBytes = 64 * 1024;

export class ByteWindow {
  readonly size: number;
  readonly #source: ByteSource;
  #windowStart = 0;
  #bytes: DataView = new DataView(new ArrayBuffer(0));

  constructor(source: ByteSource) {
    this.size = source.size;
    this.#source = source;
  }

  /**
   * Reads exactly `length` bytes, at most 64 KiB. The view is valid until the next call.
   * @param label name of the bytes for the error
   * @throws PictureError if the file ends earlier
   */
  async readView(position: number, length: number, label: string): Promise<DataView> {
    if (position < 0 || position + length > this.size) throw truncatedError(label);
    const isHere =
      position >= this.#windowStart &&
      position + length <= this.#windowStart + this.#bytes.byteLength;
    if (!isHere) {
      const { buffer, byteOffset, byteLength } = await this.#source.read(position, windowBytes);
      this.#windowStart = position;
      this.#bytes = new DataView(buffer, byteOffset, byteLength);
      if (byteLength < length) throw truncatedError(label);
    }
    const { buffer, byteOffset } = this.#bytes;
    return new DataView(buffer, byteOffset + position - this.#windowStart, length);
  }
}

/** Decodes the bytes of a view as Latin-1. */
export function textOf(view: DataView): string {
  const { buffer, byteOffset, byteLength } = view;
  return String.fromCharCode(...new Uint8Array(buffer, byteOffset, byteLength));
}
