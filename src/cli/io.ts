// The world of one command, handed in, so that tests run commands in their own process.
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../settings/environment.ts';
import type { Program } from '../temporal/person.ts';
import type { Interrupts } from './interrupts.ts';

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

export interface Io {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: Readable;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupts: Interrupts;
  /** Absolute folders that pipeline files, and the folders that they name, must lie in; absent: anywhere. */
  readonly folders?: readonly string[];
  /** What carries out the command for a person; absent: the command line. */
  readonly via?: Program;
  /** Milliseconds since the epoch. */
  now(): number;
}
