// Keeps the last part of a long output for error messages.

export class TextTail {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Chunks are joined rarely, so that many small chunks do not cause quadratic copying.
    if (this.#bytes > 2 * this.#maxBytes) {
      const tail = Buffer.concat(this.#chunks).subarray(-this.#maxBytes);
      this.#isCut = true;
      this.#chunks = [Buffer.from(tail)];
      this.#bytes = tail.length;
    }
  }

  /** Returns the last lines of the output. A first line whose beginning was cut off is dropped. */
  text(): string {
    const output = Buffer.concat(this.#chunks);
    if (!this.#isCut && output.length <= this.#maxBytes) return output.toString('utf8').trim();
    const tail = output.subarray(-this.#maxBytes).toString('utf8');
    return tail.slice(tail.indexOf('\n') + 1).trim();
  }
}
