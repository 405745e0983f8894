// A Temporal server on a file and on fixed ports, which can be killed and started again.
import { setTimeout as delay } from 'node:timers/promises';
import { type DevServer, isPortTaken, startDevServer } from '../../src/temporal/dev-server.ts';
import { keptPorts } from './ports.ts';
import type { Env } from './program.ts';

export interface DurableTemporal {
  env: Env;
  dbFilename: string;
  /** kill -9; settles when it is dead. */
  kill(): Promise<void>;
  /** The same file on the same ports. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  binary: string;
  dbFilename: string;
  dynamicConfig?: Readonly<Record<string, unknown>>;
  logFile?: string;
}

const startsAtMost = 20;

export async function startDurableTemporal(options: Options): Promise<DurableTemporal> {
  const [grpc = 0, ui = 0] = await keptPorts(2);
  const begin = () => startDevServer({ ...options, ui: false, ports: { grpc, ui } });
  let server: DevServer = await begin();
  return {
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace },
    dbFilename: options.dbFilename,
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    async startAgain() {
      // While it was away its port may have gone to a connection of somebody else, which ends.
      for (let tries = 1; ; tries += 1) {
        try {
          server = await begin();
          return;
        } catch (error) {
          if (!isPortTaken(error) || tries === startsAtMost) throw error;
          await delay(500);
        }
      }
    },
    close: () => server.stop(),
  };
}
