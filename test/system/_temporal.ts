// Temporal servers for test files: the shared real server, and the time-skipping test server.
import { randomUUID } from 'node:crypto';
import { type Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, inject } from 'vitest';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
} from '../../src/temporal/server/dev-server.ts';
import { startTimeSkipping } from '../../src/temporal/server/test-server.ts';

/** What connects clients, workers and child processes to a server, in the test file's own namespace. */
export interface TemporalInUse {
  /** host:port */
  readonly address: string;
  readonly namespace: string;
  /** Address and namespace, for `connectTemporal` and child processes. */
  readonly env: Record<string, string>;
}

export interface DevServerInUse {
  readonly server: DevServer;
  readonly env: Record<string, string>;
}

/** Creates a namespace on the shared server. */
export function useTemporal(): TemporalInUse {
  const address = inject('temporalAddress');
  const namespace = `test-${randomUUID()}`;
  beforeAll(() => createNamespace({ address, namespace }, '1 day'));
  const env = { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace };
  return { address, namespace, env };
}

/** @param retention how long the server keeps workflows that have ended */
export async function createNamespace(
  { address, namespace }: Pick<TemporalInUse, 'address' | 'namespace'>,
  retention: '1 day' | '30 days',
): Promise<void> {
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retention),
  });
  await ensureSearchAttributes(connection, namespace);
  await connection.close();
}

/** Connects a client before the tests of this file and closes it after them. */
export function useClient({ env }: Pick<TemporalInUse, 'env'>): () => Client {
  let connection: TemporalConnection | undefined;
  beforeAll(async () => {
    connection = await connectTemporal({ env });
  });
  afterAll(() => connection?.close());
  return () => {
    if (!connection) throw new Error('the client is connected only inside tests and hooks');
    return connection.client;
  };
}

/** Starts a server with settings of its own before the tests of this file and stops it after them. */
export function useDevServer(options: Omit<DevServerOptions, 'binary'>): DevServerInUse {
  let server: DevServer | undefined;

  beforeAll(async () => {
    server = await startDevServer({ ui: false, ...options, binary: inject('temporalBinary') });
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
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
