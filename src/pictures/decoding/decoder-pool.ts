// A pool of decoding processes. An idle process waits a while for the next picture.
import pLimit from 'p-limit';
import type { DecodeReply, DecodeRequest } from './decoder-script.ts';
import { type DecodingProcess, isDecoderExit } from './decoding-process.ts';

export type Decoder = Pick<DecodingProcess, 'decode' | 'end' | 'isUsable'>;

export interface PoolOptions {
  maxConcurrent: number;
  idleMs: number;
  timeoutMs: number;
}

export class DecoderPool {
  readonly #createDecoder: () => Decoder;
  readonly #options: PoolOptions;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #idle: { decoder: Decoder; timer: NodeJS.Timeout }[] = [];

  constructor(make: () => Decoder, options: PoolOptions) {
    this.#createDecoder = make;
    this.#options = options;
    this.#limit = pLimit(options.maxConcurrent);
  }

  /**
   * Decodes a picture in an idle or new process. Aborting `signal` kills the process.
   * @throws PictureError; the system's error if no process starts
   */
  decode(
    request: DecodeRequest,
    signal?: AbortSignal,
    timeoutMs = this.#options.timeoutMs,
  ): Promise<DecodeReply> {
    const decodeBy = (decoder: Decoder) =>
      decoder.decode(request, timeoutMs, signal).finally(() => this.#releaseDecoder(decoder));
    return this.#limit(async () => {
      const idle = this.#takeIdleDecoder();
      if (idle === null) return decodeBy(this.#createDecoder());
      return decodeBy(idle).catch((error: unknown) => {
        // The process may have been killed while it was idle. If the picture is the cause, a new process ends too.
        if (!isDecoderExit(error)) throw error;
        return decodeBy(this.#createDecoder());
      });
    });
  }

  #takeIdleDecoder(): Decoder | null {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      clearTimeout(last.timer);
      if (last.decoder.isUsable) return last.decoder;
    }
    return null;
  }

  #releaseDecoder(decoder: Decoder): void {
    if (!decoder.isUsable) return;
    const timer = setTimeout(() => {
      decoder.end();
      const index = this.#idle.findIndex((entry) => entry.decoder === decoder);
      if (index >= 0) this.#idle.splice(index, 1);
    }, this.#options.idleMs);
    timer.unref();
    this.#idle.push({ decoder, timer });
  }
}
