// One real Temporal server for one test file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
} from '../../src/temporal/dev-server.ts';
import { startTimeSkipping } from '../../src/temporal/test-server.ts';

export interface DevServerInUse {
  readonly server: DevServer;
  /** For `connectTemporal` and for child processes. */
  readonly env: Record<string, string>;
}

type Options = Omit<DevServerOptions, 'binary' | 'dbFilename'> & {
  /** 'memory' (default) is quicker; 'file' is what `dev` uses. */
  db?: 'memory' | 'file';
};

/** Starts a dev server before the tests of this file and stops it after them. */
export function useDevServer({ db = 'memory', ...options }: Options = {}): DevServerInUse {
  let server: DevServer | undefined;
  let folder: string | undefined;

  beforeAll(async () => {
    if (db === 'file') folder = await mkdtemp(join(tmpdir(), 'renderline-temporal-'));
    server = await startDevServer({
      ui: false,
      ...options,
      binary: inject('temporalBinary'),
      ...(folder ? { dbFilename: join(folder, 'temporal.db') } : {}),
    });
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const running = () => {
    if (!server) throw new Error('the dev server runs only inside tests and hooks');
    return server;
  };
  return {
    get server() {
      return running();
    },
    get env() {
      return { TEMPORAL_ADDRESS: running().address, TEMPORAL_NAMESPACE: running().namespace };
    },
  };
}

/** Starts the time-skipping server before the tests of this file and stops it after them. */
export function useTimeSkipping(): { readonly environment: TestWorkflowEnvironment } {
  let environment: TestWorkflowEnvironment | undefined;

  beforeAll(async () => {
    const path = inject('testServerPath');
    if (!path) throw new Error(inject('testServerProblem'));
    environment = await startTimeSkipping(path);
  }, 120_000);

  afterAll(async () => {
    await environment?.teardown();
  });

  return {
    get environment() {
      if (!environment) throw new Error('the server runs only inside tests and hooks');
      return environment;
    },
  };
}
