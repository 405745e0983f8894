// A process that takes files up, or brings pictures home, and says what that took of it: `near-side [WARM, TASK]`, tasks as
// JSON. Prints one line of JSON.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';
import { cpuMs, peakMemoryMib, residentMib } from '../process-times.ts';
import { downloadResults, uploadSources } from './moves.ts';

export interface NearTask {
  connector: ConnectorSpec;
  /** `up`: from the connector to this address; `home`: from it to the connector. */
  direction: 'up' | 'down';
  /** Files; `up`: paths below the connector. */
  paths: string[];
  /** Each path is put behind it. */
  address: string;
}

export interface NearReport {
  idleMib: number;
  /** Above idle. */
  peakMib: number;
  /** Most memory of a process that decodes. */
  decoderMib: number;
  cpuMs: number;
  ms: number;
  bytes: number;
}

const connectors = new Map<string, Connector>();

/** One for each place, as a worker has. */
function connectorOf(spec: ConnectorSpec): Connector {
  const name = JSON.stringify(spec);
  const open = connectors.get(name) ?? openConnector(spec);
  connectors.set(name, open);
  return open;
}

async function work(task: NearTask): Promise<number> {
  const slots = Semaphore.of(16);
  const move = task.direction === 'up' ? uploadSources : downloadResults;
  const connector = connectorOf(task.connector);
  const bytes = await slots.forEach(task.paths, (path) =>
    move(connector, path, task.address + path),
  );
  return bytes.reduce((sum, more) => sum + more, 0);
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((text) => text.trim() !== '')
      .map(Number),
  );
}

async function main(): Promise<void> {
  const [warm, task] = JSON.parse(process.argv[2] ?? '[]') as [NearTask, NearTask];
  // Loads the client of the place, and opens its connections.
  await work(warm);
  const idleMib = residentMib(process.pid);
  const cpuBefore = cpuMs(process.pid);
  // The peak is counted from here.
  writeFileSync('/proc/self/clear_refs', '5');
  const startedMs = performance.now();
  const bytes = await work(task);
  const report: NearReport = {
    idleMib,
    peakMib: peakMemoryMib(process.pid) - idleMib,
    decoderMib: Math.max(0, ...childrenOf(process.pid).map((pid) => peakMemoryMib(pid))),
    cpuMs: cpuMs(process.pid) - cpuBefore,
    ms: Math.round(performance.now() - startedMs),
    bytes,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
}

await main();
