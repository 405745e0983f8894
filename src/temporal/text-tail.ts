// The last part of a long output, kept within a fixed size for error messages.

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
    // Joined only now and then, so that many small chunks cost no quadratic copying.
    if (this.#bytes > 2 * this.#limitBytes) {
      const kept = Buffer.concat(this.#chunks).subarray(-this.#limitBytes);
      this.#isCut = true;
      this.#chunks = [Buffer.from(kept)];
      this.#bytes = kept.length;
    }
  }

  /** The last lines that were printed; a first line that lost its beginning is left out. */
  text(): string {
    const all = Buffer.concat(this.#chunks);
    if (!this.#isCut && all.length <= this.#limitBytes) return all.toString('utf8').trim();
    const tail = all.subarray(-this.#limitBytes).toString('utf8');
    return tail.slice(tail.indexOf('\n') + 1).trim();
  }
}
