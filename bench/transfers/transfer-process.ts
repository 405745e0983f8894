// A process that uploads files or downloads pictures, and prints the memory and time that it needed as one line of
// JSON. Its argument is `[WARM, TASK]` as JSON, with a small task as a warm-up and the task to measure.
import { writeFileSync } from 'node:fs';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';
import { childrenOf, cpuMs, peakMemoryMib, residentMib } from '../process-times.ts';
import { downloadResults, uploadSources } from './moves.ts';

export interface TransferTask {
  connector: ConnectorSpec;
  /** `up` is from the connector to `address`, and `down` is from `address` to the connector. */
  direction: 'up' | 'down';
  /** Paths of the files in the connector, and relative to `address`. */
  paths: string[];
  /** URL prefix to which each path is appended. */
  address: string;
}

export interface TransferReport {
  idleMib: number;
  /** Peak memory in addition to `idleMib`. */
  peakMib: number;
  /** Maximum peak memory of the decoder processes. */
  decoderMib: number;
  cpuMs: number;
  ms: number;
  bytes: number;
}

const connectors = new Map<string, Connector>();

/** Opens one connector per spec, as a worker does. */
function connectorOf(spec: ConnectorSpec): Connector {
  const name = JSON.stringify(spec);
  const connector = connectors.get(name) ?? openConnector(spec);
  connectors.set(name, connector);
  return connector;
}

async function work(task: TransferTask): Promise<number> {
  const slots = Semaphore.of(16);
  const move = task.direction === 'up' ? uploadSources : downloadResults;
  const connector = connectorOf(task.connector);
  const bytes = await slots.forEach(task.paths, (path) =>
    move(connector, path, task.address + path),
  );
  return bytes.reduce((sum, value) => sum + value, 0);
}

async function main(): Promise<void> {
  const [warm, task] = JSON.parse(process.argv[2] ?? '[]') as [TransferTask, TransferTask];
  // The warm-up loads the client library of the connector and opens its connections.
  await work(warm);
  const idleMib = residentMib(process.pid);
  const cpuBefore = cpuMs(process.pid);
  // Resets the peak memory of this process.
  writeFileSync('/proc/self/clear_refs', '5');
  const startedMs = performance.now();
  const bytes = await work(task);
  const report: TransferReport = {
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
