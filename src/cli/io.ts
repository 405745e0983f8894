// The environment of one command, passed in so that tests can run commands in their own process.
import type { Readable, Writable } from 'node:stream';
import type { Interrupts } from '../app/interrupts.ts';
import type { Environment } from '../settings/environment.ts';
import type { Program } from '../temporal/connection/person.ts';

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

export interface Io {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly stdin: Readable;
  readonly env: Environment;
  readonly cwd: string;
  readonly interrupts: Interrupts;
  /** Absolute folders that must contain pipeline files and the folders they name; absent: no restriction. */
  readonly folders?: readonly string[];
  /** Program that runs the command on behalf of a person; absent: the command line. */
  readonly via?: Program;
  /** Milliseconds since the epoch. */
  now(): number;
}
