// A drawing thread: started on demand, replaced when it dies or exceeds its time limit.
import { Worker } from 'node:worker_threads';
import { DrawError, type DrawJob, type DrawReply, type DrawRequest } from './draw-job.ts';

type CurrentJob = {
  readonly id: number;
  readonly job: DrawJob;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
};

export class DrawThread {
  readonly #file: string;
  readonly #timeoutMs: number;
  #worker: Worker | undefined;
  #currentJob: CurrentJob | undefined;
  #lastId = 0;

  constructor(file: string, timeoutMs = 120_000) {
    this.#file = file;
    this.#timeoutMs = timeoutMs;
  }

  /** Draws a job. The next job may only start when this one has ended. */
  draw(job: DrawJob): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const seconds = Math.round(this.#timeoutMs / 1000);
        this.#fail(new DrawError('TIMED_OUT', `The picture was not drawn within ${seconds} s.`));
      }, this.#timeoutMs);
      this.#lastId += 1;
      this.#currentJob = { id: this.#lastId, job, resolve, reject, timer };
      this.#send(undefined);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#fail(new DrawError('POOL_CLOSED', 'Drawing has been stopped.'));
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#file, {
      name: 'draw',
      // Tests make Node resolve packages to TypeScript sources, which a thread cannot load.
      execArgv: [],
    });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on('message', (reply: DrawReply) => this.#receive(reply));
    worker.on('error', (error) => this.#handleExit(worker, error.message));
    worker.on('exit', (code) => this.#handleExit(worker, `exit code ${code}`));
    return worker;
  }

  #send(bytes: Uint8Array | undefined): void {
    if (this.#currentJob === undefined) return;
    const { id, job } = this.#currentJob;
    const { read: _read, ...spec } = job;
    this.#worker ??= this.#start();
    const request: DrawRequest = { id, spec, bytes };
    try {
      this.#worker.postMessage(request);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#settle()?.reject(new DrawError('DRAW_FAILED', `The job cannot be sent: ${cause}`));
    }
  }

  #receive(reply: DrawReply): void {
    const current = this.#currentJob;
    if (current === undefined || reply.id !== current.id) return;
    if (reply.kind === 'need-bytes') {
      current.job.read().then(
        (bytes) => {
          if (this.#currentJob === current) this.#send(bytes);
        },
        (error: unknown) => {
          if (this.#currentJob !== current) return;
          const cause = error instanceof Error ? error.message : String(error);
          this.#settle()?.reject(new DrawError('UNREADABLE', `The model cannot be read: ${cause}`));
        },
      );
      return;
    }
    if (reply.kind === 'failed') {
      this.#settle()?.reject(new DrawError(reply.code, reply.message));
      return;
    }
    const { buffer, byteOffset, byteLength } = reply.bytes;
    this.#settle()?.resolve(Buffer.from(buffer, byteOffset, byteLength));
  }

  #settle(): CurrentJob | undefined {
    const current = this.#currentJob;
    this.#currentJob = undefined;
    if (current !== undefined) clearTimeout(current.timer);
    return current;
  }

  #handleExit(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#settle()?.reject(new DrawError('THREAD_DIED', `The drawing thread ended: ${reason}.`));
  }

  // Terminates the thread. The next job starts a new one.
  #fail(error: DrawError): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settle()?.reject(error);
    void worker?.terminate();
  }
}
