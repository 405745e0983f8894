// Runs the reader of a table in a separate thread with limits on memory and time. A table that exceeds them cannot
// crash or block the worker. The thread's program is a string because Node cannot start TypeScript there.
import { type Transferable, Worker } from 'node:worker_threads';
import { TableError } from './table-error.ts';

export interface ThreadBounds {
  memoryBytes: number;
  timeoutMs: number;
}

/** Default bounds. The largest table of colorways takes 200 MiB and three seconds. */
export const threadBounds: ThreadBounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 60_000 };

export interface ThreadProgram {
  /** CommonJS that posts messages to its parent port. `{ wrong }` says why the table cannot be read. */
  script: string;
  data: object;
  /** Memory that is moved to the thread, so the caller can no longer use it. */
  transfer: Transferable[];
  /** Another format for the table, which a message suggests. */
  instead: string;
}

/**
 * @param onMessage receives each message, and returns the result once there is one
 * @throws TableError if the program posts `{ wrong }`, and for a table that exceeds the limits
 */
export async function runTableThread<Result>(
  { script, data, transfer, instead }: ThreadProgram,
  onMessage: (message: unknown, thread: Worker) => Result | undefined,
  { memoryBytes, timeoutMs }: ThreadBounds = threadBounds,
): Promise<Result> {
  const thread = new Worker(script, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: data,
    transferList: transfer,
    resourceLimits: { maxOldGenerationSizeMb: memoryBytes / 1024 ** 2 },
  });
  const createLimitError = (limit: string) =>
    new TableError(
      `needs more than ${limit} to be read; reduce its size, or write it as ${instead}`,
    );
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      timer = setTimeout(() => reject(createLimitError(`${timeoutMs / 1_000} s`)), timeoutMs);
      thread.on('message', (message: unknown) => {
        try {
          const wrong = reasonOf(message);
          if (wrong !== null) throw new TableError(wrong);
          const result = onMessage(message, thread);
          if (result !== undefined) resolve(result);
        } catch (error) {
          reject(error);
        }
      });
      thread.on('error', (error: NodeJS.ErrnoException) => {
        const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        reject(isFull ? createLimitError(`${memoryBytes / 1024 ** 2} MiB`) : error);
      });
      thread.on('exit', (code) =>
        reject(new Error(`the thread that reads tables ended with code ${code}`)),
      );
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}

function reasonOf(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('wrong' in message)) return null;
  return String(message.wrong);
}
