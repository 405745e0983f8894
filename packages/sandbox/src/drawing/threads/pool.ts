// Queues drawing jobs for a few threads, or draws them in the calling thread.
import { DrawError, type Drawing, type DrawJob } from './draw-job.ts';
import { Drawer, defaultCacheBytes } from './drawer.ts';
import { DrawThread } from './thread.ts';
import { findWorkerFile } from './worker-file.ts';

export type { Drawing, DrawJob } from './draw-job.ts';

export type DrawPoolOptions = {
  /** Number of drawing threads; 0 draws in the calling thread. @default 1 */
  readonly threads?: number;
  /** Memory for models per thread, in bytes. @default 256 MiB */
  readonly cacheBytes?: number;
  /** Time limit of a thread for a picture or video, after which the thread is replaced. @default two minutes */
  readonly timeoutMs?: number;
};

export type DrawPool = {
  /** Draws a job; pictures go before videos, otherwise in order. Rejects with DrawError. */
  draw(job: DrawJob): Promise<Drawing>;
  /** Stops all threads. Waiting jobs, and those in threads, fail with DrawError POOL_CLOSED. */
  close(): Promise<void>;
};

type WaitingJob = {
  readonly job: DrawJob;
  readonly resolve: (drawing: Drawing) => void;
  readonly reject: (error: Error) => void;
};

/** Draws one job at a time. */
export type DrawLane = {
  draw(job: DrawJob): Promise<Drawing>;
  close(): Promise<void>;
};

/** Opens a pool. Without a compiled thread entry, jobs are drawn in the calling thread. */
export function createDrawPool(options: DrawPoolOptions = {}): DrawPool {
  const { threads = 1, cacheBytes = defaultCacheBytes, timeoutMs = 120_000 } = options;
  const file = threads > 0 ? findWorkerFile() : undefined;
  if (file === undefined) return new LanePool([makeLocalLane(cacheBytes)]);
  const lane = (): DrawLane => new DrawThread(file, { cacheBytes, timeoutMs });
  return new LanePool(Array.from({ length: threads }, lane));
}

function makeLocalLane(cacheBytes: number): DrawLane {
  const drawer = new Drawer(cacheBytes);
  return {
    async draw(job) {
      const { width, height } = job;
      try {
        return { ...(await drawer.draw(job, job.read)), width, height };
      } catch (error) {
        throw toDrawError(error);
      }
    },
    close: () => Promise.resolve(),
  };
}

function toDrawError(error: unknown): DrawError {
  if (error instanceof DrawError) return error;
  const known = error instanceof Error ? error : new Error(String(error));
  const code = 'code' in known && typeof known.code === 'string' ? known.code : 'DRAW_FAILED';
  return new DrawError(code, known.message);
}

class LanePool implements DrawPool {
  readonly #lanes: readonly DrawLane[];
  readonly #idle: DrawLane[];
  readonly #line: WaitingJob[] = [];
  #closed = false;

  constructor(lanes: readonly DrawLane[]) {
    this.#lanes = lanes;
    this.#idle = [...lanes];
  }

  draw(job: DrawJob): Promise<Drawing> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#line.push({ job, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#line.splice(0)) reject(closedError());
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #next(): void {
    if (this.#line.length === 0) return;
    const lane = this.#idle.pop();
    if (lane === undefined) return;
    // Pictures go first, since a video consists of many frames.
    const picture = this.#line.findIndex(({ job }) => job.film === undefined);
    const [waiting] = this.#line.splice(Math.max(0, picture), 1);
    if (waiting === undefined) return;
    lane
      .draw(waiting.job)
      .then(waiting.resolve, waiting.reject)
      .finally(() => {
        this.#idle.push(lane);
        this.#next();
      });
  }
}

function closedError(): DrawError {
  return new DrawError('POOL_CLOSED', 'Drawing has been stopped.');
}
