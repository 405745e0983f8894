// Keeps the last part of a long output for error messages.

export class TextTail {
  readonly #limitBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Chunks are joined rarely, so that many small chunks do not cause quadratic copying.
    if (this.#bytes > 2 * this.#limitBytes) {
      const kept = Buffer.concat(this.#chunks).subarray(-this.#limitBytes);
      this.#isCut = true;
      this.#chunks = [Buffer.from(kept)];
      this.#bytes = kept.length;
    }
  }

  /** The last lines of the output. A first line whose beginning was cut off is dropped. */
  text(): string {
    const all = Buffer.concat(this.#chunks);
    if (!this.#isCut && all.length <= this.#limitBytes) return all.toString('utf8').trim();
    const tail = all.subarray(-this.#limitBytes).toString('utf8');
    return tail.slice(tail.indexOf('\n') + 1).trim();
  }
}
