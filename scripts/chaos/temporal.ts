// A Temporal server with a database file and fixed ports, which can be killed and restarted.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type DevServer,
  isPortTaken,
  startDevServer,
} from '../../src/temporal/server/dev-server.ts';
import { reservePorts } from './ports.ts';
import type { Env } from './program.ts';

export interface DurableTemporal {
  env: Env;
  dbFilename: string;
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>;
  /** Starts the server again, with the same file and ports. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  binary: string;
  dbFilename: string;
  dynamicConfig?: Readonly<Record<string, unknown>>;
  logFile?: string;
}

const maxStarts = 20;

export async function startDurableTemporal(options: Options): Promise<DurableTemporal> {
  const [grpc = 0, ui = 0] = await reservePorts(2);
  const startServer = () => startDevServer({ ...options, ui: false, ports: { grpc, ui } });
  let server: DevServer = await startServer();
  return {
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace },
    dbFilename: options.dbFilename,
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    async restart() {
      // While the server was down, another connection may have used its port for a while.
      for (let tries = 1; ; tries += 1) {
        try {
          server = await startServer();
          return;
        } catch (error) {
          if (!isPortTaken(error) || tries === maxStarts) throw error;
          await delay(500);
        }
      }
    },
    close: () => server.stop(),
  };
}
