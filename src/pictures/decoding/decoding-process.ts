// A child process that decodes pictures one at a time, so that a picture that crashes the decoder affects nothing else.
import { createRequire } from 'node:module';
import { type Helper, startHelper } from '../../settings/helper-process.ts';
import { PictureError } from '../picture-error.ts';
import { type DecodeReply, type DecodeRequest, decoderScript } from './decoder-script.ts';

/** The process ended before it replied, because of the picture or because somebody killed it. */
class DecoderExitError extends PictureError {
  constructor(cause: string) {
    super('DAMAGED', `crashes its decoder (${cause})`);
  }
}

/** Error codes if a request is sent to a process that has just ended. */
const closedChannelCodes: unknown[] = ['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED'];

/** True if the process ended before it replied, but not because of a limit, an abort, or a failed start. */
export function isDecoderExit(error: unknown): boolean {
  if (error instanceof DecoderExitError) return true;
  return error instanceof Error && 'code' in error && closedChannelCodes.includes(error.code);
}

export class DecodingProcess {
  readonly #child: Helper['child'];
  readonly #started: Helper['started'];
  #isUsable = true;

  /** @param script program of the process. Tests replace it */
  constructor(script: string = decoderScript) {
    const sharp = createRequire(import.meta.url).resolve('sharp');
    const helper = startHelper(['--expose-gc', '-e', script, sharp], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child = helper.child;
    this.#started = helper.started;
    this.#child.on('error', () => this.end());
    this.#child.on('exit', () => (this.#isUsable = false));
    this.#unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Decodes one picture. Aborting `signal` kills the process.
   * @throws PictureError; the reason of `signal`; HelperStartError
   */
  async decode(
    request: DecodeRequest,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<DecodeReply> {
    await this.#started;
    signal?.throwIfAborted();
    const child = this.#child;
    child.ref();
    child.channel?.ref();
    const cleanup = new AbortController();
    try {
      return await new Promise<DecodeReply>((resolve, reject) => {
        const fail = (error: Error) => {
          this.end();
          reject(error);
        };
        const tooLarge = (limit: string) =>
          new PictureError('TOO_LARGE', `needs ${limit} to be decoded`);
        const timer = setTimeout(
          () => fail(tooLarge(`more than ${Math.round(timeoutMs / 1_000)} s`)),
          timeoutMs,
        );
        const onMessage = (reply: DecodeReply) => {
          if (reply.kind !== 'memory') resolve(reply);
          else fail(tooLarge(`more than ${Math.round(request.memoryBytes / 1024 ** 2)} MiB`));
        };
        const onExit = (code: number | null, signal: string | null) =>
          fail(new DecoderExitError(String(signal ?? code)));
        signal?.addEventListener('abort', () => fail(signal.reason), { signal: cleanup.signal });
        child.on('message', onMessage).on('exit', onExit).on('error', fail);
        cleanup.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          child.off('message', onMessage).off('exit', onExit).off('error', fail);
        });
        child.send(request, (error) => error && fail(error));
      });
    } finally {
      cleanup.abort();
      this.#unref();
    }
  }

  end(): void {
    this.#isUsable = false;
    this.#child.kill('SIGKILL');
  }

  /** An idle process does not keep this process alive, and exits when its channel closes. */
  #unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}
