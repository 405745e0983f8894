// A Temporal server whose clock a test moves, and this process with it: the server that skips time has no schedules.

import { chmod, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, inject } from 'vitest';
import { type DevServer, startDevServer } from '../../src/temporal/server/dev-server.ts';
import { type Env, tempFolder } from '../system/_stack.ts';
import { createNamespace } from '../system/_temporal.ts';

/** For processes: `node --require`, with the environment of the clock. */
export const shiftedClock = fileURLToPath(new URL('_shifted-clock.cjs', import.meta.url));
const ahead = 'TEST_CLOCK_AHEAD_MS';
const namespace = 'moved-clock';

export interface MovedClock {
  /** Connects commands and workers of this process, and others that are started with `shiftedClock`. */
  readonly env: Env;
  readonly server: DevServer;
  /** Moves the clock. @param to ISO 8601, later than now */
  moveTo(to: string): Promise<void>;
}

/** Starts the server before the tests of this file, at a time, and stops it after them. */
export function useMovedClock(startsAt: string): MovedClock {
  const right = globalThis.Date;
  let file = '';
  let server: DevServer | undefined;
  const moveTo = async (to: string) => {
    const ms = right.parse(to) - right.now();
    process.env[ahead] = String(ms);
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  };

  beforeAll(async () => {
    const folder = await tempFolder('moved-clock');
    file = join(folder, 'ahead-ms');
    const program = inject('movedClockServer');
    if (!program) throw new Error(inject('movedClockProblem'));
    // The module is loaded once, so a second test file of this process would otherwise keep the real clock.
    globalThis.Date = createRequire(import.meta.url)(shiftedClock) as DateConstructor;
    await moveTo(startsAt);
    const binary = join(folder, 'temporal');
    await writeFile(binary, `#!/bin/sh\nTEST_CLOCK_FILE='${file}' exec '${program}' "$@"\n`);
    await chmod(binary, 0o700);
    // Otherwise timers and polls that began before a move would end only after their original duration.
    const dynamicConfig = {
      'history.timerProcessorMaxPollInterval': '1s',
      'matching.longPollExpirationInterval': '3s',
    };
    server = await startDevServer({ binary, dynamicConfig });
    await createNamespace({ address: server.address, namespace }, '30 days');
  }, 1_800_000);

  afterAll(async () => {
    await server?.stop();
    globalThis.Date = right;
    delete process.env[ahead];
  });

  const running = () => {
    if (!server) throw new Error('the server runs only inside tests and hooks');
    return server;
  };
  return {
    moveTo,
    get server() {
      return running();
    },
    get env() {
      return { TEMPORAL_ADDRESS: running().address, TEMPORAL_NAMESPACE: namespace };
    },
  };
}
