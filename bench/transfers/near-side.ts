// A process that takes files up, or brings pictures home, with the engine's own code, and says what that took of it:
// `near-side TASK` with a JSON task. Prints one line of JSON.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { putFile } from '../../src/api/upload.ts';
import { fetchFile } from '../../src/capabilities/delivery/fetch-file.ts';
import { inspectPicture } from '../../src/capabilities/delivery/inspect-picture.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { lookAtSource } from '../../src/glb/look.ts';
import { Slots } from '../../src/machinery/transfer-slots.ts';
import { sourceBytes } from '../../src/machinery/uploads/source-file.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { cpuMs, peakMemoryMib, residentMib } from '../process-times.ts';

export interface NearTask {
  connector: ConnectorSpec;
  /** `up`: from the connector to this address; `home`: from it to the connector. */
  way: 'up' | 'home';
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

const network = 'any';
const signal = new AbortController().signal;
const pixelsAtMost = 200_000_000;

async function takeUp({ connector: spec, address }: NearTask, path: string): Promise<number> {
  const connector = openConnector(spec);
  const entry = await connector.stat(path);
  if (entry === null) throw new Error(`${path} is not there`);
  const look = await lookAtSource(sourceBytes(sourceOf(entry), connector, signal), 'glb');
  if (look.verdict === 'reject') throw new Error(look.message);
  const file = await connector.open(path, signal);
  try {
    const { bytes } = await putFile({
      url: address + path,
      source: {
        name: path,
        bytes: file.entry.bytes,
        content: () => file.content(),
        isUnchanged: () => file.isUnchanged(),
      },
      network,
      contentType: 'model/gltf-binary',
      signal,
    });
    return bytes;
  } finally {
    await file.close();
  }
}

async function bringHome({ connector: spec, address }: NearTask, path: string): Promise<number> {
  const output = { id: path, name: path, fileType: 'TIFF', isVideo: false, isPreview: false };
  const rules = { notBlank: true, maxPixels: pixelsAtMost };
  const came = await fetchFile(
    {
      key: path,
      path,
      connector: openConnector(spec),
      inspect: (file) => inspectPicture(file, output, rules),
    },
    address + path,
    {
      client: { network },
      signal,
      heartbeat: () => undefined,
      holdLease: () => Promise.resolve(),
    },
  );
  if ('error' in came) throw came.error;
  return came.bytes;
}

async function work(task: NearTask): Promise<number> {
  const slots = Slots.of(16);
  const one = task.way === 'up' ? takeUp : bringHome;
  const bytes = await slots.each(task.paths, (path) => one(task, path));
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
