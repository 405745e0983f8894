// Queues drawing jobs for a few threads, or draws them in the calling thread.
import { DrawError, type DrawJob, toDrawError } from './draw-job.ts';
import { Drawer } from './drawer.ts';
import { DrawThread } from './thread.ts';
import { findWorkerFile } from './worker-file.ts';

export type DrawPool = {
  /** Draws a job. Pictures take precedence over videos. Otherwise jobs keep their order. Rejects with DrawError. */
  draw(job: DrawJob): Promise<Buffer>;
  /** Stops all threads. Waiting and running jobs fail with DrawError POOL_CLOSED. */
  close(): Promise<void>;
};

type WaitingJob = {
  readonly job: DrawJob;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
};

/** Draws one job at a time. */
type DrawLane = DrawPool;

/** Opens a pool. With 0 threads, or without a compiled thread entry, the calling thread draws. */
export function createDrawPool(threads: number): DrawPool {
  const file = threads > 0 ? findWorkerFile() : undefined;
  if (file === undefined) return new LanePool([createLocalLane()]);
  return new LanePool(Array.from({ length: threads }, () => new DrawThread(file)));
}

function createLocalLane(): DrawLane {
  const drawer = new Drawer();
  return {
    draw: (job) =>
      drawer.draw(job, job.read).catch((error: unknown) => {
        throw toDrawError(error);
      }),
    close: () => Promise.resolve(),
  };
}

class LanePool implements DrawPool {
  readonly #lanes: readonly DrawLane[];
  readonly #idle: DrawLane[];
  readonly #line: WaitingJob[] = [];
  #isClosed = false;

  constructor(lanes: readonly DrawLane[]) {
    this.#lanes = lanes;
    this.#idle = [...lanes];
  }

  draw(job: DrawJob): Promise<Buffer> {
    if (this.#isClosed) return Promise.reject(poolClosedError());
    return new Promise((resolve, reject) => {
      this.#line.push({ job, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#line.splice(0)) reject(poolClosedError());
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  #next(): void {
    const lane = this.#idle.at(-1);
    if (lane === undefined) return;
    // Pictures go first, because a video consists of many frames.
    const picture = this.#line.findIndex(({ job }) => job.film === undefined);
    const [waitingJob] = this.#line.splice(Math.max(0, picture), 1);
    if (waitingJob === undefined) return;
    this.#idle.pop();
    lane
      .draw(waitingJob.job)
      .then(waitingJob.resolve, waitingJob.reject)
      .finally(() => {
        this.#idle.push(lane);
        this.#next();
      });
  }
}

function poolClosedError(): DrawError {
  return new DrawError('POOL_CLOSED', 'Drawing has been stopped.');
}
