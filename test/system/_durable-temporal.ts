// A Temporal server on a file and on fixed ports, which can be killed and started again.
import { join } from 'node:path';
import { inject } from 'vitest';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.ts';
import { freePorts } from '../../src/temporal/free-ports.ts';
import { type Env, tempFolder } from './_stack.ts';

export interface DurableTemporal {
  env: Env;
  dbFilename: string;
  /** kill -9; settles when it is dead. */
  kill(): Promise<void>;
  /** The same file on the same ports. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function startDurableTemporal(
  dynamicConfig: Record<string, unknown> = {},
): Promise<DurableTemporal> {
  const dbFilename = join(await tempFolder('temporal'), 'temporal.db');
  const [grpc = 0, ui = 0] = await freePorts(2, '127.0.0.1');
  const begin = () =>
    startDevServer({
      binary: inject('temporalBinary'),
      ui: false,
      dbFilename,
      ports: { grpc, ui },
      dynamicConfig,
    });
  let server: DevServer = await begin();
  return {
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace },
    dbFilename,
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    async startAgain() {
      server = await begin();
    },
    close: () => server.stop(),
  };
}
