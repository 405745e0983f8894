// Runs the reader of a table in a child process with limits on memory and time. A table that exceeds them cannot crash
// or block the worker. A thread would not do: if it runs out of memory within one allocation, the whole process ends.
import type { ChildProcess } from 'node:child_process';
import { startHelper } from '../settings/helper-process.ts';
import { parentWatchScript } from '../settings/parent-watch.ts';
import { TableError } from './table-error.ts';

export interface ProcessBounds {
  memoryBytes: number;
  timeoutMs: number;
}

/** Default bounds. The largest table of colorways takes 200 MiB and three seconds. */
export const processBounds: ProcessBounds = { memoryBytes: 512 * 1024 ** 2, timeoutMs: 60_000 };

export interface TableProgram {
  /** CommonJS that reads `request` and calls `send` with messages. `{ wrong }` says why the table cannot be read. */
  script: string;
  request: object;
  /** Another format for the table, which a message suggests. */
  instead: string;
}

/**
 * The process runs until it is killed, because its last messages may be on their way when the program ends. It ignores
 * Ctrl-C, which goes to all processes of a terminal, so that the worker can finish.
 */
export const createProgram = (script: string): string => `
${parentWatchScript}
process.on('uncaughtException', (error) => process.send({ fault: String(error?.stack ?? error) }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
process.on('message', () => undefined);
process.on('disconnect', () => process.exit());
process.once('message', (request) => {
const send = (message) => process.send(message);
${script}
});`;

/**
 * @param onMessage receives each message, and returns the result once there is one
 * @throws TableError if the program sends `{ wrong }`, and for a table that exceeds the limits; HelperStartError
 */
export async function runTableProcess<Result>(
  { script, request, instead }: TableProgram,
  onMessage: (message: unknown, child: ChildProcess) => Result | undefined,
  { memoryBytes, timeoutMs }: ProcessBounds = processBounds,
): Promise<Result> {
  const memoryMiB = memoryBytes / 1024 ** 2;
  const options = [`--max-old-space-size=${memoryMiB}`, '-e', createProgram(script)];
  const { child, started } = startHelper(options, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const createLimitError = (limit: string) =>
    new TableError(
      `needs more than ${limit} to be read; reduce its size, or write it as ${instead}`,
    );
  let timer: NodeJS.Timeout | undefined;
  try {
    await started;
    return await new Promise<Result>((resolve, reject) => {
      timer = setTimeout(() => reject(createLimitError(`${timeoutMs / 1_000} s`)), timeoutMs);
      child.on('message', (message: unknown) => {
        try {
          const wrong = textOf(message, 'wrong');
          if (wrong !== null) throw new TableError(wrong);
          const fault = textOf(message, 'fault');
          if (fault !== null) throw new Error(`the process that reads tables failed: ${fault}`);
          const result = onMessage(message, child);
          if (result !== undefined) resolve(result);
        } catch (error) {
          reject(error);
        }
      });
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        const isFull = signal === 'SIGABRT' || code === abortCode;
        if (signal === 'SIGKILL') reject(killedError(instead));
        const end = `the process that reads tables ended with ${signal ?? code}`;
        reject(isFull ? createLimitError(`${memoryMiB} MiB`) : new Error(end));
      });
      child.send(request);
    });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

function killedError(instead: string): TableError {
  return new TableError(
    `was not read, because the system killed the process that reads tables, probably because this machine or container has too little memory; free some memory, or write it as ${instead}`,
  );
}

/** Exit code of Node.js on Windows when it runs out of memory. Elsewhere a signal ends the process. */
const abortCode = 134;

function textOf(message: unknown, field: 'wrong' | 'fault'): string | null {
  if (typeof message !== 'object' || message === null || !(field in message)) return null;
  // The check above shows that the field exists.
  return String((message as Record<string, unknown>)[field]);
}
