// A Temporal server with a database file and fixed ports, which can be killed and restarted.
import { setTimeout as delay } from 'node:timers/promises';
import { type DevServer, isPortTaken, startDevServer } from '../../src/temporal/dev-server.ts';
import { keptPorts } from './ports.ts';
import type { Env } from './program.ts';

export interface DurableTemporal {
  env: Env;
  dbFilename: string;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Starts the server again, with the same file and ports. */
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
      // While the server was down, another connection may have taken its port for a while.
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
