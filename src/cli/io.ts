// The environment of one command, passed in so that tests can run commands in their own process.
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../settings/environment.ts';
import type { Interrupts } from './interrupts.ts';

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

export interface Io {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: Readable;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupts: Interrupts;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
